//! Device buffers, kernels and launches: on NVIDIA and AMD GPUs, and on a virtual GPU where there is none.
//!
//! ```no_run
//! use omptarget::{Buffer, Shape};
//!
//! omptarget::kernels! {
//!     /// What the image has.
//!     struct Kernels {
//!         /// y += a x
//!         fn saxpy(n: usize, a: f32, x: &Buffer<f32>, y: &mut Buffer<f32>);
//!     }
//! }
//!
//! # fn main() -> omptarget::Result<()> {
//! # let image: &[u8] = &[];
//! // A program with a build script: let image = omptarget::include_kernels!();
//! let device = omptarget::device_for(image)?;
//! let kernels = Kernels::load(&device, image)?;
//! let x = device.buffer(&[1.0; 1000])?;
//! let mut y = device.buffer(&[3.0; 1000])?;
//! // SAFETY: both buffers have 1000 elements.
//! unsafe { kernels.saxpy(1000, 2.0, &x, &mut y).launch(Shape::covering(1000, 256))? };
//! assert_eq!(y.to_vec()?, [5.0; 1000]);
//! # Ok(())
//! # }
//! ```
//!
//! # Parts
//!
//! | type | what it is |
//! |---|---|
//! | [`Device`] | a device, from [`devices`] or [`device_for`] |
//! | [`Buffer`] | an array in the device's memory |
//! | [`Module`], [`Kernel`] | a loaded image, and one of its kernels; [`kernels!`] declares kernels with their types |
//! | [`Call`] | a kernel with its arguments, ready to be launched with a [`Shape`] |
//! | [`Stream`] | a queue: copies and kernels run in order, while the host goes on |
//!
//! # What is checked, and what is not
//!
//! Copies check their bounds, and arguments are checked against the kernel's parameters: their number and their sizes.
//! What a kernel does is not. It gets addresses, so it can read and write beyond a buffer, or race with itself. That is
//! why launching is `unsafe`, and [`Call::launch`] says what the caller vouches for. On the virtual GPU, an access
//! outside of device memory is an [`Error`]; the host's own memory is safe from it.
//!
//! Operations on one buffer are ordered whatever streams they are on: a stream waits for the one that used the buffer
//! last, and so does an operation that returns when it is complete.
//!
//! # Devices
//!
//! Devices are found as by OpenMP programs on omptarget: GPUs, else the virtual GPU. `OMPTARGET_DEVICES` and the other
//! variables of omptarget count. Images of bitcode are compiled by the program `omptarget-codegen` of an omptarget that
//! is installed or built: `OMPTARGET_CODEGEN` names it, or the command `omptarget` is in `PATH`.

mod allocation;
mod argument;
mod buffer;
mod call;
mod device;
mod error;
mod kernel_declaration;
mod module;
mod shape;
mod stream;

pub use argument::{Argument, Arguments, Value};
pub use buffer::Buffer;
pub use bytemuck::Pod;
pub use call::Call;
pub use device::{Device, device_for, devices};
pub use error::{Error, Result};
pub use module::{Kernel, Module};
pub use plugin_api::{DeviceInfo, FaultKind, KernelFault, KernelInfo};
pub use shape::Shape;
pub use stream::{Download, Stream};
