//! Nodes of graphs by their sorts. What a node does comes about on a stream that is captured for it alone.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::abi::{AllocationParameters, CopyBox, FillParameters, HostParameters, KernelParameters};
use crate::copy::{self, Direction, Extent, Side, Waits};
use crate::entry::copies::copy_box_on;
use crate::entry::graphs::{behind, change, executable, graph};
use crate::entry::host_calls::host_call;
use crate::entry::memory::graph_memory;
use crate::entry::place;
use crate::entry::symbols::{Way, transfer};
use crate::error::{Code, Result, answer};
use crate::graph::described::{Described, DriversCopy};
use crate::graph::node::{Action, Node, NodeKind, NodeWork};
use crate::graph::recorder::Recorder;
use crate::graph::{Graph, capture};
use crate::launch::{self, Configuration};
use crate::own_stream::OwnStream;
use crate::runtime::runtime;
use crate::streams::{Role, Stream};

/// What `enqueue` enqueues on a stream of the current device.
fn recorded(enqueue: impl FnOnce(&OwnStream) -> Result<()>) -> Result<NodeWork> {
    let graph: Arc<Graph> = Arc::default();
    let own = OwnStream {
        device: runtime().device()?.clone(),
        stream: Stream::new(Box::new(Recorder::default()), Role::Independent),
    };
    capture::begin(&own.stream, (0, graph.clone()), Default::default())?;
    enqueue(&own)?;
    capture::end(&own.stream)?;
    let node = graph.ordered()?.pop();
    let action = node.map_or(Action::Operations(Vec::new()), |(_, node)| node.work);
    Ok(action.into())
}

/// The same by a function that takes the stream's handle.
fn recorded_by_handle(enqueue: impl FnOnce(usize) -> Result<()>) -> Result<NodeWork> {
    recorded(|own| {
        let handle = runtime().streams.add(own.clone());
        let outcome = enqueue(handle);
        runtime().streams.remove(handle);
        outcome
    })
}

/// # Safety
/// As for [`launch::launch`].
pub(super) unsafe fn kernel(parameters: *const KernelParameters) -> Result<NodeWork> {
    // SAFETY: null or valid (caller).
    let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
    if parameters.arguments.is_null() && !parameters.extra.is_null() {
        return Err(Code::NOT_SUPPORTED);
    }
    let (stub, arguments) = (parameters.function as usize, parameters.arguments);
    recorded_by_handle(|stream| {
        let configuration = Configuration {
            grid: parameters.grid.counts(),
            block: parameters.block.counts(),
            shared: parameters.shared as usize,
            stream,
            cooperative: false,
        };
        // SAFETY: caller.
        unsafe { launch::launch(runtime(), stub, configuration, arguments) }
    })
}

/// # Safety
/// As for [`copy_box_on`].
pub(super) unsafe fn copy_box(parameters: *const CopyBox) -> Result<NodeWork> {
    // SAFETY: null or valid (caller).
    let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
    // SAFETY: caller.
    let work = recorded(|own| unsafe { copy_box_on(own, parameters, Waits::ForPageable) })?;
    Ok(work.described(Described::Copy(*parameters)))
}

/// # Safety
/// As for [`copy::copy`].
unsafe fn copy_row(
    to: *mut c_void,
    from: *const c_void,
    len: usize,
    kind: c_int,
) -> Result<NodeWork> {
    let direction = Direction::of(kind)?;
    let ranges = (to as u64, from as u64, len);
    // SAFETY: caller.
    let work = recorded(|own| unsafe {
        copy::copy(runtime(), own, ranges, direction, Waits::ForPageable)
    })?;
    Ok(work.described(Described::row(to as u64, from as u64, len, kind)))
}

/// # Safety
/// As for [`transfer`].
unsafe fn copy_symbol(
    symbol: *const c_void,
    way: Way,
    part: (usize, usize),
    kind: c_int,
) -> Result<NodeWork> {
    recorded_by_handle(|stream| {
        let stream = stream as *mut c_void;
        // SAFETY: caller.
        unsafe { transfer(symbol, way, part, kind, stream, Waits::ForPageable) }
    })
}

/// # Safety
/// As for [`copy::fill_rows`].
pub(super) unsafe fn fill(parameters: *const FillParameters) -> Result<NodeWork> {
    // SAFETY: null or valid (caller).
    let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
    let size = parameters.element as usize;
    let value = parameters.value.to_le_bytes();
    let element = match size {
        1 | 2 | 4 => &value[..size],
        _ => return Err(Code::INVALID_VALUE),
    };
    let width = parameters.width.checked_mul(size);
    let extent = Extent {
        width: width.ok_or(Code::INVALID_VALUE)?,
        height: parameters.height,
        depth: 1,
    };
    let side = Side::rows(parameters.to as u64, parameters.pitch);
    if extent.height > 1 && extent.width > side.pitch {
        return Err(Code::INVALID_PITCH);
    }
    let is_bytes = element.iter().all(|byte| *byte == element[0]);
    let work = recorded(|own| match is_bytes {
        // SAFETY: caller.
        true => unsafe {
            copy::fill_rows(runtime(), own, side, element[0], extent, Waits::ForPageable)
        },
        // SAFETY: caller.
        false => unsafe { copy::fill_elements(runtime(), own, side, element, extent) },
    });
    Ok(work?.described(Described::Fill(*parameters)))
}

