//! NVIDIA GPUs over the CUDA driver API.
//!
//! Nothing of NVIDIA's is linked, and no toolkit is needed: the driver's library is opened when the plugin is
//! ([`driver`]).

pub mod driver;
