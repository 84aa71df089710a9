//! Graphs: nodes and edges as wholes, and graphs that can be launched.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::abi::{InstantiateParameters, UpdateResult};
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::graph::executable::{Difference, Executable};
use crate::graph::node::{Action, NodeId, NodeKind, NodeWork};
use crate::graph::{Graph, graph_of};
use crate::runtime::runtime;

/// The graph of a handle.
pub fn graph(handle: *mut c_void) -> Result<Arc<Graph>> {
    let graph = runtime().graphs.get(handle as usize);
    graph.ok_or(Code::INVALID_VALUE)
}

/// A graph that can be launched, of a handle.
pub fn executable(handle: *mut c_void) -> Result<Arc<Executable>> {
    let executable = runtime().executables.get(handle as usize);
    executable.ok_or(Code::INVALID_VALUE)
}

/// The numbers of nodes in a program's list.
///
/// # Safety
/// The list is null or has so many entries.
pub unsafe fn ids(list: *const *mut c_void, count: usize) -> Result<Vec<NodeId>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if list.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: caller.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    Ok(list.iter().map(|node| *node as usize).collect())
}

/// Writes a list where the program wants it. Without a place for it, the program gets the count alone.
///
/// # Safety
/// The list is null or has as many places as `count` says, which is null or valid.
unsafe fn give(ids: &[NodeId], list: *mut *mut c_void, count: *mut usize) -> Result<()> {
    // SAFETY: caller.
    let count = unsafe { place(count)? };
    if !list.is_null() {
        // SAFETY: caller.
        let list = unsafe { std::slice::from_raw_parts_mut(list, *count) };
        list.fill(std::ptr::null_mut());
        for (place, id) in list.iter_mut().zip(ids) {
            *place = *id as *mut c_void;
        }
        *count = (*count).min(ids.len());
        return Ok(());
    }
    *count = ids.len();
    Ok(())
}

/// Makes a graph.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphCreate(graph: *mut *mut c_void, flags: u32) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(graph) };
    answer(place.and_then(|place| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        *place = runtime().graphs.add(Arc::default()) as *mut c_void;
        Ok(())
    }))
}

/// Destroys a graph. What was instantiated of it stays.
pub extern "C" fn cudaGraphDestroy(graph: *mut c_void) -> i32 {
    let removed = runtime().graphs.remove(graph as usize);
    answer(removed.map(drop).ok_or(Code::INVALID_VALUE))
}

/// Copies a graph.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphClone(clone: *mut *mut c_void, original: *mut c_void) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(clone) };
    answer(place.and_then(|place| {
        let copy = graph(original)?.duplicate();
        *place = runtime().graphs.add(copy) as *mut c_void;
        Ok(())
    }))
}

/// The node of a clone that was made of this one.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphNodeFindInClone(
    node: *mut *mut c_void,
    original: *mut c_void,
    clone: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(node) };
    answer(place.and_then(|place| {
        let found = graph(clone)?.clone_of(original as usize);
        *place = found.ok_or(Code::INVALID_VALUE)? as *mut c_void;
        Ok(())
    }))
}

/// The nodes of a graph.
///
/// # Safety
/// As for the list of [`cudaGraphGetRootNodes`].
pub unsafe extern "C" fn cudaGraphGetNodes(
    graph: *mut c_void,
    nodes: *mut *mut c_void,
    count: *mut usize,
) -> i32 {
    let all = self::graph(graph).map(|graph| graph.ids());
    // SAFETY: caller.
    answer(all.and_then(|all| unsafe { give(&all, nodes, count) }))
}

/// The nodes of a graph before which there are none.
///
/// # Safety
/// The list is null or has as many places as `count` says, which is null or valid.
pub unsafe extern "C" fn cudaGraphGetRootNodes(
    graph: *mut c_void,
    nodes: *mut *mut c_void,
    count: *mut usize,
) -> i32 {
    let roots = self::graph(graph).map(|graph| graph.roots());
    // SAFETY: caller.
    answer(roots.and_then(|roots| unsafe { give(&roots, nodes, count) }))
}

