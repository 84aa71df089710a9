//! Devices as OpenMP sees them, the images they have loaded, and the libraries those images come from.

pub mod device_runtime;
pub mod entries;
pub mod interop_object;
pub mod kernel_environment;
pub mod offload_policy;
pub mod omp_device;
pub mod plugins;
pub mod program;
pub mod regions;
pub mod registry;
pub mod stream_pool;
