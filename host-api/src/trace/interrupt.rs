//! A program that is interrupted (Control-C, or a batch system's time limit) still writes its summary and its timeline.
//!
//! Only where one of them was asked for, and where the program leaves the signal's action as it is. A thread does the
//! work, because a signal handler may not; then the signal ends the process as it would have.

use std::io::{PipeReader, Read};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicI32, Ordering};

/// The signals by which people and batch systems end programs.
const SIGNALS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// Where the handler writes the signal's number: an end of a pipe that is never closed. -1: nowhere.
static PIPE: AtomicI32 = AtomicI32::new(-1);
/// The process that watches. Children that it forks have the handler, but not the thread.
static WATCHING: AtomicI32 = AtomicI32::new(0);

/// From now on, calls `last` before a signal ends the process.
pub(super) fn watch(last: fn()) -> std::io::Result<()> {
    let (reader, writer) = std::io::pipe()?;
    let thread = std::thread::Builder::new().name("omptarget-interrupt".into());
    thread.spawn(move || wait(reader, last))?;
    PIPE.store(writer.as_raw_fd(), Ordering::Relaxed);
    std::mem::forget(writer);
    // SAFETY: getpid has no preconditions.
    WATCHING.store(unsafe { libc::getpid() }, Ordering::Release);
    SIGNALS.into_iter().for_each(handle);
    Ok(())
}

/// Installs the handler, unless the program handles or ignores the signal.
fn handle(signal: libc::c_int) {
    // SAFETY: all-zero is a valid `sigaction`; both structures outlive the calls.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_DFL
        {
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    // SAFETY: `getpid`, `write` and `__errno_location` may be called in signal handlers (signal-safety(7)); a pipe
    // takes four bytes at once.
    unsafe {
        if libc::getpid() != WATCHING.load(Ordering::Acquire) {
            return end_by(signal);
        }
        let errno = *libc::__errno_location();
        let bytes = signal.to_ne_bytes();
        let written = libc::write(
            PIPE.load(Ordering::Relaxed),
            bytes.as_ptr().cast(),
            bytes.len(),
        );
        *libc::__errno_location() = errno;
        if written < 0 {
            end_by(signal);
        }
    }
}

/// Gives the signal its usual effect, as soon as it is not blocked.
fn end_by(signal: libc::c_int) {
    // SAFETY: both may be called in signal handlers.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
    }
}

/// The thread.
fn wait(mut reader: PipeReader, last: fn()) {
    let mut bytes = [0; 4];
    while reader.read_exact(&mut bytes).is_ok() {
        last();
        end_by(libc::c_int::from_ne_bytes(bytes));
    }
}
