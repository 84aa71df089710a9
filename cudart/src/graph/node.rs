//! Nodes of graphs.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::events::Event;
use crate::graph::Graph;
use crate::graph::memory::GraphMemory;
use crate::graph::operation::Operation;

/// The number of a node, which no other node of the process has.
pub type NodeId = usize;

/// `cudaGraphNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum NodeKind {
    /// A kernel.
    Kernel = 0,
    /// A copy.
    Copy = 1,
    /// A fill.
    Fill = 2,
    /// A function of the host.
    Host = 3,
    /// Another graph.
    Graph = 4,
    /// Nothing.
    Empty = 5,
    /// Waits for an event.
    EventWait = 6,
    /// Records an event.
    EventRecord = 7,
    /// Allocates memory.
    Allocation = 10,
    /// Frees it.
    Free = 11,
}

/// What a node does.
#[derive(Clone)]
pub enum Action {
    /// Operations, one after the other.
    Operations(Vec<Operation>),
    /// The nodes of another graph.
    Graph(Arc<Graph>),
    /// Waits for an event.
    Wait(Arc<Event>),
    /// Records an event.
    Record(Arc<Event>),
    /// Has memory, which kernels of the graph use.
    #[allow(dead_code, reason = "it is there to stay")]
    Memory(Arc<GraphMemory>),
}

impl NodeKind {
    /// The sort of a node that has these operations.
    pub fn of(operations: &[Operation]) -> NodeKind {
        match operations.first() {
            None => NodeKind::Empty,
            Some(Operation::Launch(_)) => NodeKind::Kernel,
            Some(Operation::Fill(..)) => NodeKind::Fill,
            Some(Operation::Call(_)) => NodeKind::Host,
            Some(_) => NodeKind::Copy,
        }
    }
}

/// A node.
#[derive(Clone)]
pub struct Node {
    /// Which sort of work it is.
    pub kind: NodeKind,
    /// The work.
    pub work: Action,
    /// The nodes that come before it.
    pub after: BTreeSet<NodeId>,
    /// The node of which it is a clone.
    pub original: Option<NodeId>,
}

impl Node {
    /// A node behind others.
    pub fn new(kind: NodeKind, work: Action, after: impl IntoIterator<Item = NodeId>) -> Node {
        Node {
            kind,
            work,
            after: after.into_iter().collect(),
            original: None,
        }
    }
}
