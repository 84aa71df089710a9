//! Records one kernel launch while a program runs, and replays it alone (docs/recording.md).
//!
//! A [`Recorder`] wraps devices. Each device then allocates all memory from one block. When the requested launch
//! comes, the device writes the image, the block's allocations and the image's variables to a folder, before and
//! after the launch. [`Replay`] repeats the launch on any device that can run the image. The block and the
//! image's variables may then have other addresses, so pointers in the arguments and in memory are relocated.

mod block;
mod device;
mod file;
mod replay;

pub use device::{Recorder, Request};
pub use file::{Area, FileError, ImageFormat, Place, Recording};
pub use replay::{Difference, Replay, ReplayError};
