//! What our fronts for CUDA's libraries (cuBLAS, cuRAND, cuFFT, cuSPARSE) share.
//!
//! - `exports`: the exported symbols. At its first call each chooses between our function and NVIDIA's of that name.
//! - `nvidia`: NVIDIA's own library, which serves programs whose data lies on an NVIDIA GPU.
//! - `ordered_work`: work in the order of a stream.
//! - `device_memory`: checks of what programs pass as addresses of device memory.
//! - `elements`: types of elements that programs name by a number.
//! - `handles`: what programs hold handles of.
//! - `version`: which library of NVIDIA's a front stands in for.
//! - `cudart`: the functions of `libcudart.so` that all this needs.

pub mod cudart;
pub mod device_memory;
pub mod elements;
pub mod exports;
pub mod handles;
pub mod nvidia;
pub mod ordered_work;
pub mod version;

/// Says on standard error what a status code cannot.
pub fn report(library: &str, what: &dyn std::fmt::Display) {
    eprintln!("{library}: {what}");
}
