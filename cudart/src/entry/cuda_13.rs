//! Functions that CUDA 13 has under the names of CUDA 12's with other arguments: `libcudart.so.13` has these.
//!
//! Edges of graphs have data there, which say how one kernel may begin before another one's end. Here no kernel does:
//! all data are zeros.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use crate::entry::{captures, graphs, per_thread, place};
use crate::error::{Code, Result, SUCCESS, answer};
use crate::properties::DeviceProperties;
use crate::properties_13::DeviceProperties13;
use crate::runtime::runtime;

/// `cudaGraphEdgeData`: a port at either end, a sort, and zeros.
pub type Edge = [u8; 8];

const PLAIN: Edge = [0; 8];

/// What a device is, and its limits.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetDeviceProperties(
    properties: *mut DeviceProperties13,
    device: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(properties)? };
        let known = DeviceProperties::of(runtime().device_numbered(device)?);
        *place = (&known).into();
        Ok(())
    };
    answer(ask())
}

/// Refuses edges that are not plain.
///
/// # Safety
/// The list is null, or has so many entries.
unsafe fn plain(edges: *const Edge, count: usize) -> Result<()> {
    if edges.is_null() || count == 0 {
        return Ok(());
    }
    // SAFETY: caller.
    let edges = unsafe { std::slice::from_raw_parts(edges, count) };
    match edges.iter().all(|edge| *edge == PLAIN) {
        true => Ok(()),
        false => Err(Code::NOT_SUPPORTED),
    }
}

/// Calls a function of CUDA 12 if all edges are plain.
///
/// # Safety
/// As for [`plain`].
pub unsafe fn with_plain(edges: *const Edge, count: usize, call: impl FnOnce() -> i32) -> i32 {
    // SAFETY: caller.
    match unsafe { plain(edges, count) } {
        Ok(()) => call(),
        Err(code) => answer(Err(code)),
    }
}

/// Calls a function of CUDA 12 that gives as many entries as there is room for, and fills as many edges.
///
/// # Safety
/// The count is null or valid. Before the call it says how many edges there is room for, if there is any.
unsafe fn giving_plain(edges: *mut Edge, count: *mut usize, call: impl FnOnce() -> i32) -> i32 {
    // SAFETY: caller.
    let room = unsafe { count.as_ref() }.copied().unwrap_or(0);
    let code = call();
    if code == SUCCESS && !edges.is_null() {
        // SAFETY: caller; the function has written the count.
        unsafe { edges.write_bytes(0, room.min(*count)) };
    }
    code
}

/// Adds edges.
///
/// # Safety
/// The lists have so many entries, or that of edges is null.
pub unsafe extern "C" fn cudaGraphAddDependencies(
    graph: *mut c_void,
    from: *const *mut c_void,
    to: *const *mut c_void,
    edges: *const Edge,
    count: usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_plain(edges, count, || {
            graphs::cudaGraphAddDependencies(graph, from, to, count)
        })
    }
}

/// Removes edges.
///
/// # Safety
/// As for [`cudaGraphAddDependencies`].
pub unsafe extern "C" fn cudaGraphRemoveDependencies(
    graph: *mut c_void,
    from: *const *mut c_void,
    to: *const *mut c_void,
    edges: *const Edge,
    count: usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_plain(edges, count, || {
            graphs::cudaGraphRemoveDependencies(graph, from, to, count)
        })
    }
}

/// The edges of a graph.
///
/// # Safety
/// The lists are null or have room for as many entries as the count says.
pub unsafe extern "C" fn cudaGraphGetEdges(
    graph: *mut c_void,
    from: *mut *mut c_void,
    to: *mut *mut c_void,
    edges: *mut Edge,
    count: *mut usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        giving_plain(edges, count, || {
            graphs::cudaGraphGetEdges(graph, from, to, count)
        })
    }
}

/// The nodes before a node.
///
/// # Safety
/// As for [`cudaGraphGetEdges`].
pub unsafe extern "C" fn cudaGraphNodeGetDependencies(
    node: *mut c_void,
    nodes: *mut *mut c_void,
    edges: *mut Edge,
    count: *mut usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        giving_plain(edges, count, || {
            graphs::cudaGraphNodeGetDependencies(node, nodes, count)
        })
    }
}

/// The nodes behind a node.
///
/// # Safety
/// As for [`cudaGraphGetEdges`].
pub unsafe extern "C" fn cudaGraphNodeGetDependentNodes(
    node: *mut c_void,
    nodes: *mut *mut c_void,
    edges: *mut Edge,
    count: *mut usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        giving_plain(edges, count, || {
            graphs::cudaGraphNodeGetDependentNodes(node, nodes, count)
        })
    }
}

thread_local! {
    /// What [`cudaStreamGetCaptureInfo`] gave this thread last.
    static EDGES: RefCell<Vec<Edge>> = const { RefCell::new(Vec::new()) };
}

/// Whether a stream is captured, into which graph, and behind which nodes its next one comes. The edges stay until the
/// thread calls this again.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaStreamGetCaptureInfo(
    stream: *mut c_void,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut *mut c_void,
    list: *mut *const *mut c_void,
    edges: *mut *const Edge,
    count: *mut usize,
) -> i32 {
    let mut known = 0;
    let counted = if count.is_null() {
        &raw mut known
    } else {
        count
    };
    // SAFETY: caller.
    unsafe {
        let code = captures::cudaStreamGetCaptureInfo_v2(stream, status, id, graph, list, counted);
        if code == SUCCESS && !edges.is_null() {
            EDGES.with_borrow_mut(|kept| {
                kept.clear();
                kept.resize(*counted, PLAIN);
                *edges = kept.as_ptr();
            });
        }
        code
    }
}

/// The same for the thread's default stream.
///
/// # Safety
/// As for [`cudaStreamGetCaptureInfo`].
pub unsafe extern "C" fn cudaStreamGetCaptureInfo_ptsz(
    stream: *mut c_void,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut *mut c_void,
    list: *mut *const *mut c_void,
    edges: *mut *const Edge,
    count: *mut usize,
) -> i32 {
    let stream = per_thread::meant(stream);
    // SAFETY: caller.
    unsafe { cudaStreamGetCaptureInfo(stream, status, id, graph, list, edges, count) }
}

/// Changes behind which nodes a captured stream's next one comes.
///
/// # Safety
/// The lists have so many entries, or that of edges is null.
pub unsafe extern "C" fn cudaStreamUpdateCaptureDependencies(
    stream: *mut c_void,
    list: *const *mut c_void,
    edges: *const Edge,
    count: usize,
    flags: u32,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_plain(edges, count, || {
            captures::cudaStreamUpdateCaptureDependencies(stream, list, count, flags)
        })
    }
}

/// The same for the thread's default stream.
///
/// # Safety
/// As for [`cudaStreamUpdateCaptureDependencies`].
pub unsafe extern "C" fn cudaStreamUpdateCaptureDependencies_ptsz(
    stream: *mut c_void,
    list: *const *mut c_void,
    edges: *const Edge,
    count: usize,
    flags: u32,
) -> i32 {
    let stream = per_thread::meant(stream);
    // SAFETY: caller.
    unsafe { cudaStreamUpdateCaptureDependencies(stream, list, edges, count, flags) }
}
