//! What nodes of graphs were made with, and whether they run.

use std::ffi::{c_char, c_int, c_void};

use cudart::abi::{AllocationParameters, FillParameters, HostParameters, KernelParameters};
use cudart::entry::graph_questions as questions;
use cudart::error::{Code, without_trace};
use cudart::graph::described::Described;

use crate::entry::copies::BoxCopy;
use crate::entry::graph_nodes::KernelNode;
use crate::entry::{forward, in_context, outcome, place, started};
use crate::status::answer;
use crate::{contexts, modules};

/// The launch of a kernel's node. The list of arguments is valid until the node changes.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetParams_v2(
    node: *mut c_void,
    parameters: *mut KernelNode,
) -> i32 {
    let ask = || {
        let context = contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(parameters)? };
        let mut launch = KernelParameters::default();
        // SAFETY: the place is valid.
        outcome(without_trace(|| unsafe {
            questions::cudaGraphKernelNodeGetParams(node, &mut launch)
        }))?;
        // A kernel of the runtime's interface has a handle that this one does not know.
        modules::kernel(launch.function as usize)?;
        *place = KernelNode {
            launch,
            kernel: std::ptr::null_mut(),
            context: contexts::handle(&context) as *mut c_void,
        };
        Ok(())
    };
    answer(ask())
}

/// The parameters of a copy.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemcpyNodeGetParams(node: *mut c_void, copy: *mut BoxCopy) -> i32 {
    let ask = || {
        contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(copy)? };
        *place = match questions::described(node)? {
            Described::DriversCopy(words) => BoxCopy::of_words(&words),
            Described::Copy(copy) => BoxCopy::of_runtimes(&copy)?,
            _ => return Err(Code::INVALID_VALUE),
        };
        Ok(())
    };
    answer(ask())
}

/// Gives a kernel's node all attributes of another one.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeCopyAttributes(to: *mut c_void, from: *mut c_void) -> i32 {
    answer(contexts::started().and_then(|()| questions::copy_attributes(from, to)))
}

forward! {
    in_context;
    /// The parameters of a fill.
    cuGraphMemsetNodeGetParams = graph_questions::cudaGraphMemsetNodeGetParams(
        node: *mut c_void, parameters: *mut FillParameters
    );
    /// The function of the host that a node calls.
    cuGraphHostNodeGetParams = graph_questions::cudaGraphHostNodeGetParams(
        node: *mut c_void, parameters: *mut HostParameters
    );
    /// The memory that a node makes.
    cuGraphMemAllocNodeGetParams = graph_questions::cudaGraphMemAllocNodeGetParams(
        node: *mut c_void, parameters: *mut AllocationParameters
    );
    /// The memory whose use a node ends.
    cuGraphMemFreeNodeGetParams = graph_questions::cudaGraphMemFreeNodeGetParams(
        node: *mut c_void, address: *mut *mut c_void
    );
}

forward! {
    started;
    /// The event that a node records.
    cuGraphEventRecordNodeGetEvent = graph_questions::cudaGraphEventRecordNodeGetEvent(
        node: *mut c_void, event: *mut *mut c_void
    );
    /// Has a node record another event.
    cuGraphEventRecordNodeSetEvent = graph_nodes::cudaGraphEventRecordNodeSetEvent(
        node: *mut c_void, event: *mut c_void
    );
    /// The event for which a node waits.
    cuGraphEventWaitNodeGetEvent = graph_questions::cudaGraphEventWaitNodeGetEvent(
        node: *mut c_void, event: *mut *mut c_void
    );
    /// Has a node wait for another event.
    cuGraphEventWaitNodeSetEvent = graph_nodes::cudaGraphEventWaitNodeSetEvent(
        node: *mut c_void, event: *mut c_void
    );
    /// Has a node record another event, in a graph that can be launched.
    cuGraphExecEventRecordNodeSetEvent = graph_nodes::cudaGraphExecEventRecordNodeSetEvent(
        executable: *mut c_void, node: *mut c_void, event: *mut c_void
    );
    /// Has a node wait for another event, in a graph that can be launched.
    cuGraphExecEventWaitNodeSetEvent = graph_nodes::cudaGraphExecEventWaitNodeSetEvent(
        executable: *mut c_void, node: *mut c_void, event: *mut c_void
    );
    /// Changes the graph that is a node, in a graph that can be launched.
    cuGraphExecChildGraphNodeSetParams = graph_nodes::cudaGraphExecChildGraphNodeSetParams(
        executable: *mut c_void, node: *mut c_void, child: *mut c_void
    );
    /// Has launches of a graph leave a node out, or do it.
    cuGraphNodeSetEnabled = graph_questions::cudaGraphNodeSetEnabled(
        executable: *mut c_void, node: *mut c_void, enabled: u32
    );
    /// Whether launches of a graph do a node.
    cuGraphNodeGetEnabled = graph_questions::cudaGraphNodeGetEnabled(
        executable: *mut c_void, node: *mut c_void, enabled: *mut u32
    );
    /// The flags with which a graph was made one that can be launched.
    cuGraphExecGetFlags = graph_questions::cudaGraphExecGetFlags(
        executable: *mut c_void, flags: *mut u64
    );
    /// Writes a graph in the language of Graphviz.
    cuGraphDebugDotPrint = graph_questions::cudaGraphDebugDotPrint(
        graph: *mut c_void, path: *const c_char, flags: u32
    );
    /// An attribute of a kernel's node.
    cuGraphKernelNodeGetAttribute = graph_questions::cudaGraphKernelNodeGetAttribute(
        node: *mut c_void, attribute: c_int, value: *mut [i32; 16]
    );
    /// Gives a kernel's node an attribute.
    cuGraphKernelNodeSetAttribute = graph_questions::cudaGraphKernelNodeSetAttribute(
        node: *mut c_void, attribute: c_int, value: *const [i32; 16]
    );
    /// What graphs of a device have of its memory.
    cuDeviceGetGraphMemAttribute = graphs::cudaDeviceGetGraphMemAttribute(
        device: c_int, attribute: c_int, value: *mut u64
    );
    /// Memory of graphs is freed with them.
    cuDeviceGraphMemTrim = graphs::cudaDeviceGraphMemTrim(device: c_int);
}
