//! Nodes of any sort by one function: a structure says which sort, and has its parameters (`cudaGraphNodeParams`).

use std::ffi::{c_int, c_void};

use crate::entry::cuda_13::{Edge, with_plain};
use crate::entry::graph_nodes as nodes;
use crate::entry::graphs::change;
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::graph::node::{NodeKind, NodeWork};

/// `cudaGraphNodeParams`, and the driver's `CUgraphNodeParams`, whose kernels and copies have other parameters.
#[repr(C)]
pub struct NodeParameters {
    sort: c_int,
    zeros: [c_int; 3],
    own: [u64; 29],
    last_zero: u64,
}

/// `cudaMemcpyNodeParams` and `CUDA_MEMCPY_NODE_PARAMS`: so many words come before the copy's own parameters.
const BEFORE_COPY: usize = 2;

/// `cudaGraphNodeType` and `CUgraphNodeType` of what no virtual GPU has: external semaphores, operations on memory that
/// a stream waits for, conditions.
const REFUSED: [c_int; 4] = [8, 9, 12, 13];

impl NodeParameters {
    /// Whether the sort is this one.
    pub fn is(&self, kind: NodeKind) -> bool {
        self.sort == kind as c_int
    }

    /// Whether whatever has to be zero is.
    fn is_plain(&self) -> bool {
        self.zeros == [0; 3] && self.last_zero == 0
    }

    /// Where the parameters of the sort are.
    pub fn own<T>(&mut self) -> *mut T {
        self.own.as_mut_ptr().cast()
    }

    /// Where those of a copy are.
    pub fn copy<T>(&mut self) -> *mut T {
        self.own[BEFORE_COPY..].as_mut_ptr().cast()
    }

    /// The handle or address that is all there is.
    fn handle(&self) -> *mut c_void {
        self.own[0] as *mut c_void
    }
}

/// The work of a node.
///
/// # Safety
/// The memory that the node uses is valid whenever it runs.
unsafe fn work(parameters: &mut NodeParameters) -> Result<(NodeKind, NodeWork)> {
    if !parameters.is_plain() {
        return Err(Code::INVALID_VALUE);
    }
    let (own, handle) = (parameters.own::<c_void>(), parameters.handle());
    let sorts = [
        NodeKind::Kernel,
        NodeKind::Copy,
        NodeKind::Fill,
        NodeKind::Host,
        NodeKind::Graph,
        NodeKind::Empty,
        NodeKind::EventWait,
        NodeKind::EventRecord,
        NodeKind::Allocation,
        NodeKind::Free,
    ];
    let unknown = match REFUSED.contains(&parameters.sort) {
        true => Code::NOT_SUPPORTED,
        false => Code::INVALID_VALUE,
    };
    let kind = sorts.into_iter().find(|kind| parameters.is(*kind));
    let kind = kind.ok_or(unknown)?;
    // SAFETY: the parameters are those of the sort; the rest is the caller's.
    let work = unsafe {
        match kind {
            NodeKind::Kernel => nodes::kernel(own.cast())?,
            NodeKind::Copy => nodes::copy_box(parameters.copy())?,
            NodeKind::Fill => nodes::fill(own.cast())?,
            NodeKind::Host => nodes::host(own.cast())?,
            NodeKind::Graph => nodes::child(handle)?,
            NodeKind::Empty => nodes::empty()?,
            NodeKind::EventWait => nodes::wait(handle)?,
            NodeKind::EventRecord => nodes::record(handle)?,
            NodeKind::Allocation => nodes::allocation(own.cast())?,
            NodeKind::Free => nodes::free(handle)?,
        }
    };
    Ok((kind, work))
}

/// The same for a node that there is. Memory of a graph is given once.
///
/// # Safety
/// The address is null or valid; else as for [`work`].
unsafe fn changed(parameters: *mut NodeParameters) -> Result<(NodeKind, NodeWork)> {
    // SAFETY: caller.
    let parameters = unsafe { place(parameters)? };
    match parameters.is(NodeKind::Allocation) || parameters.is(NodeKind::Free) {
        true => Err(Code::NOT_SUPPORTED),
        // SAFETY: caller.
        false => unsafe { work(parameters) },
    }
}

/// Adds a node of any sort.
///
/// # Safety
/// The addresses are null or valid, the list has so many entries, and the node's memory is valid whenever it runs.
pub unsafe extern "C" fn cudaGraphAddNode(
    node: *mut *mut c_void,
    graph: *mut c_void,
    list: *const *mut c_void,
    count: usize,
    parameters: *mut NodeParameters,
) -> i32 {
    let add = || {
        // SAFETY: caller.
        let (kind, work) = unsafe { work(place(parameters)?)? };
        // SAFETY: caller.
        unsafe { nodes::add_node(node, graph, (list, count), kind, || Ok(work)) }
    };
    answer(add())
}

/// Adds a node of any sort by edges with data.
///
/// # Safety
/// As for [`cudaGraphAddNode`]; the list of edges is null or has so many entries.
pub unsafe extern "C" fn cudaGraphAddNode_v2(
    node: *mut *mut c_void,
    graph: *mut c_void,
    list: *const *mut c_void,
    edges: *const Edge,
    count: usize,
    parameters: *mut NodeParameters,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        with_plain(edges, count, || {
            cudaGraphAddNode(node, graph, list, count, parameters)
        })
    }
}

/// Changes a node of any sort.
///
/// # Safety
/// The address is null or valid, and the memory that the node uses is valid whenever it runs.
pub unsafe extern "C" fn cudaGraphNodeSetParams(
    node: *mut c_void,
    parameters: *mut NodeParameters,
) -> i32 {
    // SAFETY: caller.
    let changed = unsafe { changed(parameters) };
    answer(changed.and_then(|(kind, work)| change(node, kind, work)))
}

/// Changes a node of any sort in a graph that can be launched.
///
/// # Safety
/// As for [`cudaGraphNodeSetParams`].
pub unsafe extern "C" fn cudaGraphExecNodeSetParams(
    executable: *mut c_void,
    node: *mut c_void,
    parameters: *mut NodeParameters,
) -> i32 {
    // SAFETY: caller.
    match unsafe { changed(parameters) } {
        Ok((kind, work)) => nodes::change_executable(executable, node, kind, Ok(work)),
        Err(code) => answer(Err(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_cudas() {
        assert_eq!(size_of::<NodeParameters>(), 256);
        assert_eq!(std::mem::offset_of!(NodeParameters, own), 16);
    }

    #[test]
    fn sorts_are_refused_by_what_they_are() {
        let refusal = |sort, zero| {
            let mut parameters = NodeParameters {
                sort,
                zeros: [0; 3],
                own: [0; 29],
                last_zero: zero,
            };
            // SAFETY: no node comes about.
            unsafe { work(&mut parameters) }.err()
        };
        assert_eq!(refusal(13, 0), Some(Code::NOT_SUPPORTED));
        assert_eq!(refusal(14, 0), Some(Code::INVALID_VALUE));
        assert_eq!(refusal(5, 1), Some(Code::INVALID_VALUE));
        assert_eq!(refusal(5, 0), None);
    }
}
