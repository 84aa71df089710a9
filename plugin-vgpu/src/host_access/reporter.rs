//! The thread that reports the host's accesses. To find lines and to print takes memory, locks and stack, which a
//! signal handler must not ask for: it writes what it knows into a pipe, and waits until that was reported.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use findings::{Finding, Finished, Kind, Severity};
use parking_lot::Mutex;
use plugin_api::{Error, Result, SourceLocation};
use vgpu_abi::AccessKind;

use super::trace::{self, Trace};
use crate::checker::Checker;
use crate::machine::Machine;

/// Where the handler writes.
static PIPE: OnceLock<OwnedFd> = OnceLock::new();

/// How many accesses were told of, and how many of them the thread has dealt with.
static TOLD: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);

/// Accesses that were told of ([`Trace::key`]). A program repeats its mistakes.
static KNOWN: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];

/// The devices.
static WATCHERS: Mutex<Vec<Watcher>> = Mutex::new(Vec::new());

/// What of a device has to do with accesses.
pub struct Watcher {
    /// What knows who has allocated memory, and what kernels did with it.
    pub checker: Weak<Checker>,
    /// What runs the kernels.
    pub machine: Weak<Machine>,
}

/// How often the handler looks whether its access was reported, and how long it waits between.
const LOOKS: u32 = 2000;
const PAUSE: Duration = Duration::from_micros(500);

const TRACE_BYTES: usize = size_of::<Trace>();

fn failed(source: std::io::Error) -> Error {
    Error::System {
        what: "looking for the host's accesses to device memory".into(),
        source,
    }
}

/// Starts the thread, once.
pub fn start(watcher: Watcher) -> Result<()> {
    let mut watchers = WATCHERS.lock();
    watchers.push(watcher);
    if PIPE.get().is_some() {
        return Ok(());
    }
    trace::prepare();
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let reader = File::from(OwnedFd::from(reader));
    let thread = std::thread::Builder::new().name("host accesses".into());
    thread.spawn(move || report_all(reader)).map_err(failed)?;
    // The lock makes this the first time.
    PIPE.get_or_init(|| writer.into());
    Ok(())
}

/// For the signal handler: has an access reported, and waits for that. It waits for a second at most: the thread may
/// want a lock that the handler's thread has.
pub fn tell(trace: Trace) {
    let Some(pipe) = PIPE.get() else {
        return;
    };
    // What the host shares it may access, but not at any time.
    if trace.is_host_shared == 0 && is_known(trace.key()) {
        return;
    }
    let number = TOLD.fetch_add(1, Ordering::SeqCst) + 1;
    // SAFETY: the structure has no gaps: words only.
    let bytes = unsafe { std::slice::from_raw_parts((&raw const trace).cast::<u8>(), TRACE_BYTES) };
    // Less than a pipe writes at once, so whole. A pipe without a reader has nobody who could be told.
    if rustix::io::write(pipe.as_fd(), bytes) != Ok(TRACE_BYTES) {
        return;
    }
    for _ in 0..LOOKS {
        if DONE.load(Ordering::SeqCst) >= number {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether an access was told of before. If not, it is now. Where the table is full, it was.
fn is_known(key: u64) -> bool {
    let len = KNOWN.len();
    for probe in 0..len {
        let slot = &KNOWN[(key as usize).wrapping_add(probe) % len];
        match slot.compare_exchange(0, key, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return false,
            Err(other) if other == key => return true,
            Err(_) => {}
        }
    }
    true
}

/// The thread.
fn report_all(mut pipe: File) {
    let mut bytes = [0; TRACE_BYTES];
    // The other end stays open as long as the process lives.
    while pipe.read_exact(&mut bytes).is_ok() {
        // SAFETY: any words are such a structure.
        let trace: Trace = unsafe { std::mem::transmute(bytes) };
        match trace.is_host_shared {
            0 => report(&trace),
            _ => compare(trace),
        }
        DONE.fetch_add(1, Ordering::SeqCst);
    }
}

/// Where in the program an access was made. `None`: a run-time library made it.
fn place(trace: &Trace) -> Option<Option<SourceLocation>> {
    let frames = trace.frames.iter().take_while(|&&frame| frame != 0);
    let frames: Vec<_> = frames.map(|&frame| frame as usize).collect();
    findings::place_in_program(&frames)
}

/// Compares an access to memory of host and device with what kernels and copies did there.
fn compare(mut trace: Trace) {
    let clock = trace.take_clock();
    let Some(location) = place(&trace) else {
        return;
    };
    let known = match &clock {
        Some(clock) => clock.known(),
        // The thread waits, and all threads without a task have one clock.
        None => findings::known_to_host(),
    };
    let kind = match trace.is_write {
        0 => AccessKind::READ,
        _ => AccessKind::WRITE,
    };
    let watchers = WATCHERS.lock();
    let mut watchers = watchers.iter().filter_map(|it| {
        let checker = it.checker.upgrade()?;
        let is_its = checker.origins(trace.address).is_some();
        Some((checker, it.machine.upgrade()?)).filter(|_| is_its)
    });
    let Some((checker, machine)) = watchers.next() else {
        return;
    };
    let Some(work) = checker.accessed_by_host(trace.address, kind, location, known) else {
        return;
    };
    machine.note_transfer();
    let mut done = Finished::default();
    done.add(work);
    match clock {
        Some(clock) => clock.join(&done),
        None => findings::host_learns(&done),
    }
}

/// Reports an access, unless a run-time library made it: those may, on a virtual GPU.
fn report(trace: &Trace) {
    let Some(location) = place(trace) else {
        return;
    };
    let does = if trace.is_write != 0 {
        "writes"
    } else {
        "reads"
    };
    let notes = WATCHERS
        .lock()
        .iter()
        .find_map(|it| it.checker.upgrade()?.origins(trace.address));
    findings::report(Finding {
        location,
        address: Some(trace.address),
        notes: notes.unwrap_or_default(),
        hint: Some(
            "no GPU allows that: copy it, with omp_target_memcpy, cudaMemcpy and their like, or use it in a kernel"
                .into(),
        ),
        ..Finding::new(Kind::Host, Severity::Error, format!("the host's own code {does} device memory"))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_new_once() {
        assert!(!is_known(1 << 40) && is_known(1 << 40));
        assert!(!is_known(1 << 41) && is_known(1 << 40));
    }
}
