//! Plugins, devices, modules and kernels: the traits that every plugin implements.

use std::any::Any;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

use device_image::Image;

use crate::{AddressSpace, Completion, Result, SharedMemory, Stage, Stream};

/// An address in a device's own memory space. It is never a host pointer, even where both lie in one process (the
/// virtual GPU).
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

/// What a device is, and its limits.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Name for people, e.g. `virtual GPU (2 SMs)`.
    pub name: String,
    /// Architecture as clang spells it (`sm_80`, `gfx90a`), empty when any image of the triple runs.
    pub arch: String,
    /// Multiprocessors. At least so many blocks make progress at once.
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
    /// Ticks per second of the clock whose rate device code cannot know (AMD's `s_memrealtime`). 0 if the device has no
    /// such clock, or does not know its rate.
    pub clock_frequency: u64,
    /// Most iterations of a distributed loop that one thread should get, on a device where more teams are better than
    /// longer loops. 0 on a device that only wants enough teams to be busy.
    pub max_iterations_per_thread: u32,
    /// The same for a loop of which a warp gets consecutive iterations.
    pub max_iterations_in_rows: u32,
    /// In a reduction across teams each team leaves its value in a record of its own, however many teams there are
    /// (docs/abi.md, section 4).
    pub record_per_team: bool,
    /// Kernels run on threads of the device's own on the host's CPUs, beside those of the host's OpenMP.
    pub shares_cpus: bool,
}

/// What a device has done since it exists, in counts that do not depend on its speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions that GPU threads have executed; 0 where they are not counted.
    pub instructions: u64,
    /// How often a multiprocessor switched to another GPU thread.
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

/// A kernel's parameter. It takes as many of the words of a launch ([`Launch::args`]) as it needs, after those of the
/// parameter before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its offset in a C structure of all parameters, as kernel languages (CUDA) pass them.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

impl Parameter {
    /// How many words it takes.
    pub fn words(self) -> usize {
        self.size.div_ceil(8) as usize
    }
}

/// What a program declares of a kernel's blocks. Launches of others are mistakes of the program's, whatever the device
/// could do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaunchBound {
    /// Nothing, or the device does not tell it from its own limits.
    #[default]
    None,
    /// So many threads at most (`__launch_bounds__`, `.maxntid`).
    AtMost(u32),
    /// Blocks of this shape (`.reqntid`).
    Exactly([u32; 3]),
}

impl LaunchBound {
    /// Whether a block is what the program declared.
    pub fn allows(self, block: [u32; 3]) -> bool {
        let threads = || block.iter().map(|&count| u64::from(count)).product::<u64>();
        match self {
            LaunchBound::None => true,
            LaunchBound::AtMost(most) => threads() <= u64::from(most),
            LaunchBound::Exactly(shape) => block == shape,
        }
    }
}

/// What the device knows about a loaded kernel.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// The kernel's symbol.
    pub name: String,
    /// Its parameters; empty if the device cannot know them.
    pub parameters: Vec<Parameter>,
    /// Most threads a block of this kernel may have (launch bounds, register use).
    pub max_threads: u32,
    /// What the program declared of its blocks.
    pub bound: LaunchBound,
    /// Lanes per warp in this kernel's image. The device's may differ where it runs images of several targets.
    pub warp_size: u32,
    /// Block size that the kernel's target is compiled for when a program states none.
    pub default_threads: u32,
    /// Static shared memory, in bytes.
    pub static_shared: u32,
}

/// Launch parameters.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks per dimension.
    pub grid: [u32; 3],
    /// Threads per block, per dimension.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared: u32,
    /// Whether blocks wait for each other, so that all of them must be resident at once. The caller has asked
    /// [`Kernel::resident_blocks`] whether they can be.
    pub cooperative: bool,
    /// The words of the kernel's parameters ([`Parameter`]). clang gives OpenMP kernels only pointers and integers of
    /// up to 64 bits: one word each.
    pub args: &'a [u64],
}

/// What the program requires of every image it loads.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// `requires unified_shared_memory`: kernels may follow host pointers.
    pub unified_shared_memory: bool,
}

/// A device as another runtime knows it that a program may use beside OpenMP (OpenMP 5.2, 14.1; the numbers and names
/// are those of the "OpenMP Additional Definitions").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The runtime's number.
    pub runtime: isize,
    /// Its name.
    pub name: &'static CStr,
    /// The device there.
    pub device: ForeignDevice,
    /// Address of the context in which the device is used, if the runtime has contexts.
    pub context: Option<usize>,
}

/// How another runtime knows a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignDevice {
    /// By a number.
    Number(isize),
    /// By a handle at this address.
    Handle(usize),
}

/// A family of devices behind one driver.
pub trait Plugin: Send + Sync {
    /// Short name for messages: `cuda`, `amdgpu`, `vgpu`.
    fn name(&self) -> &'static str;
    /// The devices found, in a stable order. Finding none is not an error.
    fn devices(&self) -> Vec<Arc<dyn Device>>;
}

