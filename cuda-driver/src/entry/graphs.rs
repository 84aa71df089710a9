//! Graphs: captured streams, and graphs as a whole.

use std::ffi::{c_int, c_void};

use crate::entry::{forward, in_context, per_thread, started};

forward! {
    in_context;
    /// Begins to note what is enqueued on a stream.
    cuStreamBeginCapture_v2 = captures::cudaStreamBeginCapture(stream: *mut c_void, mode: c_int);
    /// Ends that, and gives the graph.
    cuStreamEndCapture = captures::cudaStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void);
    /// Whether a stream is captured.
    cuStreamIsCapturing = captures::cudaStreamIsCapturing(stream: *mut c_void, status: *mut c_int);
    /// The capture in which a stream takes part.
    cuStreamGetCaptureInfo_v2 = captures::cudaStreamGetCaptureInfo_v2(
        stream: *mut c_void, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void,
        list: *mut *const *mut c_void, count: *mut usize
    );
    /// Changes what the next node of a capture comes after.
    cuStreamUpdateCaptureDependencies = captures::cudaStreamUpdateCaptureDependencies(
        stream: *mut c_void, list: *const *mut c_void, count: usize, flags: u32
    );
    /// Launches it.
    cuGraphLaunch = graphs::cudaGraphLaunch(executable: *mut c_void, stream: *mut c_void);
    /// Prepares a launch.
    cuGraphUpload = graphs::cudaGraphUpload(executable: *mut c_void, stream: *mut c_void);
}

forward! {
    started;
    /// How captures of other threads are seen.
    cuThreadExchangeStreamCaptureMode = captures::cudaThreadExchangeStreamCaptureMode(mode: *mut c_int);
    /// Makes an empty graph.
    cuGraphCreate = graphs::cudaGraphCreate(graph: *mut *mut c_void, flags: u32);
    /// Copies a graph.
    cuGraphClone = graphs::cudaGraphClone(clone: *mut *mut c_void, original: *mut c_void);
    /// The node of a copy.
    cuGraphNodeFindInClone = graphs::cudaGraphNodeFindInClone(
        node: *mut *mut c_void, original: *mut c_void, clone: *mut c_void
    );
    /// The nodes.
    cuGraphGetNodes = graphs::cudaGraphGetNodes(
        graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize
    );
    /// The nodes that come after none.
    cuGraphGetRootNodes = graphs::cudaGraphGetRootNodes(
        graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize
    );
    /// The edges.
    cuGraphGetEdges = graphs::cudaGraphGetEdges(
        graph: *mut c_void, from: *mut *mut c_void, to: *mut *mut c_void, count: *mut usize
    );
    /// The nodes before a node.
    cuGraphNodeGetDependencies = graphs::cudaGraphNodeGetDependencies(
        node: *mut c_void, nodes: *mut *mut c_void, count: *mut usize
    );
    /// The nodes behind a node.
    cuGraphNodeGetDependentNodes = graphs::cudaGraphNodeGetDependentNodes(
        node: *mut c_void, nodes: *mut *mut c_void, count: *mut usize
    );
    /// What a node does.
    cuGraphNodeGetType = graphs::cudaGraphNodeGetType(node: *mut c_void, kind: *mut c_int);
    /// Adds edges.
    cuGraphAddDependencies = graphs::cudaGraphAddDependencies(
        graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, count: usize
    );
    /// Removes edges.
    cuGraphRemoveDependencies = graphs::cudaGraphRemoveDependencies(
        graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, count: usize
    );
    /// Removes a node.
    cuGraphDestroyNode = graphs::cudaGraphDestroyNode(node: *mut c_void);
    /// Adds a node that does nothing.
    cuGraphAddEmptyNode = graph_nodes::cudaGraphAddEmptyNode(
        node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize
    );
}

per_thread! {
    cuStreamBeginCapture_v2_ptsz = cuStreamBeginCapture_v2(; stream, mode: c_int);
    cuStreamEndCapture_ptsz = cuStreamEndCapture(; stream, graph: *mut *mut c_void);
    cuStreamIsCapturing_ptsz = cuStreamIsCapturing(; stream, status: *mut c_int);
    cuStreamGetCaptureInfo_v2_ptsz = cuStreamGetCaptureInfo_v2(
        ; stream, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void,
        list: *mut *const *mut c_void, count: *mut usize
    );
    cuStreamUpdateCaptureDependencies_ptsz = cuStreamUpdateCaptureDependencies(
        ; stream, list: *const *mut c_void, count: usize, flags: u32
    );
    cuGraphLaunch_ptsz = cuGraphLaunch(executable: *mut c_void; stream);
    cuGraphUpload_ptsz = cuGraphUpload(executable: *mut c_void; stream);
}
