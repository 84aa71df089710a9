//! One operation of a node: what a stream is asked for, kept so that it can be asked again.

use std::sync::Arc;

use plugin_api::{DevicePtr, Kernel, Launch, Result, Stream};

/// A function of the host that can be called several times.
pub type HostCall = Arc<dyn Fn() + Send + Sync>;

/// A launch that keeps its arguments.
#[derive(Clone)]
pub struct OwnedLaunch {
    /// The kernel.
    pub kernel: Arc<dyn Kernel>,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    cooperative: bool,
    args: Arc<[u64]>,
}

impl OwnedLaunch {
    /// Keeps a launch.
    pub fn new(kernel: &Arc<dyn Kernel>, launch: &Launch<'_>) -> OwnedLaunch {
        OwnedLaunch {
            kernel: kernel.clone(),
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.dynamic_shared,
            cooperative: launch.cooperative,
            args: launch.args.into(),
        }
    }

    /// The launch.
    pub fn get(&self) -> Launch<'_> {
        Launch {
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.dynamic_shared,
            cooperative: self.cooperative,
            args: &self.args,
        }
    }
}

/// An operation of a stream. Host memory is given by its address, which the program keeps valid.
#[derive(Clone)]
pub enum Operation {
    /// Host to device.
    Write(DevicePtr, usize, usize),
    /// Bytes to the device.
    WriteCopied(DevicePtr, Arc<[u8]>),
    /// Device to host.
    Read(usize, DevicePtr, usize),
    /// Within the device.
    Copy(DevicePtr, DevicePtr, usize),
    /// Sets bytes.
    Fill(DevicePtr, u8, usize),
    /// Launches a kernel.
    Launch(OwnedLaunch),
    /// Calls a function of the host.
    Call(HostCall),
}

impl Operation {
    /// Enqueues it.
    ///
    /// # Safety
    /// Its host memory is valid until the stream has passed it.
    pub unsafe fn enqueue(&self, stream: &dyn Stream) -> Result<()> {
        match self {
            // SAFETY: caller.
            Operation::Write(to, from, len) => unsafe {
                stream.write(*to, *from as *const u8, *len)
            },
            Operation::WriteCopied(to, bytes) => stream.write_copied(*to, bytes),
            // SAFETY: caller.
            Operation::Read(to, from, len) => unsafe { stream.read(*to as *mut u8, *from, *len) },
            Operation::Copy(to, from, len) => stream.copy(*to, *from, *len),
            Operation::Fill(to, byte, len) => stream.fill(*to, *byte, *len),
            Operation::Launch(launch) => stream.launch(&launch.kernel, &launch.get()),
            Operation::Call(function) => {
                let function = function.clone();
                stream.call(Box::new(move || function()))
            }
        }
    }
}
