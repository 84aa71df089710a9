//! Nodes of graphs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::{Code, Result};
use crate::events::Event;
use crate::graph::Graph;
use crate::graph::described::Described;
use crate::graph::memory::GraphMemory;
use crate::graph::operation::{Operation, OwnedLaunch};

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

/// What a node does, and what a program said of it.
pub struct NodeWork {
    /// The work.
    pub action: Action,
    /// The parameters.
    pub described: Option<Described>,
}

impl From<Action> for NodeWork {
    fn from(action: Action) -> NodeWork {
        let described = match &action {
            Action::Operations(operations) => Described::of(operations),
            _ => None,
        };
        NodeWork { action, described }
    }
}

impl NodeWork {
    /// The same with parameters.
    pub fn described(mut self, described: Described) -> NodeWork {
        self.described = Some(described);
        self
    }
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
    /// What the program said of it.
    pub described: Option<Described>,
    /// Advice of a kernel's node, by `cudaLaunchAttributeID`.
    pub attributes: BTreeMap<i32, [i32; 16]>,
    /// Whether a launch leaves it out.
    pub is_disabled: bool,
    /// The nodes that come before it.
    pub after: BTreeSet<NodeId>,
    /// The node of which it is a clone.
    pub original: Option<NodeId>,
}

impl Node {
    /// A node behind others.
    pub fn new(
        kind: NodeKind,
        work: impl Into<NodeWork>,
        after: impl IntoIterator<Item = NodeId>,
    ) -> Node {
        let NodeWork { action, described } = work.into();
        Node {
            kind,
            work: action,
            described,
            attributes: BTreeMap::new(),
            is_disabled: false,
            after: after.into_iter().collect(),
            original: None,
        }
    }

    /// Gives it other work of its sort.
    pub fn replace(&mut self, kind: NodeKind, work: NodeWork) -> Result<()> {
        if self.kind != kind {
            return Err(Code::INVALID_VALUE);
        }
        (self.work, self.described) = (work.action, work.described);
        Ok(())
    }

    /// The launch of a kernel's node.
    pub fn launch(&self) -> Result<&OwnedLaunch> {
        match &self.work {
            Action::Operations(operations) => match operations.as_slice() {
                [Operation::Launch(launch)] => Ok(launch),
                _ => Err(Code::INVALID_VALUE),
            },
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// A piece of advice; zeros if there is none.
    pub fn attribute(&self, id: i32) -> [i32; 16] {
        self.attributes.get(&id).copied().unwrap_or_default()
    }

    /// Gives it a piece of advice.
    pub fn set_attribute(&mut self, id: i32, value: [i32; 16]) {
        self.attributes.insert(id, value);
    }

    /// Has the blocks of a kernel's node wait for each other, or not.
    pub fn set_cooperative(&mut self, cooperative: bool) {
        if let Action::Operations(operations) = &mut self.work
            && let [Operation::Launch(launch)] = operations.as_mut_slice()
        {
            launch.cooperative = cooperative;
        }
    }
}
