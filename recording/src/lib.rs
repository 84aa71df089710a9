//! One kernel launch, recorded while a program runs and replayed alone (docs/recording.md).
//!
//! A [`Recorder`] wraps devices: they take all memory from one block each, and when the launch comes that is asked for, they write
//! the image, the block's allocations and the image's variables, before and after, to a folder. [`Replay`] does it again on
//! any device that takes the image. The block, the image's variables, or both may lie elsewhere then: pointers among the
//! arguments and in memory are moved along.

mod block;
mod device;
mod file;
mod replay;

pub use device::{Recorder, Request};
pub use file::{Area, FileError, ImageFormat, Place, Recording};
pub use replay::{Difference, Replay, ReplayError};
