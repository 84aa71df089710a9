//! The same functions with another default stream: `_ptsz` and `_ptds` are what programs call that were compiled for a
//! default stream of each thread.

use std::ffi::{c_int, c_void};

use crate::abi::{
    AttributeValue, CopyBox, Dim3, InstantiateParameters, Location, PeerCopyBox, PitchedPointer,
    Size,
};
use crate::entry::launch_configurations::{self, LaunchConfiguration};
use crate::entry::streams::cudaStreamSynchronize;
use crate::entry::{
    array_copies, captures, cooperative, copies, events, graphs, host_calls, launches, managed,
    memory, pools, streams, symbols,
};
use crate::error::SUCCESS;

/// `cudaStreamPerThread`.
const PER_THREAD: *mut c_void = 2 as *mut c_void;

/// The stream that a handle means for such programs.
pub fn meant(stream: *mut c_void) -> *mut c_void {
    match stream.is_null() {
        true => PER_THREAD,
        false => stream,
    }
}

/// Functions that take a stream. It stands where the other function has it.
macro_rules! with_stream {
    ($($name:ident = $module:ident :: $function:ident ($($before:ident: $type:ty),*; stream $(, $after:ident: $last:ty)*);)*) => { $(
        /// The same with the thread's default stream.
        ///
        /// # Safety
        /// As for the other function.
        pub unsafe extern "C" fn $name(
            $($before: $type,)* stream: *mut c_void $(, $after: $last)*
        ) -> i32 {
            #[allow(unused_unsafe, reason = "some of the functions are safe")]
            // SAFETY: caller.
            unsafe { $module::$function($($before,)* meant(stream) $(, $after)*) }
        }
    )* };
}

/// Functions that wait: those that do not, and then a wait.
macro_rules! waiting {
    ($($name:ident = $module:ident :: $function:ident ($($argument:ident: $type:ty),*);)*) => { $(
        /// The same with the thread's default stream.
        ///
        /// # Safety
        /// As for the other function.
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            // SAFETY: caller.
            match unsafe { $module::$function($($argument,)* PER_THREAD) } {
                SUCCESS => cudaStreamSynchronize(PER_THREAD),
                code => code,
            }
        }
    )* };
}