/// Adds a node.
///
/// # Safety
/// The address for it is null or valid, and the list has so many entries.
unsafe fn add(
    node: *mut *mut c_void,
    graph: *mut c_void,
    list: (*const *mut c_void, usize),
    kind: NodeKind,
    work: impl FnOnce() -> Result<NodeWork>,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { add_node(node, graph, list, kind, work) })
}

/// The same, for whoever has more to do.
///
/// # Safety
/// As for [`add`].
pub(super) unsafe fn add_node(
    node: *mut *mut c_void,
    graph: *mut c_void,
    (list, count): (*const *mut c_void, usize),
    kind: NodeKind,
    work: impl FnOnce() -> Result<NodeWork>,
) -> Result<()> {
    // SAFETY: caller.
    let (place, (graph, before)) = unsafe { (place(node)?, behind(graph, list, count)?) };
    *place = graph.add(Node::new(kind, work()?, before))? as *mut c_void;
    Ok(())
}

/// Adds a copy, which `enqueue` enqueues.
///
/// # Safety
/// The address for the node is null or valid, the list has so many entries, and the memory is valid whenever it runs.
pub unsafe fn add_copy(
    node: *mut *mut c_void,
    graph: *mut c_void,
    list: (*const *mut c_void, usize),
    described: DriversCopy,
    enqueue: impl FnOnce(&OwnStream) -> Result<()>,
) -> i32 {
    let work = || Ok(recorded(enqueue)?.described(Described::DriversCopy(described)));
    // SAFETY: caller.
    unsafe { add(node, graph, list, NodeKind::Copy, work) }
}

/// Has a node do a copy, which `enqueue` enqueues: in a graph that can be launched, if there is one.
pub fn change_copy(
    executable: Option<*mut c_void>,
    node: *mut c_void,
    described: DriversCopy,
    enqueue: impl FnOnce(&OwnStream) -> Result<()>,
) -> i32 {
    let work = recorded(enqueue).map(|work| work.described(Described::DriversCopy(described)));
    match executable {
        Some(executable) => change_executable(executable, node, NodeKind::Copy, work),
        None => answer(work.and_then(|work| change(node, NodeKind::Copy, work))),
    }
}

/// Changes a node of a graph that can be launched.
pub(super) fn change_executable(
    executable: *mut c_void,
    node: *mut c_void,
    kind: NodeKind,
    work: Result<NodeWork>,
) -> i32 {
    let graph = self::executable(executable);
    answer(graph.and_then(|graph| graph.replace(node as usize, kind, work?)))
}

/// A program's list of nodes.
type List = *const *mut c_void;

/// A function that adds a sort of node.
macro_rules! added {
    ($($add:ident: $kind:ident by $work:ident ($($name:ident: $type:ty),*) $call:tt;)*) => { $(
        /// Adds a node of this sort.
        ///
        /// # Safety
        /// The addresses are null or valid, and the memory that the node uses is valid whenever it runs.
        pub unsafe extern "C" fn $add(
            node: *mut *mut c_void,
            graph: *mut c_void,
            list: List,
            count: usize,
            $($name: $type),*
        ) -> i32 {
            #[allow(unused_unsafe, reason = "the work of some sorts is safe")]
            // SAFETY: caller.
            unsafe { add(node, graph, (list, count), NodeKind::$kind, || unsafe { $work $call }) }
        }
    )* };
}

/// The functions that change a sort of node: in a graph, and in one that can be launched.
macro_rules! changed {
    ($(
        $set:ident, $execute:ident: $kind:ident by $work:ident ($($name:ident: $type:ty),*) $call:tt;
    )*) => { $(
        /// Changes a node of this sort.
        ///
        /// # Safety
        /// As for a new node.
        pub unsafe extern "C" fn $set(node: *mut c_void, $($name: $type),*) -> i32 {
            #[allow(unused_unsafe, reason = "the work of some sorts is safe")]
            // SAFETY: caller.
            let work = unsafe { $work $call };
            answer(work.and_then(|work| change(node, NodeKind::$kind, work)))
        }

        /// Changes a node of this sort in a graph that can be launched.
        ///
        /// # Safety
        /// As for a new node.
        pub unsafe extern "C" fn $execute(
            executable: *mut c_void,
            node: *mut c_void,
            $($name: $type),*
        ) -> i32 {
            #[allow(unused_unsafe, reason = "the work of some sorts is safe")]
            // SAFETY: caller.
            let work = unsafe { $work $call };
            change_executable(executable, node, NodeKind::$kind, work)
        }
    )* };
}

