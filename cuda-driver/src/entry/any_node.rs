//! Nodes of any sort by one function (`cuGraphAddNode`). Kernels and copies have parameters of the driver's own.

use std::ffi::c_void;

use cudart::entry::any_node::{self, NodeParameters};
use cudart::entry::cuda_13::{Edge, with_plain};
use cudart::error::without_trace;
use cudart::graph::node::NodeKind;

use crate::entry::{graph_nodes, in_context, outcome};
use crate::status::answer;

/// Calls the function for kernels, that for copies, or that for the rest.
///
/// # Safety
/// The address is null or valid.
unsafe fn by_sort(
    parameters: *mut NodeParameters,
    kernel: impl FnOnce(*const graph_nodes::KernelNode) -> i32,
    copy: impl FnOnce(*const crate::entry::copies::BoxCopy) -> i32,
    other: impl FnOnce() -> i32,
) -> i32 {
    // SAFETY: caller.
    match unsafe { parameters.as_mut() } {
        Some(parameters) if parameters.is(NodeKind::Kernel) => kernel(parameters.own()),
        Some(parameters) if parameters.is(NodeKind::Copy) => copy(parameters.copy()),
        _ => in_context(other),
    }
}

/// Adds a node of any sort.
///
/// # Safety
/// The addresses are null or valid, the list has so many nodes, and the memory that the node uses is valid whenever it
/// runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddNode(
    node: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    parameters: *mut NodeParameters,
) -> i32 {
    let none = std::ptr::null_mut();
    // SAFETY: caller.
    unsafe {
        by_sort(
            parameters,
            |kernel| graph_nodes::cuGraphAddKernelNode_v2(node, graph, after, count, kernel),
            |copy| graph_nodes::cuGraphAddMemcpyNode(node, graph, after, count, copy, none),
            || any_node::cudaGraphAddNode(node, graph, after, count, parameters),
        )
    }
}

/// Adds a node of any sort by edges with data.
///
/// # Safety
/// As for [`cuGraphAddNode`]; the list of edges is null or has so many entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddNode_v2(
    node: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    edges: *const Edge,
    count: usize,
    parameters: *mut NodeParameters,
) -> i32 {
    let add = || unsafe {
        // SAFETY: caller.
        with_plain(edges, count, || {
            cuGraphAddNode(node, graph, after, count, parameters)
        })
    };
    answer(outcome(without_trace(add)))
}

/// Changes a node of any sort.
///
/// # Safety
/// The address is null or valid, and the memory that the node uses is valid whenever it runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeSetParams(
    node: *mut c_void,
    parameters: *mut NodeParameters,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        by_sort(
            parameters,
            |kernel| graph_nodes::cuGraphKernelNodeSetParams_v2(node, kernel),
            |copy| graph_nodes::cuGraphMemcpyNodeSetParams(node, copy),
            || any_node::cudaGraphNodeSetParams(node, parameters),
        )
    }
}

/// Changes a node of any sort in a graph that can be launched.
///
/// # Safety
/// As for [`cuGraphNodeSetParams`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecNodeSetParams(
    executable: *mut c_void,
    node: *mut c_void,
    parameters: *mut NodeParameters,
) -> i32 {
    let none = std::ptr::null_mut();
    // SAFETY: caller.
    unsafe {
        by_sort(
            parameters,
            |kernel| graph_nodes::cuGraphExecKernelNodeSetParams_v2(executable, node, kernel),
            |copy| graph_nodes::cuGraphExecMemcpyNodeSetParams(executable, node, copy, none),
            || any_node::cudaGraphExecNodeSetParams(executable, node, parameters),
        )
    }
}
