//! Plugins, devices, modules and kernels: the traits every backend implements.

use std::any::Any;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

use device_image::Image;

use crate::{Completion, Result, Stage, Stream};

/// An address in a device's own memory space. It is never a host pointer, even where the two
/// happen to be in one process (the virtual GPU).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DevicePtr(pub u64);

impl DevicePtr {
    /// The null device address.
    pub const NULL: DevicePtr = DevicePtr(0);

    /// The address `bytes` further on, wrapping like the hardware's address arithmetic.
    pub fn offset(self, bytes: i64) -> DevicePtr {
        DevicePtr(self.0.wrapping_add_signed(bytes))
    }
}

impl fmt::Debug for DevicePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// Where an allocation lives (`llvm_omp_target_alloc_{device,host,shared}`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Device memory: only kernels and explicit copies reach it.
    Device,
    /// Host memory that kernels can reach too; host and device address are the same number.
    Host,
    /// Memory both sides reach under the same address.
    Shared,
}

/// What a device is and how much of everything it has.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Name for people, e.g. `virtual GPU (2 SMs)`.
    pub name: String,
    /// Architecture as clang spells it (`sm_80`, `gfx90a`), empty when any image of the triple runs.
    pub arch: String,
    /// Multiprocessors: how many blocks make progress at once at least.
    pub multiprocessors: u32,
    /// Lanes per warp, unless a kernel says otherwise ([`KernelInfo::warp_size`]).
    pub warp_size: u32,
    /// Largest block, in threads.
    pub max_threads_per_block: u32,
    /// Largest grid, in blocks, per dimension.
    pub max_blocks: [u32; 3],
    /// Largest static plus dynamic shared memory of one block, in bytes.
    pub max_shared_memory: u32,
    /// Device memory in bytes.
    pub total_memory: u64,
    /// Ticks per second of the clock whose rate device code cannot know (AMD's `s_memrealtime`); 0 if the device has none or cannot tell.
    pub clock_frequency: u64,
    /// Most iterations of a distributed loop that a thread should have, if more teams are better than longer loops; 0 if the
    /// device only wants enough teams to be busy.
    pub max_iterations_per_thread: u32,
}

/// What a device has done since it was there, counted in ways that do not depend on how fast it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions that GPU threads have executed; 0 where they are not counted.
    pub instructions: u64,
    /// Times a multiprocessor went on with another GPU thread.
    pub switches: u64,
}

/// A device global of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its device address.
    pub address: DevicePtr,
    /// Its size in bytes.
    pub size: u64,
}

/// A kernel's parameter. Among the words of a launch ([`Launch::args`]) it has as many as it needs, after those of the
/// parameter before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where it begins in a C structure of all parameters, as kernel languages (CUDA) pass them.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

impl Parameter {
    /// The words it has.
    pub fn words(self) -> usize {
        self.size.div_ceil(8) as usize
    }
}

/// What the device knows of a loaded kernel.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// The kernel's symbol.
    pub name: String,
    /// Its parameters; empty if the device cannot know.
    pub parameters: Vec<Parameter>,
    /// Most threads a block of this kernel may have (launch bounds, register use).
    pub max_threads: u32,
    /// Lanes per warp in this kernel's image; it differs from the device's where that runs several dialects.
    pub warp_size: u32,
    /// Block size the kernel's dialect is compiled for when a program states none.
    pub default_threads: u32,
    /// Static shared memory, bytes.
    pub static_shared: u32,
}

/// Launch parameters.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks per dimension.
    pub grid: [u32; 3],
    /// Threads per block, per dimension.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, bytes.
    pub dynamic_shared: u32,
    /// The words of the kernel's parameters ([`Parameter`]). clang gives OpenMP kernels only pointers and integers of up to
    /// 64 bits: one word each.
    pub args: &'a [u64],
}

/// What the program asks of every image it loads.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// `requires unified_shared_memory`: kernels may follow host pointers.
    pub unified_shared_memory: bool,
}

/// What a device is to a runtime that a program may use beside OpenMP (OpenMP 5.2, 14.1; numbers and names of the "OpenMP
/// Additional Definitions").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The runtime's number.
    pub runtime: isize,
    /// Its name.
    pub name: &'static CStr,
    /// The device's number there.
    pub device: isize,
    /// Address of the context that the device is used in.
    pub context: usize,
}

