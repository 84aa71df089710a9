//! Device memory that routines have allocated.

use std::collections::BTreeMap;

use findings::{Finding, Note};
use parking_lot::Mutex;

use crate::check::misuse::warning;
use crate::check::wanted;

struct Allocation {
    size: u64,
    origin: Option<Note>,
}

static ALLOCATIONS: Mutex<BTreeMap<u64, Allocation>> = Mutex::new(BTreeMap::new());

/// The calling thread's routine has allocated `size` bytes at a device address.
pub fn allocated(address: u64, size: u64) {
    if wanted().host {
        let origin = findings::current_origin();
        ALLOCATIONS
            .lock()
            .insert(address, Allocation { size, origin });
    }
}

/// It was freed.
pub fn freed(address: u64) {
    if wanted().host {
        ALLOCATIONS.lock().remove(&address);
    }
}

/// Who allocated the memory that an address lies in, if a routine did.
pub fn origin_of(address: u64) -> Option<Note> {
    let allocations = ALLOCATIONS.lock();
    let (begin, found) = allocations.range(..=address).next_back()?;
    (address - begin < found.size).then(|| allocated_by(found))
}

fn allocated_by(allocation: &Allocation) -> Note {
    let origin = allocation.origin.clone();
    let routine = origin.as_ref().map_or("a routine", |origin| &origin.text);
    Note {
        text: format!("{} bytes, allocated by {routine}", allocation.size),
        location: origin.and_then(|origin| origin.location),
    }
}

/// Reports what was never freed.
pub fn report_leaks() {
    for allocation in std::mem::take(&mut *ALLOCATIONS.lock()).into_values() {
        let bytes = allocation.size;
        findings::report(Finding {
            size: bytes,
            location: allocation
                .origin
                .as_ref()
                .and_then(|origin| origin.location.clone()),
            notes: vec![allocated_by(&allocation)],
            hint: Some("omp_target_free gives it back".into()),
            ..warning(format!("{bytes} bytes of device memory are never freed"))
        });
    }
}
