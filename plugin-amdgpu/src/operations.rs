//! The operations of a stream that may not be complete.

use std::collections::VecDeque;
use std::sync::Arc;

use plugin_api::{Error, Result};
use vendor_driver::HostFunction;

use crate::gpu::RawStream;
use crate::module::Loaded;
use crate::signal::Signal;

/// The state of a stream.
pub struct Operations {
    /// `None` only while the stream is dropped.
    pub raw: Option<RawStream>,
    /// Operations that may not be complete, in order.
    pub chain: VecDeque<Operation>,
    /// Whether the last of them is a kernel.
    pub ends_with_kernel: bool,
    /// Whether the queue's address was given out, so that others may add packets.
    pub exposed: bool,
    /// What the next operation waits for besides.
    pub waits: Vec<Arc<Signal>>,
}

/// An operation, and what must live until it is complete.
pub struct Operation {
    /// 1 until it is complete.
    pub signal: Arc<Signal>,
    /// Dropped when the operation is complete.
    _kept: Vec<Box<dyn Send>>,
    /// The code of a kernel.
    pub code: Option<Arc<Loaded>>,
    /// A function that may not have been called yet.
    pub call: Option<Arc<HostFunction>>,
}

impl Operations {
    /// None yet.
    pub fn new(raw: RawStream) -> Operations {
        Operations {
            raw: Some(raw),
            chain: VecDeque::new(),
            ends_with_kernel: false,
            exposed: false,
            waits: Vec::new(),
        }
    }

    /// What the stream has of the device.
    pub fn raw(&mut self) -> Result<&mut RawStream> {
        let ended = || Error::Load("the stream has ended".into());
        self.raw.as_mut().ok_or_else(ended)
    }

    /// What the next operation must wait for.
    pub fn dependences(&mut self) -> Vec<Arc<Signal>> {
        let last = self.chain.back().map(|last| last.signal.clone());
        let mut dependences = std::mem::take(&mut self.waits);
        dependences.extend(last);
        dependences.retain(|signal| !signal.has_happened());
        dependences
    }

    /// Whether the next operation waits for a kernel of the stream's queue, and for nothing else.
    pub fn follows_kernel(&self) -> bool {
        self.ends_with_kernel && !self.chain.is_empty() && self.waits.is_empty()
    }

    /// The signals of everything that the stream has to do or to wait for.
    pub fn outstanding(&self) -> Vec<Arc<Signal>> {
        let last = self.chain.back().map(|last| last.signal.clone());
        self.waits.iter().cloned().chain(last).collect()
    }

    /// Adds an operation that was enqueued.
    pub fn push(&mut self, signal: Arc<Signal>, kept: Vec<Box<dyn Send>>) {
        self.chain.push_back(Operation {
            signal,
            _kept: kept,
            code: None,
            call: None,
        });
        self.ends_with_kernel = false;
    }

    /// Removes the operations that are complete. Gives the code of their kernels.
    #[must_use]
    pub fn retire(&mut self) -> Vec<Arc<Loaded>> {
        let mut codes = Vec::new();
        while let Some(first) = self.chain.front()
            && first.signal.has_happened()
        {
            // The next one may still have to read this signal. It is used anew when that is complete, too.
            let next = self.chain.get(1);
            if next.is_some_and(|next| !next.signal.has_happened()) {
                break;
            }
            if let Some(ended) = self.chain.pop_front() {
                ended.signal.forget_dependences();
                codes.extend(ended.code);
            }
        }
        if self.chain.is_empty()
            && let Some(raw) = &mut self.raw
        {
            raw.staging.clear();
        }
        codes
    }
}

/// Kernels of these images have ended.
pub fn kernels_ended(codes: &[Arc<Loaded>]) {
    let outputs = codes.iter().filter_map(|code| code.output());
    outputs.for_each(|output| output.end());
}
