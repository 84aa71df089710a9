//! Stream capture: what a program enqueues becomes nodes of a graph instead of running.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::error::{Code, Result};
use crate::graph::Graph;
use crate::graph::node::{Action, Node, NodeId, NodeKind};
use crate::graph::operation::Operation;
use crate::streams::Stream;

/// A capture, of one stream at first. Streams that wait for events of it take part in it.
pub struct Capture {
    /// Its number.
    pub id: u64,
    /// The graph that comes about.
    pub graph: Arc<Graph>,
    /// The handle that the graph will have.
    pub handle: usize,
    invalid: AtomicBool,
    streams: Mutex<Vec<Weak<Stream>>>,
}

/// The part that a stream has in a capture.
#[derive(Clone)]
pub struct Part {
    /// The capture.
    pub capture: Arc<Capture>,
    /// The nodes behind which the stream's next one comes.
    pub tail: BTreeSet<NodeId>,
    /// Whether the capture began with this stream.
    is_origin: bool,
    /// The tail as the program was last shown it.
    shown: Vec<NodeId>,
}

/// Begins to capture a stream. Nodes come behind those of `tail`.
pub fn begin(
    stream: &Arc<Stream>,
    (handle, graph): (usize, Arc<Graph>),
    tail: BTreeSet<NodeId>,
) -> Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut part = stream.capture.lock();
    if part.is_some() {
        return Err(Code::ILLEGAL_STATE);
    }
    let capture = Capture {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        graph,
        handle,
        invalid: AtomicBool::new(false),
        streams: Mutex::new(vec![Arc::downgrade(stream)]),
    };
    *part = Some(Part {
        capture: Arc::new(capture),
        tail,
        is_origin: true,
        shown: Vec::new(),
    });
    Ok(())
}

/// Ends the capture that began with a stream.
pub fn end(stream: &Stream) -> Result<Arc<Capture>> {
    let part = stream.capture.lock().clone();
    let part = part.ok_or(Code::ILLEGAL_STATE)?;
    if !part.is_origin {
        part.capture.invalidate();
        return Err(Code::CAPTURE_UNMATCHED);
    }
    for stream in part.capture.streams.lock().iter().filter_map(Weak::upgrade) {
        stream.capture.lock().take();
    }
    part.capture.check()?;
    // A stream that took part must have been waited for.
    match part.capture.graph.leaves().is_subset(&part.tail) {
        true => Ok(part.capture),
        false => Err(Code::CAPTURE_UNJOINED),
    }
}

impl Capture {
    /// Whether it can still become a graph.
    pub fn check(&self) -> Result<()> {
        match self.invalid.load(Ordering::Relaxed) {
            true => Err(Code::CAPTURE_INVALIDATED),
            false => Ok(()),
        }
    }

    /// Something happened that no graph can have.
    pub fn invalidate(&self) {
        self.invalid.store(true, Ordering::Relaxed);
    }
}

impl Part {
    /// Adds operations behind what the stream has.
    pub fn add_operations(&mut self, operations: Vec<Operation>) -> Result<()> {
        match operations.is_empty() {
            true => Ok(()),
            false => self.add(NodeKind::of(&operations), Action::Operations(operations)),
        }
    }

    /// The tail as a list that stays until the next call.
    pub fn show(&mut self) -> &[NodeId] {
        self.shown = self.tail.iter().copied().collect();
        &self.shown
    }

    /// Adds a node behind what the stream has.
    pub fn add(&mut self, kind: NodeKind, work: Action) -> Result<()> {
        self.capture.check()?;
        let node = Node::new(kind, work, self.tail.iter().copied());
        let id = self.capture.graph.add(node)?;
        self.tail = BTreeSet::from([id]);
        Ok(())
    }
}

/// Has a stream take part in the capture of another one, behind the nodes that the other had.
pub fn join(stream: &Arc<Stream>, other: &Part) -> Result<()> {
    other.capture.check()?;
    let mut part = stream.capture.lock();
    match &mut *part {
        Some(part) if Arc::ptr_eq(&part.capture, &other.capture) => {
            part.tail.extend(&other.tail);
            Ok(())
        }
        Some(part) => {
            part.capture.invalidate();
            other.capture.invalidate();
            Err(Code::CAPTURE_MERGE)
        }
        None => {
            let streams = &mut *other.capture.streams.lock();
            streams.push(Arc::downgrade(stream));
            *part = Some(Part {
                is_origin: false,
                ..other.clone()
            });
            Ok(())
        }
    }
}