added! {
    cudaGraphAddKernelNode: Kernel by kernel (parameters: *const KernelParameters) (parameters);
    cudaGraphAddMemcpyNode: Copy by copy_box (parameters: *const CopyBox) (parameters);
    cudaGraphAddMemcpyNode1D: Copy by copy_row
        (to: *mut c_void, from: *const c_void, len: usize, kind: c_int) (to, from, len, kind);
    cudaGraphAddMemcpyNodeToSymbol: Copy by copy_symbol
        (symbol: *const c_void, from: *const c_void, len: usize, offset: usize, kind: c_int)
        (symbol, Way::To(from as u64), (len, offset), kind);
    cudaGraphAddMemcpyNodeFromSymbol: Copy by copy_symbol
        (to: *mut c_void, symbol: *const c_void, len: usize, offset: usize, kind: c_int)
        (symbol, Way::From(to as u64), (len, offset), kind);
    cudaGraphAddMemsetNode: Fill by fill (parameters: *const FillParameters) (parameters);
    cudaGraphAddHostNode: Host by host (parameters: *const HostParameters) (parameters);
    cudaGraphAddChildGraphNode: Graph by child (child_graph: *mut c_void) (child_graph);
    cudaGraphAddEmptyNode: Empty by empty () ();
    cudaGraphAddEventRecordNode: EventRecord by record (event: *mut c_void) (event);
    cudaGraphAddEventWaitNode: EventWait by wait (event: *mut c_void) (event);
    cudaGraphAddMemAllocNode: Allocation by allocation
        (parameters: *mut AllocationParameters) (parameters);
    cudaGraphAddMemFreeNode: Free by free (memory: *mut c_void) (memory);
}

changed! {
    cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams: Kernel by kernel
        (parameters: *const KernelParameters) (parameters);
    cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams: Copy by copy_box
        (parameters: *const CopyBox) (parameters);
    cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D: Copy by copy_row
        (to: *mut c_void, from: *const c_void, len: usize, kind: c_int) (to, from, len, kind);
    cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsToSymbol: Copy by copy_symbol
        (symbol: *const c_void, from: *const c_void, len: usize, offset: usize, kind: c_int)
        (symbol, Way::To(from as u64), (len, offset), kind);
    cudaGraphMemcpyNodeSetParamsFromSymbol, cudaGraphExecMemcpyNodeSetParamsFromSymbol: Copy by copy_symbol
        (to: *mut c_void, symbol: *const c_void, len: usize, offset: usize, kind: c_int)
        (symbol, Way::From(to as u64), (len, offset), kind);
    cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams: Fill by fill
        (parameters: *const FillParameters) (parameters);
    cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams: Host by host
        (parameters: *const HostParameters) (parameters);
    cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent: EventRecord by record
        (event: *mut c_void) (event);
    cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent: EventWait by wait
        (event: *mut c_void) (event);
}

/// # Safety
/// The function may be called with its data on any thread, whenever the graph runs.
pub(super) unsafe fn host(parameters: *const HostParameters) -> Result<NodeWork> {
    // SAFETY: null or valid (caller).
    let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
    // SAFETY: caller.
    let call = unsafe { host_call(parameters.function, parameters.data)? };
    let work = recorded(|own| own.device.enqueue_call(&own.stream, call))?;
    Ok(work.described(Described::Host(*parameters)))
}

/// Changes the graph that is a node, in a graph that can be launched.
pub extern "C" fn cudaGraphExecChildGraphNodeSetParams(
    executable: *mut c_void,
    node: *mut c_void,
    child_graph: *mut c_void,
) -> i32 {
    change_executable(executable, node, NodeKind::Graph, child(child_graph))
}

/// A node has the graph as it is now.
pub(super) fn child(child: *mut c_void) -> Result<NodeWork> {
    Ok(Action::Graph(graph(child)?.duplicate()).into())
}

pub(super) fn empty() -> Result<NodeWork> {
    Ok(Action::Operations(Vec::new()).into())
}

pub(super) fn record(event: *mut c_void) -> Result<NodeWork> {
    let work = NodeWork::from(Action::Record(runtime().event(event as usize)?));
    Ok(work.described(Described::Event(event as usize)))
}

pub(super) fn wait(event: *mut c_void) -> Result<NodeWork> {
    let work = NodeWork::from(Action::Wait(runtime().event(event as usize)?));
    Ok(work.described(Described::Event(event as usize)))
}

/// # Safety
/// The address is null or valid.
pub(super) unsafe fn allocation(parameters: *mut AllocationParameters) -> Result<NodeWork> {
    // SAFETY: caller.
    let parameters = unsafe { place(parameters)? };
    let (address, memory) = graph_memory(parameters.bytes)?;
    parameters.address = address;
    let work = NodeWork::from(Action::Memory(memory));
    Ok(work.described(Described::Allocation(*parameters)))
}

/// Memory of a graph stays as long as the graph does, so that nothing is to be done when it runs.
pub(super) fn free(memory: *mut c_void) -> Result<NodeWork> {
    match runtime().graph_memory.has(memory as u64) {
        true => Ok(empty()?.described(Described::Free(memory as u64))),
        false => Err(Code::INVALID_VALUE),
    }
}
