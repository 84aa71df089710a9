//! Devices as OpenMP sees them, the images they have loaded, and the libraries those images come from.

pub(crate) mod device_runtime;
pub mod entries;
pub(crate) mod interop_object;
pub(crate) mod kernel_environment;
pub(crate) mod mapping_report;
pub(crate) mod offload_policy;
pub(crate) mod omp_device;
pub(crate) mod program;
pub(crate) mod reduction_buffer;
pub(crate) mod regions;
pub(crate) mod registry;
pub(crate) mod stream_pool;
