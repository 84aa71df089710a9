//! The file that has the device memory which other processes may map: a file in memory as long as the window, in which
//! each chunk lies at its own offset. It takes memory for what is in it.
//!
//! It is sealed: nobody can shrink it under a kernel. [Decision
//! 0106](../../docs/decisions/0106-memory-moves-into-a-file.md) says why there is one for all.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use plugin_api::{Error, Result};
use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use rustix::io::Errno;
use vgpu_abi::WINDOW_SHIFT;

use crate::arena::Span;
use crate::window;

fn failed(errno: Errno) -> Error {
    Error::System {
        what: "making device memory that other processes can map".into(),
        source: errno.into(),
    }
}

fn make() -> std::result::Result<OwnedFd, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = rustix::fs::memfd_create(c"omptarget device window", flags)?;
    rustix::fs::ftruncate(&file, 1 << WINDOW_SHIFT)?;
    rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW)?;
    Ok(file)
}

/// The file.
pub fn file() -> Result<BorrowedFd<'static>> {
    static FILE: OnceLock<std::result::Result<OwnedFd, Errno>> = OnceLock::new();
    match FILE.get_or_init(make) {
        Ok(file) => Ok(file.as_fd()),
        Err(errno) => Err(failed(*errno)),
    }
}

/// Where an address of the window is in it.
pub fn offset(address: u64) -> Result<u64> {
    Ok(address - (window::index()? << WINDOW_SHIFT))
}

/// Writes memory of the window into it.
pub fn fill(span: Span) -> Result<()> {
    let file = file()?;
    let begin = offset(span.start)?;
    // SAFETY: the span is accessible device memory (caller), which the call only reads.
    let bytes = unsafe { std::slice::from_raw_parts(span.start as *const u8, span.len as usize) };
    let mut written = 0;
    while written < bytes.len() {
        match rustix::io::pwrite(file, &bytes[written..], begin + written as u64) {
            Ok(0) => return Err(failed(Errno::NOSPC)),
            Ok(count) => written += count,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(failed(errno)),
        }
    }
    Ok(())
}

/// Gives the memory of a part back.
pub fn empty(span: Span) -> Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(file()?, flags, offset(span.start)?, span.len).map_err(failed)
}