with_stream! {
    cudaMemcpy2DFromArrayAsync_ptsz = array_copies::cudaMemcpy2DFromArrayAsync(
        to: *mut c_void, pitch: usize, from: *const c_void, x: usize, y: usize, width: usize, height: usize, kind: c_int;
        stream
    );
    cudaMemcpy2DToArrayAsync_ptsz = array_copies::cudaMemcpy2DToArrayAsync(
        to: *mut c_void, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: c_int;
        stream
    );
    cudaMemcpyFromArrayAsync_ptsz = array_copies::cudaMemcpyFromArrayAsync(
        to: *mut c_void, from: *const c_void, x: usize, y: usize, bytes: usize, kind: c_int; stream
    );
    cudaMemcpyToArrayAsync_ptsz = array_copies::cudaMemcpyToArrayAsync(
        to: *mut c_void, x: usize, y: usize, from: *const c_void, bytes: usize, kind: c_int; stream
    );
    cudaEventRecordWithFlags_ptsz = events::cudaEventRecordWithFlags(event: *mut c_void; stream, flags: u32);
    cudaEventRecord_ptsz = events::cudaEventRecord(event: *mut c_void; stream);
    cudaFreeAsync_ptsz = memory::cudaFreeAsync(memory: *mut c_void; stream);
    cudaGraphLaunch_ptsz = graphs::cudaGraphLaunch(executable: *mut c_void; stream);
    cudaGraphUpload_ptsz = graphs::cudaGraphUpload(executable: *mut c_void; stream);
    cudaLaunchCooperativeKernel_ptsz = cooperative::cudaLaunchCooperativeKernel(
        stub: *const c_void, grid: Dim3, block: Dim3, arguments: *const *const u8, shared: usize; stream
    );
    cudaLaunchHostFunc_ptsz = host_calls::cudaLaunchHostFunc(
        ; stream, function: Option<host_calls::HostFunction>, data: *mut c_void
    );
    cudaLaunchKernel_ptsz = launches::cudaLaunchKernel(
        stub: *const c_void, grid: Dim3, block: Dim3, arguments: *const *const u8, shared: usize; stream
    );
    __cudaLaunchKernel_ptsz = launches::__cudaLaunchKernel(
        kernel: *const c_void, grid: Dim3, block: Dim3, arguments: *const *const u8, shared: usize; stream
    );
    cudaMallocAsync_ptsz = pools::cudaMallocAsync(memory: *mut *mut c_void, bytes: usize; stream);
    cudaMallocFromPoolAsync_ptsz = pools::cudaMallocFromPoolAsync(
        memory: *mut *mut c_void, bytes: usize, pool: *mut c_void; stream
    );
    cudaMemPrefetchAsync_ptsz = managed::cudaMemPrefetchAsync(
        memory: *const c_void, bytes: usize, device: c_int; stream
    );
    cudaMemPrefetchAsync_v2_ptsz = managed::cudaMemPrefetchAsync_v2(
        memory: *const c_void, bytes: usize, location: Location, flags: u32; stream
    );
    cudaMemcpy2DAsync_ptsz = copies::cudaMemcpy2DAsync(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: c_int; stream
    );
    cudaMemcpy3DAsync_ptsz = copies::cudaMemcpy3DAsync(parameters: *const CopyBox; stream);
    cudaMemcpy3DPeerAsync_ptsz = copies::cudaMemcpy3DPeerAsync(parameters: *const PeerCopyBox; stream);
    cudaMemcpyAsync_ptsz = copies::cudaMemcpyAsync(
        to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int; stream
    );
    cudaMemcpyFromSymbolAsync_ptsz = symbols::cudaMemcpyFromSymbolAsync(
        to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int; stream
    );
    cudaMemcpyToSymbolAsync_ptsz = symbols::cudaMemcpyToSymbolAsync(
        symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int; stream
    );
    cudaMemset2DAsync_ptsz = copies::cudaMemset2DAsync(
        memory: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize; stream
    );
    cudaMemset3DAsync_ptsz = copies::cudaMemset3DAsync(memory: PitchedPointer, value: c_int, extent: Size; stream);
    cudaMemsetAsync_ptsz = copies::cudaMemsetAsync(memory: *mut c_void, value: c_int, bytes: usize; stream);
    cudaStreamAddCallback_ptsz = host_calls::cudaStreamAddCallback(
        ; stream, callback: Option<host_calls::Callback>, data: *mut c_void, flags: u32
    );
    cudaStreamAttachMemAsync_ptsz = managed::cudaStreamAttachMemAsync(
        ; stream, memory: *mut c_void, bytes: usize, flags: u32
    );
    cudaStreamBeginCaptureToGraph_ptsz = captures::cudaStreamBeginCaptureToGraph(
        ; stream, graph: *mut c_void, list: *const *mut c_void, edges: *const c_void, count: usize, mode: c_int
    );
    cudaStreamBeginCapture_ptsz = captures::cudaStreamBeginCapture(; stream, mode: c_int);
    cudaStreamEndCapture_ptsz = captures::cudaStreamEndCapture(; stream, graph: *mut *mut c_void);
    cudaStreamGetAttribute_ptsz = streams::cudaStreamGetAttribute(
        ; stream, attribute: c_int, value: *mut AttributeValue
    );
    cudaStreamGetCaptureInfo_ptsz = captures::cudaStreamGetCaptureInfo(; stream, status: *mut c_int, id: *mut u64);
    cudaStreamGetCaptureInfo_v2_ptsz = captures::cudaStreamGetCaptureInfo_v2(
        ; stream, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void, list: *mut *const *mut c_void, count: *mut usize
    );
    cudaStreamGetDevice_ptsz = streams::cudaStreamGetDevice(; stream, device: *mut c_int);
    cudaStreamGetFlags_ptsz = streams::cudaStreamGetFlags(; stream, flags: *mut u32);
    cudaStreamGetId_ptsz = streams::cudaStreamGetId(; stream, id: *mut u64);
    cudaStreamGetPriority_ptsz = streams::cudaStreamGetPriority(; stream, priority: *mut c_int);
    cudaStreamIsCapturing_ptsz = captures::cudaStreamIsCapturing(; stream, status: *mut c_int);
    cudaStreamQuery_ptsz = streams::cudaStreamQuery(; stream);
    cudaStreamSetAttribute_ptsz = streams::cudaStreamSetAttribute(
        ; stream, attribute: c_int, value: *const AttributeValue
    );
    cudaStreamSynchronize_ptsz = streams::cudaStreamSynchronize(; stream);
    cudaStreamUpdateCaptureDependencies_ptsz = captures::cudaStreamUpdateCaptureDependencies(
        ; stream, list: *const *mut c_void, count: usize, flags: u32
    );
    cudaStreamWaitEvent_ptsz = streams::cudaStreamWaitEvent(; stream, event: *mut c_void, flags: u32);
}

