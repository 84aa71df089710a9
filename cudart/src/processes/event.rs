//! Events that several processes record and wait for: a page that they share counts.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::MemfdFlags;
use rustix::mm::{MapFlags, ProtFlags};

use super::{Handle, Kind, SEALS};
use crate::error::{Code, Result, report};

/// The page.
#[repr(C)]
struct Counts {
    /// How often the event was recorded.
    recorded: AtomicU32,
    /// The latest record that its stream has passed.
    passed: AtomicU32,
    /// The process that recorded it last.
    process: AtomicU32,
}

/// Bytes that are mapped.
const PAGE: usize = 4096;
/// How long a process waits before it looks whether the other one is still there.
static LOOK: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// An event of several processes.
pub struct SharedEvent {
    file: OwnedFd,
    counts: *const Counts,
}

// SAFETY: the page has atomic numbers alone, and stays mapped as long as this is there.
unsafe impl Send for SharedEvent {}
// SAFETY: the same.
unsafe impl Sync for SharedEvent {}

/// A record of an event.
#[derive(Clone, Copy)]
pub struct Record(u32);

impl SharedEvent {
    /// An event that nothing has recorded.
    pub fn new() -> Result<Arc<SharedEvent>> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create(c"omptarget event", flags);
        let file = file.map_err(|_| Code::OPERATING_SYSTEM)?;
        let sized = rustix::fs::ftruncate(&file, PAGE as u64);
        let sealed = sized.and_then(|()| rustix::fs::fcntl_add_seals(&file, SEALS));
        sealed.map_err(|_| Code::OPERATING_SYSTEM)?;
        SharedEvent::map(file)
    }

    fn map(file: OwnedFd) -> Result<Arc<SharedEvent>> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the system chooses the address. The file has the size, and never shrinks.
        let page = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                PAGE,
                protection,
                MapFlags::SHARED,
                &file,
                0,
            )
        };
        let counts = page
            .map_err(|_| Code::OPERATING_SYSTEM)?
            .cast_const()
            .cast();
        Ok(Arc::new(SharedEvent { file, counts }))
    }

    /// A handle for other processes.
    pub fn handle(&self) -> Result<Handle> {
        Handle::of(Kind::EVENT, self.file.as_fd(), [0; 5])
    }

    /// The event of a handle.
    pub fn open(handle: &Handle) -> Result<Arc<SharedEvent>> {
        let file = handle.open(Kind::EVENT)?;
        let stat = rustix::fs::fstat(&file).map_err(|_| Code::INVALID_HANDLE)?;
        match stat.st_size == PAGE as i64 {
            true => SharedEvent::map(file),
            false => Err(Code::INVALID_VALUE),
        }
    }

    fn counts(&self) -> &Counts {
        // SAFETY: the page is mapped as long as this is there.
        unsafe { &*self.counts }
    }

    /// Notes that a stream of this process will pass the event.
    pub fn record(&self) -> Record {
        let counts = self.counts();
        counts.process.store(std::process::id(), Ordering::Release);
        Record(counts.recorded.fetch_add(1, Ordering::AcqRel) + 1)
    }

    /// Notes that the stream has passed it.
    pub fn pass(&self, record: Record) {
        let counts = self.counts();
        let later = |known: u32| is_later(record.0, known).then_some(record.0);
        // An earlier record, of another stream, changes nothing.
        let _ = counts
            .passed
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, later);
        // SAFETY: the number is valid. Nobody may be waiting.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                &raw const counts.passed,
                libc::FUTEX_WAKE,
                i32::MAX,
            );
        }
    }

    /// Whether this process recorded it last.
    pub fn is_own(&self) -> bool {
        self.counts().process.load(Ordering::Acquire) == std::process::id()
    }

    /// The latest record.
    pub fn latest(&self) -> Record {
        Record(self.counts().recorded.load(Ordering::Acquire))
    }

    /// Whether a stream has passed a record.
    pub fn has_passed(&self, record: Record) -> bool {
        !is_later(record.0, self.counts().passed.load(Ordering::Acquire))
    }

    /// Waits until a stream has passed a record. A process that has ended passes nothing any more: its records count as
    /// passed.
    pub fn wait(&self, record: Record) {
        let counts = self.counts();
        loop {
            let passed = counts.passed.load(Ordering::Acquire);
            if !is_later(record.0, passed) {
                return;
            }
            // SAFETY: the number and the time are valid.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    &raw const counts.passed,
                    libc::FUTEX_WAIT,
                    passed,
                    &raw const LOOK,
                );
            }
            let process = counts.process.load(Ordering::Acquire);
            if !is_running(process) && !self.has_passed(record) {
                let what = format!("process {process} has ended, which had recorded an event");
                return report("an event of another process", &what);
            }
        }
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        // SAFETY: the page is this event's, and nothing uses it any more.
        let _mapped = unsafe { rustix::mm::munmap(self.counts.cast_mut().cast(), PAGE) };
    }
}

/// Whether a record is later than another one. The numbers begin anew after 2³².
fn is_later(record: u32, other: u32) -> bool {
    (record.wrapping_sub(other) as i32) > 0
}

fn is_running(process: u32) -> bool {
    // SAFETY: asks only.
    let there = unsafe { libc::kill(process as libc::pid_t, 0) } == 0;
    there || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_passed_by_its_latest_record() {
        let event = SharedEvent::new().unwrap();
        assert!(event.has_passed(event.latest()));
        let first = event.record();
        let second = event.record();
        let other = SharedEvent::open(&event.handle().unwrap()).unwrap();
        assert!(!other.has_passed(other.latest()));
        other.pass(first);
        assert!(event.has_passed(first) && !event.has_passed(second));
        std::thread::scope(|scope| {
            scope.spawn(|| other.pass(second));
            event.wait(event.latest());
        });
        assert!(event.has_passed(second));
        event.pass(first);
        assert!(event.has_passed(second));
    }

    #[test]
    fn other_bytes_are_no_handle() {
        let mut handle = SharedEvent::new().unwrap().handle().unwrap();
        assert!(SharedEvent::open(&handle).is_err(), "its file is gone");
        handle.kind = Kind::MEMORY;
        assert_eq!(SharedEvent::open(&handle).err(), Some(Code::INVALID_VALUE));
    }
}
