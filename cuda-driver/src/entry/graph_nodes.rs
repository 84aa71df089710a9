//! Nodes of graphs, one by one.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use cudart::abi::{
    AllocationParameters, FillParameters, HostParameters, KernelParameters, UpdateResult,
};
use cudart::copy::Waits;
use cudart::entry::graph_nodes as nodes;
use cudart::error::{Code, Result, without_trace};
use cudart::graph::described::DriversCopy;
use cudart::own_stream::OwnStream;

use crate::contexts;
use crate::entry::copies::{BoxCopy, box_on};
use crate::entry::launches::arguments;
use crate::entry::{forward, in_context, outcome, started};
use crate::status::answer;

/// `CUDA_KERNEL_NODE_PARAMS_v2`: what the runtime's interface has, and the kernel of a library instead of a function.
#[repr(C)]
pub struct KernelNode {
    pub(super) launch: KernelParameters,
    pub(super) kernel: *mut c_void,
    pub(super) context: *mut c_void,
}

/// Does something with the parameters of a kernel's node, whose arguments are addresses.
///
/// # Safety
/// The address is null or valid, and the arguments are those of the kernel.
unsafe fn with_kernel(
    node: *const KernelNode,
    work: impl FnOnce(*const KernelParameters) -> i32,
) -> i32 {
    let call = || -> Result<()> {
        contexts::current()?;
        // SAFETY: caller.
        let node = unsafe { node.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let function = match node.launch.function.is_null() {
            true => node.kernel,
            false => node.launch.function.cast_mut(),
        };
        let addresses = node.launch.arguments.cast_mut().cast();
        // SAFETY: caller.
        let given = unsafe { arguments(function, addresses, node.launch.extra)? };
        let launch = KernelParameters {
            function,
            grid: node.launch.grid,
            block: node.launch.block,
            shared: node.launch.shared,
            arguments: given.as_ptr(),
            extra: std::ptr::null_mut(),
        };
        outcome(without_trace(|| work(&launch)))
    };
    answer(call())
}

/// Adds a kernel's launch.
///
/// # Safety
/// The addresses are null or valid, the list has so many nodes, and the arguments are those of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddKernelNode_v2(
    node: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    parameters: *const KernelNode,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_kernel(parameters, |launch| {
            nodes::cudaGraphAddKernelNode(node, graph, after, count, launch)
        })
    }
}

/// Changes one.
///
/// # Safety
/// As for a new node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetParams_v2(
    node: *mut c_void,
    parameters: *const KernelNode,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_kernel(parameters, |launch| {
            nodes::cudaGraphKernelNodeSetParams(node, launch)
        })
    }
}

/// Changes one in a graph that can be launched.
///
/// # Safety
/// As for a new node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecKernelNodeSetParams_v2(
    executable: *mut c_void,
    node: *mut c_void,
    parameters: *const KernelNode,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_kernel(parameters, |launch| {
            nodes::cudaGraphExecKernelNodeSetParams(executable, node, launch)
        })
    }
}

/// Adds a fill. The context is that of the launch.
///
/// # Safety
/// The addresses are null or valid, and the list has so many nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemsetNode(
    node: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    parameters: *const FillParameters,
    _context: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe { nodes::cudaGraphAddMemsetNode(node, graph, after, count, parameters) })
}

/// Adds a copy. The context is that of the launch.
///
/// # Safety
/// The addresses are null or valid, the list has so many nodes, and the memory is valid whenever the node runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemcpyNode(
    node: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    copy: *const BoxCopy,
    _context: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe {
        nodes::add_copy(node, graph, (after, count), words(copy), |own| {
            enqueue(own, copy)
        })
    })
}

/// Changes one.
///
/// # Safety
/// As for a new node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemcpyNodeSetParams(
    node: *mut c_void,
    copy: *const BoxCopy,
) -> i32 {
    // SAFETY: caller.
    let words = unsafe { words(copy) };
    // SAFETY: caller.
    in_context(|| nodes::change_copy(None, node, words, |own| unsafe { enqueue(own, copy) }))
}