/// The edges of a graph.
///
/// # Safety
/// The lists are null or have as many places as `count` says, which is null or valid.
pub unsafe extern "C" fn cudaGraphGetEdges(
    graph: *mut c_void,
    from: *mut *mut c_void,
    to: *mut *mut c_void,
    count: *mut usize,
) -> i32 {
    let ask = || {
        let (befores, behinds): (Vec<_>, Vec<_>) = self::graph(graph)?.edges().into_iter().unzip();
        if from.is_null() != to.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let room = *unsafe { place(count)? };
        // SAFETY: caller. The second list has the room that the first one had.
        unsafe {
            give(&befores, from, count)?;
            count.write(if to.is_null() { befores.len() } else { room });
            give(&behinds, to, count)
        }
    };
    answer(ask())
}

/// # Safety
/// The lists have so many entries.
unsafe fn connect(
    graph: *mut c_void,
    from: *const *mut c_void,
    to: *const *mut c_void,
    count: usize,
    adds: bool,
) -> Result<()> {
    // SAFETY: caller.
    let (from, to) = unsafe { (ids(from, count)?, ids(to, count)?) };
    let edges: Vec<_> = from.into_iter().zip(to).collect();
    self::graph(graph)?.connect(&edges, adds)
}

/// Adds edges.
///
/// # Safety
/// The lists have so many entries.
pub unsafe extern "C" fn cudaGraphAddDependencies(
    graph: *mut c_void,
    from: *const *mut c_void,
    to: *const *mut c_void,
    count: usize,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { connect(graph, from, to, count, true) })
}

/// Removes edges.
///
/// # Safety
/// The lists have so many entries.
pub unsafe extern "C" fn cudaGraphRemoveDependencies(
    graph: *mut c_void,
    from: *const *mut c_void,
    to: *const *mut c_void,
    count: usize,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { connect(graph, from, to, count, false) })
}

/// The sort of a node.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphNodeGetType(node: *mut c_void, kind: *mut c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(kind) };
    answer(place.and_then(|place| {
        *place = graph_of(node as usize)?.node(node as usize)?.kind as c_int;
        Ok(())
    }))
}

/// The nodes before a node.
///
/// # Safety
/// As for the list of [`cudaGraphGetRootNodes`].
pub unsafe extern "C" fn cudaGraphNodeGetDependencies(
    node: *mut c_void,
    nodes: *mut *mut c_void,
    count: *mut usize,
) -> i32 {
    let ask = || {
        let node = graph_of(node as usize)?.node(node as usize)?;
        let before: Vec<NodeId> = node.after.into_iter().collect();
        // SAFETY: caller.
        unsafe { give(&before, nodes, count) }
    };
    answer(ask())
}

/// The nodes behind a node.
///
/// # Safety
/// As for the list of [`cudaGraphGetRootNodes`].
pub unsafe extern "C" fn cudaGraphNodeGetDependentNodes(
    node: *mut c_void,
    nodes: *mut *mut c_void,
    count: *mut usize,
) -> i32 {
    let ask = || {
        let edges = graph_of(node as usize)?.edges().into_iter();
        let behind = edges.filter(|(from, _)| *from == node as usize);
        let behind: Vec<NodeId> = behind.map(|(_, to)| to).collect();
        // SAFETY: caller.
        unsafe { give(&behind, nodes, count) }
    };
    answer(ask())
}

/// Removes a node.
pub extern "C" fn cudaGraphDestroyNode(node: *mut c_void) -> i32 {
    answer(graph_of(node as usize).and_then(|graph| graph.remove(node as usize)))
}

/// Makes a graph that can be launched.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphInstantiate(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    flags: u64,
) -> i32 {
    // SAFETY: caller.
    unsafe { cudaGraphInstantiateWithFlags(executable, graph, flags) }
}

/// The same. Flags are advice for GPUs, except for the launch by a kernel.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphInstantiateWithFlags(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    flags: u64,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(executable) };
    answer(place.and_then(|place| {
        *place = instantiate(graph, flags)?;
        Ok(())
    }))
}

/// The same, with the reason of a failure.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaGraphInstantiateWithParams(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    parameters: *mut InstantiateParameters,
) -> i32 {
    let make = || {
        // SAFETY: caller.
        let (place, parameters) = unsafe { (place(executable)?, place(parameters)?) };
        let made = instantiate(graph, parameters.flags);
        parameters.error_node = std::ptr::null_mut();
        parameters.result = i32::from(made.is_err());
        *place = made?;
        Ok(())
    };
    answer(make())
}

