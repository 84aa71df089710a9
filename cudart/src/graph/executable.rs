//! Graphs that can be launched.

use parking_lot::Mutex;

use crate::error::{Code, Result};
use crate::graph::Graph;
use crate::graph::node::{Action, Node, NodeId, NodeKind, NodeWork};
use crate::own_stream::OwnStream;

/// Nodes in the order in which they run.
///
/// A launch enqueues them on one stream, one after the other. That is an order that every graph allows.
pub struct Executable {
    nodes: Mutex<Vec<(NodeId, Node)>>,
    /// The flags of its making (`cudaGraphInstantiateFlags`).
    pub flags: u64,
}

/// Why an executable graph does not become another one (`cudaGraphExecUpdateResult`), and the node where it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Other nodes or edges.
    Topology(Option<NodeId>),
    /// A node of another sort.
    Kind(NodeId),
}

impl Executable {
    /// Takes the nodes that a graph has now.
    pub fn new(graph: &Graph, flags: u64) -> Result<Executable> {
        let nodes = Mutex::new(graph.ordered()?);
        Ok(Executable { nodes, flags })
    }

    /// Enqueues every node.
    pub fn launch(&self, own: &OwnStream) -> Result<()> {
        own.device.check()?;
        let nodes = self.nodes.lock().clone();
        let mut enabled = nodes.iter().filter(|(_, node)| !node.is_disabled);
        enabled.try_for_each(|(_, node)| enqueue(own, &node.work))
    }

    /// Gives a node other work of its sort.
    pub fn replace(&self, id: NodeId, kind: NodeKind, work: NodeWork) -> Result<()> {
        self.with(id, |node| node.replace(kind, work))?
    }

    /// Does something with a node.
    pub fn with<R>(&self, id: NodeId, work: impl FnOnce(&mut Node) -> R) -> Result<R> {
        let mut nodes = self.nodes.lock();
        let found = nodes.iter_mut().find(|(known, _)| *known == id);
        found.map(|(_, node)| work(node)).ok_or(Code::INVALID_VALUE)
    }

    /// Takes the work of another graph that has the same nodes and edges.
    pub fn update(&self, graph: &Graph) -> Result<std::result::Result<(), Difference>> {
        let others = graph.ordered()?;
        let mut nodes = self.nodes.lock();
        if nodes.len() != others.len() {
            return Ok(Err(Difference::Topology(None)));
        }
        for ((_, node), (id, other)) in nodes.iter().zip(&others) {
            if node.kind != other.kind {
                return Ok(Err(Difference::Kind(*id)));
            }
            if positions(&nodes, node) != positions(&others, other) {
                return Ok(Err(Difference::Topology(Some(*id))));
            }
        }
        for ((_, node), (_, other)) in nodes.iter_mut().zip(others) {
            (node.work, node.described) = (other.work, other.described);
        }
        Ok(Ok(()))
    }
}

/// Which places the nodes before a node have.
fn positions(nodes: &[(NodeId, Node)], node: &Node) -> Vec<usize> {
    let mut before: Vec<usize> = Vec::new();
    for id in &node.after {
        before.extend(nodes.iter().position(|(known, _)| known == id));
    }
    before.sort_unstable();
    before
}

fn enqueue(own: &OwnStream, work: &Action) -> Result<()> {
    match work {
        Action::Operations(operations) if operations.is_empty() => Ok(()),
        Action::Operations(operations) => own.device.enqueue(&own.stream, |stream| {
            let mut operations = operations.iter();
            // SAFETY: the program keeps host memory valid that operations of its graphs use.
            operations.try_for_each(|operation| unsafe { operation.enqueue(stream) })
        }),
        Action::Graph(graph) => Executable::new(graph, 0)?.launch(own),
        Action::Wait(event) => own.wait_for(event),
        Action::Record(event) => own.record(event),
        Action::Memory(_) => Ok(()),
    }
}
