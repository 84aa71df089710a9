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
    /// Whether blocks wait for each other.
    pub cooperative: bool,
    args: Arc<[u64]>,
    /// The program's handle of the kernel, or 0.
    pub function: usize,
    /// The addresses of the arguments, which stay as long as the launch.
    addresses: Arc<[usize]>,
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
            function: 0,
            addresses: Arc::default(),
        }
    }

    /// The same, of which the program may ask: with the kernel's handle.
    pub fn of_function(mut self, function: usize) -> OwnedLaunch {
        let mut word = 0;
        let mut addresses = Vec::new();
        for parameter in &self.kernel.info().parameters {
            addresses.push(self.args.as_ptr().wrapping_add(word) as usize);
            // Arguments begin with a word each (`launch`).
            word += (parameter.size as usize).div_ceil(8);
        }
        self.addresses = addresses.into();
        self.function = function;
        self
    }

    /// The list of the arguments' addresses.
    pub fn arguments(&self) -> *const *const u8 {
        self.addresses.as_ptr().cast()
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
