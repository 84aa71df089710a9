//! The contract between a front end, which speaks a programming model's language, and the plugins, which run kernels.
//!
//! A front end (`host-api` for OpenMP, `omptarget` for Rust) knows no plugin's devices beyond these traits, and a
//! plugin knows no front end. Everything of the programming model is above this line: mapping tables, launch
//! parameters, `OMP_TARGET_OFFLOAD`. Everything of one vendor is below it: drivers, contexts, compilers.
//!
//! # The traits
//!
//! | trait | what it is | made by |
//! |---|---|---|
//! | [`Plugin`] | a family of devices behind one driver | a function of the plugin's crate |
//! | [`Device`] | one device: its memory, and the images loaded on it | [`Plugin::devices`] |
//! | [`Module`] | a loaded image: device globals and kernels | [`Device::load`] |
//! | [`Kernel`] | one entry point of a module | [`Module::kernel`] |
//! | [`Stream`] | a queue: copies and kernels run in the order in which they are enqueued | [`Device::stream`] |
//! | [`Event`] | a point in a stream, which other streams and the host can wait for | [`Stream::record`] |
//!
//! Each plugin implements the first four:
//!
//! * `plugin-vgpu`, the virtual GPU: it compiles bitcode for the host's processor and runs GPU threads on it.
//! * `plugin-cuda`, NVIDIA GPUs through the driver's interface. It has its own [`Stream`] and [`Event`].
//! * `plugin-host`, the host itself as a device. Its streams are [`ImmediateStream`]s: an operation is complete when
//!   the call returns, so there are no events. The virtual GPU uses them for [`Completion::Blocking`] streams. For
//!   [`Completion::Asynchronous`] ones it has streams and events of its own.
//!
//! Two implementations stand between a front end and a device: `recording` wraps a [`Device`] and keeps the state that
//! one launch needs, and the tests of `host-api` have a device that only notes what it is asked.
//!
//! # The order of calls
//!
//! 1. [`Plugin::devices`] once. It finds the devices but loads nothing on them.
//! 2. [`Device::refusal`] for each image that a program carries. Among the images that are not refused, the one with
//!    the lowest [`Device::rank`] is taken.
//! 3. [`Device::load`] for that image, at the device's first use. It compiles the image if need be, places its globals
//!    and runs its constructors.
//! 4. [`Module::global`] and [`Module::kernel`] for the entries that the program names.
//! 5. [`Device::alloc`], copies and [`Kernel::launch`] in any order, or the same operations on a [`Stream`].
//! 6. Dropping the module runs the image's destructors and frees its globals.
//!
//! No operation is valid on an address of another device. [`Device::copy_from`] is the one exception, and says so.
//!
//! # Threads and order
//!
//! Every method may be called from several host threads at once. A method of [`Device`], [`Module`] or [`Kernel`]
//! returns only when its work is complete and visible to all threads. A method of [`Stream`] may return earlier. Its
//! work begins when everything enqueued on that stream before is complete; two streams are ordered by events alone. A
//! closure given to [`Stream::call`] runs on a thread of the plugin and must not use the device.
//!
//! # Memory
//!
//! A [`DevicePtr`] is an address in the device's memory space and never a host pointer. The caller owns what
//! [`Device::alloc`] returns, and gives it back with [`Device::free`]; a device frees nothing on its own while it
//! lives. Globals belong to their module, and their addresses are valid as long as the module is.
//!
//! Host memory stays the caller's. [`Device::write`] and [`Device::read`] use it only during the call. A stream uses it
//! until it has passed the operation, even if that fails. That is why these methods are `unsafe`.
//! [`Stream::write_copied`] and the words of a [`Launch`] are read before the call returns.
//!
//! A [`Kernel`] keeps the code of its module loaded. A [`Module`], a [`Kernel`] and a [`Stream`] keep what they need of
//! their device alive.
//!
//! # Errors
//!
//! Every method that can fail returns [`Error`]. It says what happened; the front end adds where (the construct in the
//! user's source) and what to do. A kernel that ends abnormally is an [`Error::Fault`], which carries the thread, the
//! place in the source and, for a deadlock, who waits where. Some devices do not survive a fault: they answer every
//! later call with [`Error::Lost`].
//!
//! On a stream, the failed operation or any later one reports the error, once. What was enqueued behind the failure is
//! dropped, and the stream is usable again. Events behind the failure happen nevertheless, so that nobody waits for
//! ever.

mod address_space;
mod device;
mod error;
mod size;
mod stage;
mod stream;

pub use address_space::{Access, AddressSpace, GRANULARITY, SharedMemory};
pub use device::{
    Counters, Device, DeviceInfo, DevicePtr, Foreign, ForeignDevice, Global, Kernel, KernelInfo,
    Launch, LaunchBound, LoadOptions, MemoryKind, Module, Parameter, Plugin, preferred_image,
};
pub use error::{Error, FaultKind, KernelFault, Result, SourceLocation, ThreadId, Waiting};
pub use size::parse_size;
pub use stage::Stage;
pub use stream::{Completion, Event, ImmediateStream, Stream};