waiting! {
    cudaMemcpy2DArrayToArray_ptds = array_copies::rectangle_between(
        to: *mut c_void, to_x: usize, to_y: usize, from: *const c_void, from_x: usize, from_y: usize, width: usize,
        height: usize, kind: c_int
    );
    cudaMemcpy2DFromArray_ptds = array_copies::cudaMemcpy2DFromArrayAsync(
        to: *mut c_void, pitch: usize, from: *const c_void, x: usize, y: usize, width: usize, height: usize, kind: c_int
    );
    cudaMemcpy2DToArray_ptds = array_copies::cudaMemcpy2DToArrayAsync(
        to: *mut c_void, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: c_int
    );
    cudaMemcpyArrayToArray_ptds = array_copies::range_between(
        to: *mut c_void, to_x: usize, to_y: usize, from: *const c_void, from_x: usize, from_y: usize, bytes: usize,
        kind: c_int
    );
    cudaMemcpyFromArray_ptds = array_copies::cudaMemcpyFromArrayAsync(
        to: *mut c_void, from: *const c_void, x: usize, y: usize, bytes: usize, kind: c_int
    );
    cudaMemcpyToArray_ptds = array_copies::cudaMemcpyToArrayAsync(
        to: *mut c_void, x: usize, y: usize, from: *const c_void, bytes: usize, kind: c_int
    );
    cudaMemcpy2D_ptds = copies::cudaMemcpy2DAsync(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: c_int
    );
    cudaMemcpy3DPeer_ptds = copies::cudaMemcpy3DPeerAsync(parameters: *const PeerCopyBox);
    cudaMemcpy3D_ptds = copies::cudaMemcpy3DAsync(parameters: *const CopyBox);
    cudaMemcpyFromSymbol_ptds = symbols::cudaMemcpyFromSymbolAsync(
        to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int
    );
    cudaMemcpyToSymbol_ptds = symbols::cudaMemcpyToSymbolAsync(
        symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int
    );
    cudaMemcpy_ptds = copies::cudaMemcpyAsync(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int);
    cudaMemset2D_ptds = copies::cudaMemset2DAsync(
        memory: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize
    );
    cudaMemset3D_ptds = copies::cudaMemset3DAsync(memory: PitchedPointer, value: c_int, extent: Size);
    cudaMemset_ptds = copies::cudaMemsetAsync(memory: *mut c_void, value: c_int, bytes: usize);
}

/// Launches with attributes. The stream is in the configuration.
///
/// # Safety
/// As for the other function.
pub unsafe extern "C" fn cudaLaunchKernelExC_ptsz(
    configuration: *const LaunchConfiguration,
    stub: *const c_void,
    arguments: *const *const u8,
) -> i32 {
    // SAFETY: caller.
    let configuration = unsafe { configuration.as_ref() }.map(|given| LaunchConfiguration {
        stream: meant(given.stream),
        ..*given
    });
    let place = configuration
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: caller.
    unsafe { launch_configurations::cudaLaunchKernelExC(place, stub, arguments) }
}

/// Copies attributes from one stream to another.
pub extern "C" fn cudaStreamCopyAttributes_ptsz(to: *mut c_void, from: *mut c_void) -> i32 {
    streams::cudaStreamCopyAttributes(meant(to), meant(from))
}

/// Makes a graph that can be launched. The stream of the parameters is one for an upload, which takes no time here.
///
/// # Safety
/// As for the other function.
pub unsafe extern "C" fn cudaGraphInstantiateWithParams_ptsz(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    parameters: *mut InstantiateParameters,
) -> i32 {
    // SAFETY: caller.
    unsafe { graphs::cudaGraphInstantiateWithParams(executable, graph, parameters) }
}
