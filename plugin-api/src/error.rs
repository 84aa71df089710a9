//! Errors a device can report. Each says what happened; the host runtime adds where (the construct
//! in the user's source) and what to do.

use std::fmt;

use crate::{DevicePtr, ImageError};

/// Result of a device operation.
pub type Result<T> = std::result::Result<T, Error>;

/// A device operation that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The device has not this much memory left.
    #[error("out of device memory: {requested} bytes requested, {available} of {total} available")]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes free.
        available: u64,
        /// Bytes the device has.
        total: u64,
    },
    /// `free` of something `alloc` did not return, or returned and freed already.
    #[error("{0:?} is not an allocated device address (freed twice?)")]
    InvalidFree(DevicePtr),
    /// A copy or fill that leaves the allocations of the device.
    #[error("{what} of {len} bytes at device address {address:?} leaves every allocation")]
    InvalidAccess {
        /// `copy to device`, `copy from device`, `fill`.
        what: &'static str,
        /// First address.
        address: DevicePtr,
        /// Bytes.
        len: u64,
    },
    /// A launch the device cannot do.
    #[error("kernel {kernel} cannot be launched: {why}")]
    InvalidLaunch {
        /// Kernel symbol.
        kernel: String,
        /// Which limit, its value, and the value asked for.
        why: String,
    },
    /// The image is malformed.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The image is well-formed but cannot be compiled or loaded.
    #[error("device image cannot be loaded: {0}")]
    Load(String),
    /// The kernel ended abnormally.
    #[error(transparent)]
    Fault(Box<KernelFault>),
    /// The operating system or a driver refused something.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

/// A place in the user's source, from debug information.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLocation {
    /// File as the compiler recorded it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// Function, empty when unknown.
    pub function: String,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column != 0 {
            write!(f, ":{}", self.column)?;
        }
        if !self.function.is_empty() {
            write!(f, " in {}", self.function)?;
        }
        Ok(())
    }
}

/// Which GPU thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadId {
    /// Block index in the grid.
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(f, "block ({bx},{by},{bz}) thread ({tx},{ty},{tz})")
    }
}

/// How a kernel ended abnormally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The device code trapped on purpose: a failed device assertion or a device-runtime check.
    Trap {
        /// What the device runtime left as reason; empty for a bare trap.
        message: String,
    },
    /// An address outside the device's memory space, or inside it but not allocated.
    WildAccess {
        /// The address.
        address: u64,
        /// Whether it was a store.
        write: bool,
    },
    /// Integer division by zero or overflow.
    Arithmetic,
    /// A thread ran out of its stack (GPU local memory).
    StackOverflow,
    /// Every live thread of the block waits, so none can ever go on.
    Deadlock,
    /// Anything else the host CPU refused (an illegal instruction, say).
    Other(String),
}

/// A group of threads that wait at one place, for the deadlock report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// At what: `barrier 1 (64 of 96 arrived)`, `shfl.sync mask 0xffffffff`.
    pub at: String,
    /// Linear thread indices within the block, as ranges: `0-31, 40`.
    pub threads: String,
    /// Where in the source, if known.
    pub location: Option<SourceLocation>,
}

/// A kernel that ended abnormally: the reason and everything known of where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFault {
    /// Kernel symbol.
    pub kernel: String,
    /// Why.
    pub kind: FaultKind,
    /// The thread at fault (for a deadlock: the first that waits).
    pub thread: ThreadId,
    /// Its place in the source, if the image has debug information.
    pub location: Option<SourceLocation>,
    /// For a deadlock: who waits where.
    pub waiting: Vec<Waiting>,
}

impl std::error::Error for KernelFault {}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::Trap { message } if message.is_empty() => write!(f, "trap")?,
            FaultKind::Trap { message } => write!(f, "trap: {message}")?,
            FaultKind::WildAccess { address, write } => {
                let verb = if *write { "store to" } else { "load from" };
                write!(f, "{verb} {address:#x}, which is not mapped on the device")?;
            }
            FaultKind::Arithmetic => write!(f, "integer division by zero or overflow")?,
            FaultKind::StackOverflow => write!(f, "stack overflow in a device thread")?,
            FaultKind::Deadlock => write!(f, "deadlock: every thread of the block waits")?,
            FaultKind::Other(what) => write!(f, "{what}")?,
        }
        write!(f, "\n  kernel {}, {}", self.kernel, self.thread)?;
        if let Some(location) = &self.location {
            write!(f, "\n  at {location}")?;
        }
        for group in &self.waiting {
            write!(f, "\n  waiting at {}: threads {}", group.at, group.threads)?;
            if let Some(location) = &group.location {
                write!(f, "\n    at {location}")?;
            }
        }
        Ok(())
    }
}
