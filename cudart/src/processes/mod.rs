//! Memory and events that other processes use (CUDA's IPC): a handle says which file of which process has them.

pub mod event;
pub mod memory;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, SealFlags};

use crate::error::{Code, Result};

/// The 64 bytes of a handle, which a program gives to another one in whatever way.
#[repr(C, align(8))]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    /// What it is a handle of.
    kind: Kind,
    /// The process that has the file.
    process: u32,
    /// The file's descriptor there.
    descriptor: i32,
    /// The file's number, as a descriptor may have come to mean another file.
    inode: u64,
    /// What else there is to know.
    pub rest: [u64; 5],
}

/// What a handle is of, in numbers that other bytes do not have by chance.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kind(u64);

impl Kind {
    /// Memory.
    pub const MEMORY: Kind = Kind(0x6f6d_7074_4d45_4d31);
    /// An event.
    pub const EVENT: Kind = Kind(0x6f6d_7074_4556_4e31);
}

/// The size that CUDA's handles have.
const _: () = assert!(size_of::<Handle>() == 64);

/// What no process can do to the files.
pub const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW);

impl Handle {
    /// A handle of something in a file of this process.
    pub fn of(kind: Kind, file: BorrowedFd<'_>, rest: [u64; 5]) -> Result<Handle> {
        let stat = rustix::fs::fstat(file).map_err(|_| Code::OPERATING_SYSTEM)?;
        Ok(Handle {
            kind,
            process: std::process::id(),
            descriptor: file.as_raw_fd(),
            inode: stat.st_ino,
            rest,
        })
    }

    /// Whether it is of this process.
    pub fn is_own(&self) -> bool {
        self.process == std::process::id()
    }

    /// The file of a handle that this process has got. The other process must still have it, and be the same user's.
    pub fn open(&self, kind: Kind) -> Result<OwnedFd> {
        if self.kind != kind {
            return Err(Code::INVALID_VALUE);
        }
        let path = format!("/proc/{}/fd/{}", self.process, self.descriptor);
        let file = rustix::fs::open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
        let file = file.map_err(|_| Code::INVALID_HANDLE)?;
        let stat = rustix::fs::fstat(&file).map_err(|_| Code::INVALID_HANDLE)?;
        let seals = rustix::fs::fcntl_get_seals(file.as_fd()).map_err(|_| Code::INVALID_HANDLE)?;
        match stat.st_ino == self.inode && seals.contains(SEALS) {
            true => Ok(file),
            false => Err(Code::INVALID_HANDLE),
        }
    }
}
