//! Errors that a device can report. Each says what happened. The front end adds where (the construct in the user's
//! source) and what to do.

use std::fmt;

use device_image::ImageError;

use crate::DevicePtr;

/// Result of a device operation.
pub type Result<T> = std::result::Result<T, Error>;

/// A device operation that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The device does not have this much memory left.
    #[error("out of device memory: {requested} bytes requested, {available} of {total} available")]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes free.
        available: u64,
        /// Bytes the device has.
        total: u64,
    },
    /// `free` of an address that `alloc` did not return, or that was freed already.
    #[error("{0:?} is not an allocated device address (freed twice?)")]
    InvalidFree(DevicePtr),
    /// A copy or fill that reaches beyond the device's allocations.
    #[error("{what} of {len} bytes at device address {address:?} leaves every allocation")]
    InvalidAccess {
        /// `copy to device`, `copy from device`, `fill`.
        what: &'static str,
        /// First address.
        address: DevicePtr,
        /// Bytes.
        len: u64,
    },
    /// A launch that the device cannot do.
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
    /// A driver refused something.
    #[error("{call} failed: {name}{}", parenthesis(.text))]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The driver's name of the error (`CUDA_ERROR_…`).
        name: String,
        /// The driver's description; empty if it has none.
        text: String,
        /// What the user can do.
        advice: &'static str,
    },
    /// An earlier kernel ended in a way that the device does not survive.
    #[error("the device is lost since an earlier failure: {cause}")]
    Lost {
        /// The earlier failure.
        cause: String,
    },
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// The system's error.
        source: std::io::Error,
    },
}

fn parenthesis(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!(" ({text})"),
    }
}

/// A place in the user's source, from debug information.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// A GPU thread, as far as it is known which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadId {
    /// Block index in the grid.
    pub block: [u32; 3],
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
    /// It is one of the threads from `thread` to this one; both are the same if it is known which.
    pub last: [u32; 3],
    /// Threads of a block.
    pub block_size: [u32; 3],
}

/// A block is an OpenMP team. Where the grid or the block extends along only one dimension, the message gives the index
/// along it. Which dimension it is means nothing to the user: generic and SPMD mode differ in it.
impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match linear(self.block, self.grid) {
            Ok(team) => write!(f, "team {team}, ")?,
            Err([x, y, z]) => write!(f, "block ({x},{y},{z}), ")?,
        }
        let name = |thread| match linear(thread, self.block_size) {
            Ok(thread) => thread.to_string(),
            Err([x, y, z]) => format!("({x},{y},{z})"),
        };
        let (first, last) = (name(self.thread), name(self.last));
        match self.thread == self.last {
            true => write!(f, "thread {first} of its block"),
            false => write!(f, "one of threads {first} to {last} of its block"),
        }
    }
}

/// The index along the only dimension in which `size` extends; `index` itself if there are several such dimensions.
fn linear(index: [u32; 3], size: [u32; 3]) -> std::result::Result<u32, [u32; 3]> {
    let dimensions = size.iter().filter(|&&count| count > 1).count();
    if dimensions > 1 {
        return Err(index);
    }
    let [x, y, z] = index;
    Ok(x.max(y).max(z))
}

/// How a kernel ended abnormally.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The device code trapped on purpose: a failed device assertion or a device-runtime check.
    #[error("trap{}", after_colon(.message))]
    Trap {
        /// The reason that the device runtime left; empty for a bare trap.
        message: String,
    },
    /// An access to an address outside the device's memory space, or inside it but not allocated.
    #[error("{} {address:#x}, which is not mapped on the device", access(*.write))]
    WildAccess {
        /// The address.
        address: u64,
        /// Whether it was a store.
        write: bool,
    },
    /// The same, on a device that says only which page it was.
    #[error("access to the page at {page:#x}, which is not mapped on the device")]
    WildPage {
        /// The page's address.
        page: u64,
    },
    /// The same, on a device that does not say which address it was.
    #[error("access to an address that is not mapped on the device")]
    IllegalAddress,
    /// Integer division by zero or overflow.
    #[error("integer division by zero or overflow")]
    Arithmetic,
    /// A thread ran out of its stack (GPU local memory).
    #[error("stack overflow in a device thread")]
    StackOverflow,
    /// Every live thread of the block waits, so none of them can go on.
    #[error("deadlock: every thread of the block waits")]
    Deadlock,
    /// Anything else the processor refused (an illegal instruction, say).
    #[error("{0}")]
    Other(String),
}

fn after_colon(message: &str) -> String {
    match message {
        "" => String::new(),
        message => format!(": {message}"),
    }
}

fn access(write: bool) -> &'static str {
    if write { "store to" } else { "load from" }
}

/// A group of threads that wait at one place, for reports of deadlocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What they wait at: `barrier 1 (64 of 96 arrived)`, `shfl.sync mask 0xffffffff`.
    pub at: String,
    /// Linear thread indices within the block, as ranges: `0-31, 40`.
    pub threads: String,
    /// The place in the source, if known.
    pub location: Option<SourceLocation>,
}

/// A kernel that ended abnormally: the reason, and everything known about the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct KernelFault {
    /// Kernel symbol.
    pub kernel: String,
    /// Why.
    pub kind: FaultKind,
    /// The thread at fault (for a deadlock, the first that waits), if the device says which.
    pub thread: Option<ThreadId>,
    /// Its place in the source, if the image has debug information.
    pub location: Option<SourceLocation>,
    /// For a deadlock: which threads wait where.
    pub waiting: Vec<Waiting>,
}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        write!(f, "\n  kernel {}", self.kernel)?;
        if let Some(thread) = &self.thread {
            write!(f, ", {thread}")?;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(block: [u32; 3], grid: [u32; 3], thread: [u32; 3], block_size: [u32; 3]) -> String {
        let id = ThreadId {
            block,
            grid,
            thread,
            last: thread,
            block_size,
        };
        id.to_string()
    }

    #[test]
    fn one_of_several_threads() {
        let id = |last, block_size| ThreadId {
            block: [1, 0, 0],
            grid: [2, 1, 1],
            thread: [32, 0, 0],
            last,
            block_size,
        };
        assert_eq!(
            id([63, 0, 0], [64, 1, 1]).to_string(),
            "team 1, one of threads 32 to 63 of its block"
        );
        assert_eq!(
            id([63, 0, 0], [64, 2, 1]).to_string(),
            "team 1, one of threads (32,0,0) to (63,0,0) of its block"
        );
    }

    #[test]
    fn threads_have_numbers_where_one_dimension_is_in_use() {
        assert_eq!(
            text([3, 0, 0], [8, 1, 1], [0, 128, 0], [1, 160, 1]),
            "team 3, thread 128 of its block"
        );
        assert_eq!(
            text([0; 3], [1; 3], [35, 0, 0], [64, 1, 1]),
            "team 0, thread 35 of its block"
        );
        // The thread has one coordinate that is not 0, but its number is 96.
        assert_eq!(
            text([0, 2, 0], [4, 4, 1], [0, 3, 0], [32, 8, 1]),
            "block (0,2,0), thread (0,3,0) of its block"
        );
    }
}
