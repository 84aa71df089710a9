//! Graphs: operations in an order that the program gives, or that it shows by capturing streams.

pub mod capture;
pub mod described;
pub mod executable;
pub mod memory;
pub mod node;
pub mod operation;
pub mod recorder;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use crate::error::{Code, Result};
use crate::graph::node::{Node, NodeId};
use crate::handles::Handles;

/// A graph.
#[derive(Default)]
pub struct Graph {
    nodes: Mutex<BTreeMap<NodeId, Node>>,
}

/// The graph of each node of the process.
static GRAPHS: LazyLock<Handles<Weak<Graph>>> = LazyLock::new(Handles::default);

/// The graph that has a node.
pub fn graph_of(id: NodeId) -> Result<Arc<Graph>> {
    let graph = GRAPHS.get(id).and_then(|graph| graph.upgrade());
    graph.ok_or(Code::INVALID_VALUE)
}

impl Graph {
    /// Adds a node. Those before it must be in the graph.
    pub fn add(self: &Arc<Self>, node: Node) -> Result<NodeId> {
        let mut nodes = self.nodes.lock();
        if !node.after.iter().all(|before| nodes.contains_key(before)) {
            return Err(Code::INVALID_VALUE);
        }
        let id = GRAPHS.add(Arc::downgrade(self));
        nodes.insert(id, node);
        Ok(id)
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Result<Node> {
        let nodes = self.nodes.lock();
        nodes.get(&id).cloned().ok_or(Code::INVALID_VALUE)
    }

    /// Changes a node.
    pub fn change<R>(&self, id: NodeId, change: impl FnOnce(&mut Node) -> R) -> Result<R> {
        let mut nodes = self.nodes.lock();
        nodes.get_mut(&id).map(change).ok_or(Code::INVALID_VALUE)
    }

    /// Removes a node and its edges.
    pub fn remove(&self, id: NodeId) -> Result<()> {
        let mut nodes = self.nodes.lock();
        nodes.remove(&id).ok_or(Code::INVALID_VALUE)?;
        GRAPHS.remove(id);
        for node in nodes.values_mut() {
            node.after.remove(&id);
        }
        Ok(())
    }

    /// Adds the edges, or removes them.
    pub fn connect(&self, edges: &[(NodeId, NodeId)], adds: bool) -> Result<()> {
        let mut nodes = self.nodes.lock();
        let known = |id: &NodeId| nodes.contains_key(id);
        if !edges
            .iter()
            .all(|(from, to)| known(from) && known(to) && from != to)
        {
            return Err(Code::INVALID_VALUE);
        }
        for (from, to) in edges {
            let after = &mut nodes.get_mut(to).ok_or(Code::INVALID_VALUE)?.after;
            match adds {
                true => after.insert(*from),
                false => after.remove(from),
            };
        }
        Ok(())
    }

    /// The numbers of the nodes, in the order in which they were added.
    pub fn ids(&self) -> Vec<NodeId> {
        self.nodes.lock().keys().copied().collect()
    }

    /// The nodes before which there are none.
    pub fn roots(&self) -> Vec<NodeId> {
        let nodes = self.nodes.lock();
        let roots = nodes.iter().filter(|(_, node)| node.after.is_empty());
        roots.map(|(id, _)| *id).collect()
    }

    /// The nodes behind which there are none.
    pub fn leaves(&self) -> BTreeSet<NodeId> {
        let nodes = self.nodes.lock();
        let mut leaves: BTreeSet<_> = nodes.keys().copied().collect();
        for before in nodes.values().flat_map(|node| &node.after) {
            leaves.remove(before);
        }
        leaves
    }

    /// The edges, each from the earlier node to the later one.
    pub fn edges(&self) -> Vec<(NodeId, NodeId)> {
        let nodes = self.nodes.lock();
        let edges = nodes
            .iter()
            .flat_map(|(id, node)| node.after.iter().map(|before| (*before, *id)));
        edges.collect()
    }

    /// The nodes in an order in which they may run. Edges in a circle allow none.
    pub fn ordered(&self) -> Result<Vec<(NodeId, Node)>> {
        let mut left = self.nodes.lock().clone();
        let mut ordered = Vec::with_capacity(left.len());
        let mut done = BTreeSet::new();
        while !left.is_empty() {
            let ready: Vec<NodeId> = left
                .iter()
                .filter(|(_, node)| node.after.is_subset(&done))
                .map(|(id, _)| *id)
                .collect();
            if ready.is_empty() {
                return Err(Code::INVALID_VALUE);
            }
            done.extend(&ready);
            ordered.extend(ready.iter().filter_map(|id| left.remove_entry(id)));
        }
        Ok(ordered)
    }

    /// A copy, whose nodes have numbers of their own.
    pub fn duplicate(&self) -> Arc<Graph> {
        let nodes = self.nodes.lock();
        let copy = Arc::new(Graph::default());
        let number = |id: &NodeId| (*id, GRAPHS.add(Arc::downgrade(&copy)));
        let ids: BTreeMap<NodeId, NodeId> = nodes.keys().map(number).collect();
        let copies = nodes.iter().map(|(id, node)| {
            let after = node.after.iter().map(|before| ids[before]);
            let mut copy = Node::new(node.kind, node.work.clone(), after);
            copy.original = Some(*id);
            (ids[id], copy)
        });
        copy.nodes.lock().extend(copies);
        copy
    }

    /// The node that is the clone of another graph's.
    pub fn clone_of(&self, original: NodeId) -> Option<NodeId> {
        let nodes = self.nodes.lock();
        let mut all = nodes.iter();
        all.find(|(_, node)| node.original == Some(original))
            .map(|(id, _)| *id)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        for id in self.nodes.get_mut().keys() {
            GRAPHS.remove(*id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::node::{Action, NodeKind};

    /// A graph, and its nodes. Each is behind those whose places are given.
    fn graph(nodes: &[&[usize]]) -> (Arc<Graph>, Vec<NodeId>) {
        let graph = Arc::new(Graph::default());
        let mut ids = Vec::new();
        for after in nodes {
            let after: Vec<NodeId> = after.iter().map(|place| ids[*place]).collect();
            let node = Node::new(NodeKind::Empty, Action::Operations(Vec::new()), after);
            ids.push(graph.add(node).expect("those before it are there"));
        }
        (graph, ids)
    }

    fn order(graph: &Graph) -> Result<Vec<NodeId>> {
        Ok(graph.ordered()?.into_iter().map(|(id, _)| id).collect())
    }

    #[test]
    fn nodes_run_behind_those_before_them() {
        let (graph, ids) = graph(&[&[], &[], &[0], &[2, 1]]);
        let [a, b, c, d] = ids[..] else {
            panic!("four")
        };
        assert_eq!(order(&graph), Ok(vec![a, b, c, d]));
        assert_eq!(graph.roots(), [a, b]);
        assert_eq!(graph.leaves(), BTreeSet::from([d]));
        assert_eq!(graph.edges(), [(a, c), (b, d), (c, d)]);
        graph.connect(&[(d, b)], true).expect("both are there");
        assert_eq!(order(&graph), Err(Code::INVALID_VALUE));
        graph.connect(&[(d, b)], false).expect("both are there");
        graph.connect(&[(c, b)], true).expect("both are there");
        assert_eq!(order(&graph), Ok(vec![a, c, b, d]));
        graph.remove(c).expect("it is there");
        assert_eq!(graph.edges(), [(b, d)]);
        assert_eq!(graph.connect(&[(c, d)], true), Err(Code::INVALID_VALUE));
        assert!(graph_of(c).is_err());
    }

    #[test]
    fn clones_know_their_originals() {
        let (original, ids) = graph(&[&[], &[0]]);
        let copy = original.duplicate();
        let second = copy.clone_of(ids[1]).expect("it has a clone");
        assert_eq!(copy.edges(), [(copy.ids()[0], second)]);
        assert!(Arc::ptr_eq(&graph_of(second).expect("its graph"), &copy));
        drop(copy);
        assert!(graph_of(second).is_err());
    }
}
