//! `libomptarget-opencl.so`: the three functions by which OpenCL's ICD loader finds a platform (`cl_khr_icd`). It calls
//! the others through the dispatch table that every handle begins with (`opencl::dispatch`).

symbol_versions::export! {
    opencl::entry::platforms::{
        clGetExtensionFunctionAddress,
        clGetPlatformInfo,
        clIcdGetPlatformIDsKHR,
    }
}