fn instantiate(graph: *mut c_void, flags: u64) -> Result<*mut c_void> {
    /// `cudaGraphInstantiateFlagAutoFreeOnLaunch`, `…Upload` and `…UseNodePriority`.
    const ADVICE: u64 = 1 | 2 | 8;
    /// `cudaGraphInstantiateFlagDeviceLaunch`.
    const BY_KERNELS: u64 = 4;
    if flags & BY_KERNELS != 0 {
        return Err(Code::NOT_SUPPORTED);
    }
    if flags & !ADVICE != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let executable = Executable::new(&*self::graph(graph)?, flags)?;
    Ok(runtime().executables.add(Arc::new(executable)) as *mut c_void)
}

/// Destroys a graph that can be launched. What was launched goes on.
pub extern "C" fn cudaGraphExecDestroy(executable: *mut c_void) -> i32 {
    let removed = runtime().executables.remove(executable as usize);
    answer(removed.map(drop).ok_or(Code::INVALID_VALUE))
}

/// Enqueues the nodes of a graph. On a captured stream, they become a node of that graph.
pub extern "C" fn cudaGraphLaunch(executable: *mut c_void, stream: *mut c_void) -> i32 {
    let launch = || {
        let own = runtime().stream(stream as usize)?;
        self::executable(executable)?.launch(&own)
    };
    answer(launch())
}

/// Prepares a launch: nothing is to be done.
pub extern "C" fn cudaGraphUpload(executable: *mut c_void, stream: *mut c_void) -> i32 {
    let own = runtime().stream(stream as usize);
    answer(own.and_then(|_| self::executable(executable)).map(drop))
}

/// Gives a graph that can be launched the parameters of another graph with the same nodes and edges.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphExecUpdate(
    executable: *mut c_void,
    graph: *mut c_void,
    result: *mut UpdateResult,
) -> i32 {
    /// `cudaGraphExecUpdateErrorTopologyChanged`, `…NodeTypeChanged`.
    const TOPOLOGY: i32 = 2;
    const KIND: i32 = 3;
    let update = || {
        // SAFETY: caller.
        let result = unsafe { place(result)? };
        let updated = self::executable(executable)?.update(&*self::graph(graph)?)?;
        let (code, node) = match updated {
            Ok(()) => (0, None),
            Err(Difference::Topology(node)) => (TOPOLOGY, node),
            Err(Difference::Kind(node)) => (KIND, Some(node)),
        };
        let node = node.unwrap_or_default() as *mut c_void;
        *result = UpdateResult {
            result: code,
            error_node: node,
            error_from_node: std::ptr::null_mut(),
        };
        updated.map_err(|_| Code::UPDATE_FAILURE)
    };
    answer(update())
}

/// The graph that is a node.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphChildGraphNodeGetGraph(
    node: *mut c_void,
    graph: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(graph) };
    answer(place.and_then(|place| {
        match graph_of(node as usize)?.node(node as usize)?.work {
            Action::Graph(graph) => *place = runtime().graphs.add(graph) as *mut c_void,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }))
}

/// Memory of graphs is freed with them: there is nothing to give back.
pub extern "C" fn cudaDeviceGraphMemTrim(device: c_int) -> i32 {
    answer(runtime().device_numbered(device).map(drop))
}

/// Bytes that graphs of a device have: now, and at most.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetGraphMemAttribute(
    device: c_int,
    attribute: c_int,
    value: *mut u64,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(value) };
    answer(place.and_then(|place| {
        let number = runtime().device_numbered(device)?.number;
        *place = match attribute {
            0 | 2 => runtime().graph_memory.of(number).0,
            1 | 3 => runtime().graph_memory.of(number).1,
            _ => return Err(Code::INVALID_VALUE),
        };
        Ok(())
    }))
}

/// The nodes before a new one, and the graph that gets it.
///
/// # Safety
/// The list has so many entries.
pub unsafe fn behind(
    graph: *mut c_void,
    list: *const *mut c_void,
    count: usize,
) -> Result<(Arc<Graph>, BTreeSet<NodeId>)> {
    // SAFETY: caller.
    let before = unsafe { ids(list, count)? };
    Ok((self::graph(graph)?, before.into_iter().collect()))
}

/// Changes the work of a node of this sort.
pub fn change(node: *mut c_void, kind: NodeKind, work: NodeWork) -> Result<()> {
    graph_of(node as usize)?.change(node as usize, |node| node.replace(kind, work))?
}
