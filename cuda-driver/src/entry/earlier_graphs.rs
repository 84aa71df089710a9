//! Graphs as CUDA 10 and 11 had them, for programs that look the plain names up by themselves (tinygrad): nodes whose
//! kernels are functions of modules, and errors in places of their own.

use std::ffi::{c_char, c_int, c_void};

use cudart::abi::{KernelParameters, UpdateResult};
use cudart::error::Code;

use crate::entry::graph_nodes::{self, KernelNode};
use crate::entry::{graph_questions, outcome, place, user_objects};
use crate::status::answer;

/// `CUDA_KERNEL_NODE_PARAMS_v1` as today's structure.
fn today(launch: KernelParameters) -> KernelNode {
    KernelNode {
        launch,
        kernel: std::ptr::null_mut(),
        context: std::ptr::null_mut(),
    }
}

/// Calls a function of today's with that structure.
///
/// # Safety
/// The address is null or valid.
unsafe fn with_today(
    parameters: *const KernelParameters,
    call: impl FnOnce(&KernelNode) -> i32,
) -> i32 {
    // SAFETY: caller.
    match unsafe { parameters.as_ref() } {
        Some(launch) => call(&today(*launch)),
        None => answer(Err(Code::INVALID_VALUE)),
    }
}

/// Adds a kernel's launch.
///
/// # Safety
/// The addresses are null or valid, the list has so many nodes, and the arguments are those of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddKernelNode(
    node: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    parameters: *const KernelParameters,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_today(parameters, |given| {
            graph_nodes::cuGraphAddKernelNode_v2(node, graph, after, count, given)
        })
    }
}

/// Changes one.
///
/// # Safety
/// As for a new node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetParams(
    node: *mut c_void,
    parameters: *const KernelParameters,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_today(parameters, |given| {
            graph_nodes::cuGraphKernelNodeSetParams_v2(node, given)
        })
    }
}

/// Changes one in a graph that can be launched.
///
/// # Safety
/// As for a new node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecKernelNodeSetParams(
    executable: *mut c_void,
    node: *mut c_void,
    parameters: *const KernelParameters,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_today(parameters, |given| {
            graph_nodes::cuGraphExecKernelNodeSetParams_v2(executable, node, given)
        })
    }
}

/// The launch of a kernel's node.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetParams(
    node: *mut c_void,
    parameters: *mut KernelParameters,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(parameters)? };
        let mut found = today(KernelParameters::default());
        // SAFETY: the place is valid.
        outcome(unsafe { graph_questions::cuGraphKernelNodeGetParams_v2(node, &mut found) })?;
        *place = found.launch;
        Ok(())
    };
    answer(ask())
}

/// Makes a graph that can be launched. No node is ever at fault, and nothing is logged.
///
/// # Safety
/// The addresses are null or valid, the log's for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiate_v2(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    error_node: *mut *mut c_void,
    log: *mut c_char,
    bytes: usize,
) -> i32 {
    // SAFETY: caller.
    if let Some(node) = unsafe { error_node.as_mut() } {
        *node = std::ptr::null_mut();
    }
    if !log.is_null() && bytes > 0 {
        // SAFETY: there is a byte (caller).
        unsafe { log.write(0) };
    }
    // SAFETY: caller.
    unsafe { user_objects::cuGraphInstantiateWithFlags(executable, graph, 0) }
}

/// Has a graph that can be launched become another one.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecUpdate(
    executable: *mut c_void,
    graph: *mut c_void,
    error_node: *mut *mut c_void,
    result: *mut c_int,
) -> i32 {
    let mut found = UpdateResult {
        result: 0,
        error_node: std::ptr::null_mut(),
        error_from_node: std::ptr::null_mut(),
    };
    // SAFETY: the place is valid.
    let code = unsafe { graph_nodes::cuGraphExecUpdate_v2(executable, graph, &mut found) };
    // SAFETY: caller.
    unsafe {
        if let Some(place) = error_node.as_mut() {
            *place = found.error_node;
        }
        if let Some(place) = result.as_mut() {
            *place = found.result;
        }
    }
    code
}