/// Changes one in a graph that can be launched.
///
/// # Safety
/// As for a new node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecMemcpyNodeSetParams(
    executable: *mut c_void,
    node: *mut c_void,
    copy: *const BoxCopy,
    _context: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    let words = unsafe { words(copy) };
    // SAFETY: caller.
    in_context(|| {
        // SAFETY: caller.
        nodes::change_copy(Some(executable), node, words, |own| unsafe {
            enqueue(own, copy)
        })
    })
}

/// What a graph keeps of a copy.
///
/// # Safety
/// The address is null or valid.
unsafe fn words(copy: *const BoxCopy) -> DriversCopy {
    // SAFETY: caller.
    unsafe { copy.as_ref() }.map_or([MaybeUninit::zeroed(); 25], BoxCopy::words)
}

/// # Safety
/// The address is null or valid, and so is the memory.
unsafe fn enqueue(own: &OwnStream, copy: *const BoxCopy) -> Result<()> {
    // SAFETY: caller.
    let copy = unsafe { copy.as_ref() }.ok_or(Code::INVALID_VALUE)?;
    // SAFETY: caller.
    unsafe { box_on(own, copy, Waits::ForPageable) }
}

/// Changes a fill in a graph that can be launched.
///
/// # Safety
/// As for a new node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecMemsetNodeSetParams(
    executable: *mut c_void,
    node: *mut c_void,
    parameters: *const FillParameters,
    _context: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe { nodes::cudaGraphExecMemsetNodeSetParams(executable, node, parameters) })
}

forward! {
    in_context;
    /// Changes a fill.
    cuGraphMemsetNodeSetParams = graph_nodes::cudaGraphMemsetNodeSetParams(
        node: *mut c_void, parameters: *const FillParameters
    );
    /// Changes a call of a function of the host's.
    cuGraphHostNodeSetParams = graph_nodes::cudaGraphHostNodeSetParams(
        node: *mut c_void, parameters: *const HostParameters
    );
    /// Changes one in a graph that can be launched.
    cuGraphExecHostNodeSetParams = graph_nodes::cudaGraphExecHostNodeSetParams(
        executable: *mut c_void, node: *mut c_void, parameters: *const HostParameters
    );
    /// Adds a call of a function of the host's.
    cuGraphAddHostNode = graph_nodes::cudaGraphAddHostNode(
        node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize,
        parameters: *const HostParameters
    );
    /// Adds a graph.
    cuGraphAddChildGraphNode = graph_nodes::cudaGraphAddChildGraphNode(
        node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, child: *mut c_void
    );
    /// Adds a record of an event.
    cuGraphAddEventRecordNode = graph_nodes::cudaGraphAddEventRecordNode(
        node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void
    );
    /// Adds a wait for an event.
    cuGraphAddEventWaitNode = graph_nodes::cudaGraphAddEventWaitNode(
        node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void
    );
    /// Adds memory that is there as long as the graph.
    cuGraphAddMemAllocNode = graph_nodes::cudaGraphAddMemAllocNode(
        node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize,
        parameters: *mut AllocationParameters
    );
    /// Adds the end of its use.
    cuGraphAddMemFreeNode = graph_nodes::cudaGraphAddMemFreeNode(
        node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, memory: *mut c_void
    );
}

forward! {
    started;
    /// The graph of a node.
    cuGraphChildGraphNodeGetGraph = graphs::cudaGraphChildGraphNodeGetGraph(
        node: *mut c_void, graph: *mut *mut c_void
    );
    /// Has a graph that can be launched become another one.
    cuGraphExecUpdate_v2 = graphs::cudaGraphExecUpdate(
        executable: *mut c_void, graph: *mut c_void, result: *mut UpdateResult
    );
}
