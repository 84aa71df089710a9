//! `declare target` variables: both sides have a copy, and only `target update` and its like make them equal again.
//!
//! The host's bytes are kept when the program is registered, and after each copy. Before a region begins they are
//! compared. What has changed on the host is out of date on the device, which tells if a kernel reads it.

use std::collections::HashMap;
use std::ops::Range;

use findings::Note;
use parking_lot::Mutex;
use plugin_api::{Device, DevicePtr};

use crate::check::wanted;
use crate::device::entries::Entry;
use crate::host_memory::host_bytes;

/// Larger variables are not compared.
const MOST_BYTES: u64 = 64 << 20;

/// A variable on a device.
struct Variable {
    device: usize,
    host: Range<u64>,
    address: u64,
    name: String,
    /// What both sides had after the last copies.
    known: Vec<u8>,
}

static VARIABLES: Mutex<Vec<Variable>> = Mutex::new(Vec::new());

/// The host's bytes when the program was registered, by address.
static INITIAL: Mutex<Option<HashMap<u64, Vec<u8>>>> = Mutex::new(None);

fn is_wanted() -> bool {
    let checks = wanted();
    checks.host && checks.init
}

/// A program is registered, before it does anything.
pub fn registered(entries: &[Entry]) {
    if !is_wanted() {
        return;
    }
    let variables = entries
        .iter()
        .filter(|entry| (1..=MOST_BYTES).contains(&entry.size));
    let mut initial = INITIAL.lock();
    let initial = initial.get_or_insert_default();
    for entry in variables {
        if let Some(bytes) = host_bytes(&(entry.address..entry.address + entry.size)) {
            initial.insert(entry.address, bytes.to_vec());
        }
    }
}

/// A device has a copy of a variable.
pub fn associated(number: usize, device: &dyn Device, entry: &Entry, address: DevicePtr) {
    if !is_wanted() || entry.size > MOST_BYTES {
        return;
    }
    let host = entry.address..entry.address + entry.size;
    let mut known = vec![0u8; entry.size as usize];
    // SAFETY: as many bytes of our own.
    let read = unsafe { device.read(known.as_mut_ptr(), address, known.len()) };
    let (Ok(()), Some(now)) = (read, host_bytes(&host)) else {
        return;
    };
    // Both sides may have begun with different bytes, such as addresses. Only a change of the host's matters.
    if let Some(initial) = INITIAL
        .lock()
        .as_ref()
        .and_then(|all| all.get(&entry.address))
    {
        let bytes = known.iter_mut().zip(initial).zip(now.iter());
        bytes
            .filter(|((_, initial), now)| initial == now)
            .for_each(|((known, _), now)| *known = *now);
    }
    VARIABLES.lock().push(Variable {
        device: number,
        host,
        address: address.0,
        name: entry.name.clone(),
        known,
    });
}

/// A variable leaves a device.
pub fn dissociated(number: usize, host: u64) {
    if is_wanted() {
        let stays = |it: &Variable| (it.device, it.host.start) != (number, host);
        VARIABLES.lock().retain(stays);
    }
}

/// The host bytes at `range` and the device's at `address` are equal now.
pub fn copied(address: u64, range: &Range<u64>, host: &[u8]) {
    let mut all = VARIABLES.lock();
    let found = all
        .iter_mut()
        .find(|it| it.address == address && it.host.start <= range.start);
    if let Some(variable) = found {
        let from = (range.start - variable.host.start) as usize;
        let part = variable.known.iter_mut().skip(from);
        part.zip(host).for_each(|(known, byte)| *known = *byte);
    }
}

/// A region begins: tells the device what has changed on the host.
pub fn check(number: usize, device: &dyn Device) {
    if !is_wanted() {
        return;
    }
    for variable in VARIABLES.lock().iter_mut().filter(|it| it.device == number) {
        let Some(now) = host_bytes(&variable.host) else {
            continue;
        };
        for (at, (known, byte)) in variable.known.iter_mut().zip(now.iter()).enumerate() {
            if known != byte {
                device.outdated(DevicePtr(variable.address + at as u64), 1);
                // Once is enough.
                *known = *byte;
            }
        }
    }
}

/// The variable that has a device address.
pub fn at_device_address(address: u64) -> Option<(Note, String)> {
    let all = VARIABLES.lock();
    let found = all
        .iter()
        .find(|it| (it.address..it.address + it.known.len() as u64).contains(&address))?;
    let (name, bytes) = (&found.name, found.known.len());
    let note = Note {
        text: format!("in the `declare target` variable '{name}' ({bytes} bytes)"),
        location: None,
    };
    Some((note, name.clone()))
}