/// One device.
///
/// Every method may be called from several host threads at once, and returns only when its work is complete and visible
/// to every thread. Work that is to run in order while the host goes on is enqueued on a [`Stream`].
pub trait Device: Any + Send + Sync {
    /// What the device is.
    fn info(&self) -> &DeviceInfo;
    /// Why [`Device::load`] cannot take this image (triple, architecture, kind). The text is for the user: it says what
    /// the image is and what the device needs. `None`: the device can be expected to take it.
    fn refusal(&self, image: &Image<'_>) -> Option<String>;
    /// The device's preference among the images that it takes: the one with the lowest rank is loaded.
    fn rank(&self, _image: &Image<'_>) -> u32 {
        0
    }
    /// Loads an image: compiles it if it is bitcode, places its globals and runs its constructors. Dropping the module
    /// runs the destructors and frees its memory.
    fn load(&self, image: &Image<'_>, options: &LoadOptions) -> Result<Arc<dyn Module>>;
    /// Compiles an image of bitcode, so that a later [`Device::load`] finds the result in the cache on disk. Nothing of
    /// the image runs.
    fn prepare(&self, _image: &Image<'_>, _options: &LoadOptions) -> Result<()> {
        Ok(())
    }
    /// Allocates `size` bytes aligned to at least 256. `size` 0 gives a distinct, valid address.
    fn alloc(&self, size: u64, kind: MemoryKind) -> Result<DevicePtr>;
    /// Frees what [`Device::alloc`] returned. Any other address gives [`crate::Error::InvalidFree`].
    fn free(&self, ptr: DevicePtr) -> Result<()>;
    /// The program has changed its copy of what these bytes were copied from. A device with a checker reports kernels
    /// that read them.
    fn outdated(&self, _address: DevicePtr, _len: usize) {}
    /// Whether the device knows that its kernels can access `len` bytes at an address: those of its own allocations, at
    /// least.
    fn reaches(&self, address: DevicePtr, len: usize) -> Result<bool>;
    /// Lets kernels access memory of the host's that the program owns, under its own address, until
    /// [`Device::unregister_host`]. `false`: kernels of this device cannot.
    fn register_host(&self, _address: u64, _len: usize) -> Result<bool> {
        Ok(false)
    }
    /// Ends [`Device::register_host`]. No kernel uses the memory any more.
    fn unregister_host(&self, _address: u64) -> Result<()> {
        Ok(())
    }
    /// Has an allocation lie in a file that other processes can map, at the address that it has. `None`: the device
    /// cannot.
    fn share(&self, _ptr: DevicePtr) -> Result<Option<SharedMemory>> {
        Ok(None)
    }
    /// The addresses at which a program maps memory by itself; `None`: the device has none.
    fn address_space(&self) -> Option<&dyn AddressSpace> {
        None
    }
    /// Whether its kernels can access the memory of another device.
    fn reaches_memory_of(&self, _peer: &dyn Device) -> bool {
        false
    }
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
    /// Copies from another device straight to this one. `false`: the two have no direct path, and nothing was copied.
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
    /// A new stream. Making one may be slow, so callers keep streams for later use.
    fn stream(self: Arc<Self>, completion: Completion) -> Result<Box<dyn Stream>>;
    /// The device as another runtime knows it; `None` if there is no other runtime.
    fn foreign(&self) -> Result<Option<Foreign>> {
        Ok(None)
    }
    /// What the kernels that have ended did; `None` on a device that does not count.
    fn counters(&self) -> Option<Counters> {
        None
    }
}

/// The image that the device prefers among those that it takes; the first of several equal ones.
pub fn preferred_image<'a>(
    device: &dyn Device,
    images: impl Iterator<Item = Image<'a>>,
) -> Option<Image<'a>> {
    images
        .filter(|image| device.refusal(image).is_none())
        .min_by_key(|image| device.rank(image))
}

/// A loaded image.
pub trait Module: Send + Sync {
    /// The device global called `name`, if the image defines it.
    fn global(&self, name: &str) -> Option<Global>;
    /// Its device globals that kernels may change.
    fn globals(&self) -> Vec<(String, Global)>;
    /// The stages of loading it, in order; empty if the device does not record them.
    fn stages(&self) -> &[Stage] {
        &[]
    }
    /// The kernel called `name`, if the image defines it.
    fn kernel(&self, name: &str) -> Option<Arc<dyn Kernel>>;
}

/// A kernel of a loaded image. `Any`, so that a stream finds its own device's kind of kernel again.
pub trait Kernel: Any + Send + Sync {
    /// What is known about it.
    fn info(&self) -> &KernelInfo;
    /// How many blocks of so many threads and so much dynamic shared memory a multiprocessor holds at a time. `None` if
    /// these do not limit it.
    fn resident_blocks(&self, _threads: u32, _dynamic_shared: u32) -> Option<u32> {
        None
    }
    /// Does now what such a launch, if it is the first, would do first: compile the kernel and load it. Gives what was
    /// done.
    fn prepare(&self, _launch: &Launch<'_>) -> Result<Vec<Stage>> {
        Ok(Vec::new())
    }
    /// Why the device cannot run the kernel at all, though it runs others of the image.
    fn refusal(&self) -> Option<&str> {
        None
    }
    /// How the device runs such a launch, for a user who looks into performance.
    fn remark(&self, _launch: &Launch<'_>) -> Option<String> {
        None
    }
    /// Runs the kernel to its end. A trap, wild access or deadlock is [`crate::Error::Fault`].
    fn launch(&self, launch: &Launch<'_>) -> Result<()>;
}
