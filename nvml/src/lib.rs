//! `libnvidia-ml.so.1`: which devices there are, and how much memory, as frameworks and monitors ask. The devices are
//! those of CUDA's runtime interface (`cudart`), and so is the memory in use: that of the program which asks.
//!
//! Values and layouts are those of NVIDIA's Python binding (`nvidia-ml-py`), which is under a BSD licence.
//!
//! - `entry`: the functions, by family.
//! - `session`: starts, ends, and handles of devices.
//! - `text`: texts for the program's buffers.
//! - `status`: the codes.

pub mod entry;
mod session;
pub mod status;
mod text;
