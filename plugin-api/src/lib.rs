//! The contract between the host runtime (`host-api`) and the device plugins.
//!
//! A [`Plugin`] offers [`Device`]s; a device owns memory and loads [`device_image::Image`]s into [`Module`]s; a
//! module holds device globals and [`Kernel`]s; [`Stream`]s do copies and kernels in order. Everything OpenMP (mapping, launch parameters,
//! `OMP_TARGET_OFFLOAD`) is above this line, everything of one vendor is below it.

mod device;
mod error;
mod size;
mod stage;
mod stream;

pub use device::{
    Counters, Device, DeviceInfo, DevicePtr, Foreign, Global, Kernel, KernelInfo, Launch,
    LoadOptions, MemoryKind, Module, Parameter, Plugin,
};
pub use error::{Error, FaultKind, KernelFault, Result, SourceLocation, ThreadId, Waiting};
pub use size::parse_size;
pub use stage::Stage;
pub use stream::{Completion, Event, ImmediateStream, Stream};
