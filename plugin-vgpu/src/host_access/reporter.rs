//! The thread that reports the host's accesses. To find lines and to print takes memory, locks and stack, which a
//! signal handler must not ask for: it writes what it knows into a pipe, and waits until that was reported.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use findings::{Finding, Kind, Severity};
use parking_lot::Mutex;
use plugin_api::{Error, Result};

use super::trace::{self, Trace};
use crate::checker::Checker;

/// Where the handler writes.
static PIPE: OnceLock<OwnedFd> = OnceLock::new();

/// How many accesses were told of, and how many of them the thread has dealt with.
static TOLD: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);

/// Accesses that were told of ([`Trace::key`]). A program repeats its mistakes.
static KNOWN: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];

/// What knows who has allocated the memory.
static CHECKERS: Mutex<Vec<Weak<Checker>>> = Mutex::new(Vec::new());

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

/// Starts the thread, once. `checker` knows memory.
pub fn start(checker: Weak<Checker>) -> Result<()> {
    let mut checkers = CHECKERS.lock();
    checkers.push(checker);
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
pub fn tell(address: u64, is_write: bool, pc: u64) {
    let Some(pipe) = PIPE.get() else {
        return;
    };
    let trace = Trace::of_fault(address, is_write, pc);
    if is_known(trace.key()) {
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
        report(&trace);
        DONE.fetch_add(1, Ordering::SeqCst);
    }
}

/// Reports an access, unless a run-time library made it: those may, on a virtual GPU.
fn report(trace: &Trace) {
    let frames = trace.frames.iter().take_while(|&&frame| frame != 0);
    let frames: Vec<_> = frames.map(|&frame| frame as usize).collect();
    let Some(location) = findings::place_in_program(&frames) else {
        return;
    };
    let does = if trace.is_write != 0 {
        "writes"
    } else {
        "reads"
    };
    let notes = CHECKERS
        .lock()
        .iter()
        .find_map(|it| it.upgrade()?.origins(trace.address));
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
