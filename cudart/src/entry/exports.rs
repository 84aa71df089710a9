//! The exported symbols. Each one jumps to the function of the same name.
//!
//! rustc cannot give `#[no_mangle]` functions of a cdylib a symbol version. Symbols that only assembly defines are not
//! in its export list, so the linker script `exports.map` can give them CUDA's version. If the script names a symbol
//! that this list lacks, the linker fails. `tests/tests/cuda_programs.rs` compares the library with the header.

/// The instruction that jumps to a function.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction {
    () => {
        "jmp {target}"
    };
}

/// The instruction that jumps to a function.
#[cfg(target_arch = "aarch64")]
macro_rules! instruction {
    () => {
        "b {target}"
    };
}

/// Exports functions of this crate under their own names.
macro_rules! export {
    ($($module:ident :: { $($function:ident),* $(,)? })*) => {
        $($(
            std::arch::global_asm!(
                concat!(".pushsection .text.", stringify!($function), ",\"ax\",@progbits"),
                ".balign 16",
                concat!(".globl ", stringify!($function)),
                concat!(".type ", stringify!($function), ", @function"),
                concat!(stringify!($function), ":"),
                instruction!(),
                concat!(".size ", stringify!($function), ", . - ", stringify!($function)),
                ".popsection",
                target = sym crate::entry::$module::$function,
            );
        )*)*
    };
}

export! {
    copies::{
        cudaMemcpy,
        cudaMemcpy2D,
        cudaMemcpy2DAsync,
        cudaMemcpyAsync,
        cudaMemcpyPeer,
        cudaMemcpyPeerAsync,
        cudaMemset,
        cudaMemset2D,
        cudaMemset2DAsync,
        cudaMemsetAsync,
    }
    devices::{
        cudaDeviceCanAccessPeer,
        cudaDeviceGetAttribute,
        cudaDeviceGetStreamPriorityRange,
        cudaDeviceReset,
        cudaDeviceSynchronize,
        cudaDriverGetVersion,
        cudaGetDevice,
        cudaGetDeviceCount,
        cudaGetDeviceProperties_v2,
        cudaRuntimeGetVersion,
        cudaSetDevice,
    }
    errors::{
        cudaGetErrorName,
        cudaGetErrorString,
        cudaGetLastError,
        cudaPeekAtLastError,
    }
    events::{
        cudaEventCreate,
        cudaEventCreateWithFlags,
        cudaEventDestroy,
        cudaEventElapsedTime,
        cudaEventQuery,
        cudaEventRecord,
        cudaEventSynchronize,
    }
    foreign::{
        omptargetForeignStream,
    }
    functions::{
        cudaFuncGetAttributes,
        cudaFuncSetAttribute,
        cudaFuncSetCacheConfig,
        cudaOccupancyMaxActiveBlocksPerMultiprocessor,
    }
    launches::{
        __cudaPopCallConfiguration,
        __cudaPushCallConfiguration,
        cudaLaunchHostFunc,
        cudaLaunchKernel,
    }
    memory::{
        cudaFree,
        cudaFreeAsync,
        cudaFreeHost,
        cudaHostAlloc,
        cudaHostGetDevicePointer,
        cudaMalloc,
        cudaMallocAsync,
        cudaMallocHost,
        cudaMallocManaged,
        cudaMallocPitch,
        cudaMemGetInfo,
        cudaMemPrefetchAsync,
        cudaPointerGetAttributes,
    }
    registration::{
        __cudaRegisterFatBinary,
        __cudaRegisterFatBinaryEnd,
        __cudaRegisterFunction,
        __cudaRegisterManagedVar,
        __cudaRegisterVar,
        __cudaUnregisterFatBinary,
    }
    streams::{
        cudaStreamCreate,
        cudaStreamCreateWithFlags,
        cudaStreamCreateWithPriority,
        cudaStreamDestroy,
        cudaStreamGetFlags,
        cudaStreamQuery,
        cudaStreamSynchronize,
        cudaStreamWaitEvent,
    }
    symbols::{
        cudaGetSymbolAddress,
        cudaGetSymbolSize,
        cudaMemcpyFromSymbol,
        cudaMemcpyFromSymbolAsync,
        cudaMemcpyToSymbol,
        cudaMemcpyToSymbolAsync,
    }
}
