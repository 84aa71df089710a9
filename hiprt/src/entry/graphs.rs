//! Graphs, where HIP's functions have other parameters.

use std::ffi::{c_int, c_void};

use cudart::abi::UpdateResult;
use cudart::entry::graphs::{cudaGraphExecUpdate, cudaGraphInstantiateWithFlags};

/// Makes a graph that can be launched. A failure has no text.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn hipGraphInstantiate(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    error_node: *mut *mut c_void,
    text: *mut u8,
    bytes: usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        if let Some(node) = error_node.as_mut() {
            *node = std::ptr::null_mut();
        }
        if !text.is_null() && bytes > 0 {
            text.write(0);
        }
        cudaGraphInstantiateWithFlags(executable, graph, 0)
    }
}

/// Gives a graph that can be launched the parameters of another graph with the same nodes and edges.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn hipGraphExecUpdate(
    executable: *mut c_void,
    graph: *mut c_void,
    error_node: *mut *mut c_void,
    result: *mut c_int,
) -> i32 {
    let null = std::ptr::null_mut();
    let mut known = UpdateResult {
        result: 0,
        error_node: null,
        error_from_node: null,
    };
    // SAFETY: caller.
    unsafe {
        let code = cudaGraphExecUpdate(executable, graph, &mut known);
        if let Some(node) = error_node.as_mut() {
            *node = known.error_node;
        }
        if let Some(result) = result.as_mut() {
            *result = known.result;
        }
        code
    }
}