/// A family of devices behind one driver.
pub trait Plugin: Send + Sync {
    /// Short name for messages: `cuda`, `amdgpu`, `vgpu`.
    fn name(&self) -> &'static str;
    /// The devices found, in a stable order. Finding none is not an error.
    fn devices(&self) -> Vec<Arc<dyn Device>>;
}

/// One device. Every method may be called from several host threads at once, and returns only
/// when the work is complete and visible to every thread; what is to be done in order while the
/// host goes on is enqueued on a [`Stream`].
pub trait Device: Any + Send + Sync {
    /// What the device is.
    fn info(&self) -> &DeviceInfo;
    /// Why [`Device::load`] cannot take this image (triple, architecture, kind), for the user: what the image is and what the
    /// device wants. `None`: it can be expected to take it.
    fn refusal(&self, image: &Image<'_>) -> Option<String>;
    /// Which of several images that it takes the device would rather have: the one with the lowest rank.
    fn rank(&self, _image: &Image<'_>) -> u32 {
        0
    }
    /// Loads an image: compiles it if it is bitcode, places its globals, runs its constructors.
    /// Dropping the module runs the destructors and frees its memory.
    fn load(&self, image: &Image<'_>, options: &LoadOptions) -> Result<Arc<dyn Module>>;
    /// Allocates `size` bytes aligned to at least 256. `size` 0 gives a distinct, valid address.
    fn alloc(&self, size: u64, kind: MemoryKind) -> Result<DevicePtr>;
    /// Frees what [`Device::alloc`] returned; anything else is [`crate::Error::InvalidFree`].
    fn free(&self, ptr: DevicePtr) -> Result<()>;
    /// Copies host to device.
    ///
    /// # Safety
    /// `src` is readable for `len` bytes.
    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()>;
    /// Copies device to host.
    ///
    /// # Safety
    /// `dst` is writable for `len` bytes.
    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()>;
    /// Copies within the device; the ranges may overlap.
    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()>;
    /// Copies from another device straight to this one. False: there is no such way between the two, and nothing was copied.
    fn copy_from(
        &self,
        _dst: DevicePtr,
        _source: &dyn Device,
        _src: DevicePtr,
        _len: usize,
    ) -> Result<bool> {
        Ok(false)
    }
    /// Sets `len` bytes to `byte`.
    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()>;
    /// A new stream. Whoever needs one often keeps it for the next time.
    fn stream(self: Arc<Self>, completion: Completion) -> Result<Box<dyn Stream>>;
    /// What it is to another runtime; `None`: there is no other.
    fn foreign(&self) -> Result<Option<Foreign>> {
        Ok(None)
    }
    /// What the kernels that have ended did; `None` from a device that does not count.
    fn counters(&self) -> Option<Counters> {
        None
    }
}

/// A loaded image.
pub trait Module: Send + Sync {
    /// The device global called `name`, if the image defines it.
    fn global(&self, name: &str) -> Option<Global>;
    /// Its device globals that may change.
    fn globals(&self) -> Vec<(String, Global)>;
    /// What loading it consisted of, in order; empty if the device does not say.
    fn stages(&self) -> &[Stage] {
        &[]
    }
    /// The kernel called `name`, if the image defines it.
    fn kernel(&self, name: &str) -> Option<Arc<dyn Kernel>>;
}

/// A kernel of a loaded image. `Any`, so that a stream finds its own device's kind of kernel again.
pub trait Kernel: Any + Send + Sync {
    /// What is known of it.
    fn info(&self) -> &KernelInfo;
    /// How many blocks of so many threads and so much dynamic shared memory a multiprocessor holds at a time; `None` where
    /// that is not what limits it.
    fn resident_blocks(&self, _threads: u32, _dynamic_shared: u32) -> Option<u32> {
        None
    }
    /// What a user may want to know of how the device runs such a launch.
    fn remark(&self, _launch: &Launch<'_>) -> Option<String> {
        None
    }
    /// Runs it to its end. A trap, wild access or deadlock is [`crate::Error::Fault`].
    fn launch(&self, launch: &Launch<'_>) -> Result<()>;
}
