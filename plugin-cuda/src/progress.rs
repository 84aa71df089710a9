//! How far a stream has come, and the resources that must live until its work is complete. A stream shares it with its
//! events.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use vendor_driver::{HostFunction, InFlight, LaunchInFlight};

use crate::driver::CuStream;
use crate::gpu::RawStream;
use crate::staged_reads::StagedReads;

/// How far a stream has come.
pub struct Progress {
    /// The driver's handle. It is valid while the state has the stream.
    pub handle: CuStream,
    running: Arc<InFlight>,
    state: Mutex<State>,
}

/// What changes.
pub struct State {
    /// The stream. `None` when its owner has dropped it; then everything is complete.
    pub raw: Option<RawStream>,
    /// Operations enqueued so far.
    pub enqueued: u64,
    /// How many of them are known to be complete.
    complete: u64,
    /// Whether the driver's handle was given out, so that others may enqueue work that is not counted.
    pub exposed: bool,
    /// Bytes that copies in flight read.
    pub kept: Vec<Box<[u8]>>,
    /// Copies to the host that are in pinned memory, or will be.
    pub reads: StagedReads,
    /// Functions that may not have been called yet.
    pub calls: Vec<Arc<HostFunction>>,
}

impl State {
    /// Whether all operations are known to be complete.
    pub fn is_complete(&self) -> bool {
        self.complete == self.enqueued && !self.exposed
    }
}

impl Progress {
    /// Of an empty stream.
    pub fn new(raw: RawStream, running: Arc<InFlight>) -> Progress {
        Progress {
            handle: raw.handle,
            running,
            state: Mutex::new(State {
                raw: Some(raw),
                enqueued: 0,
                complete: 0,
                exposed: false,
                kept: Vec::new(),
                reads: StagedReads::default(),
                calls: Vec::new(),
            }),
        }
    }

    /// The state, for the calling thread alone.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Notes a launch that is about to be enqueued.
    pub fn launched(&self, launch: LaunchInFlight) {
        self.running.launched(launch);
    }

    /// Whether the first `count` operations are known to be complete.
    pub fn has_passed(&self, count: u64) -> bool {
        let state = self.lock();
        state.complete >= count && !state.exposed || state.raw.is_none()
    }

    /// Notes that the first `count` operations are complete.
    pub fn passed(&self, count: u64) {
        let mut state = self.lock();
        state.complete = state.complete.max(count);
        state.reads.deliver(count);
        if state.enqueued > count {
            // Another thread has enqueued more meanwhile. It will wait or query for that.
            return;
        }
        state.kept.clear();
        state.calls.clear();
        if let Some(raw) = &mut state.raw {
            raw.staging.clear();
        }
        self.running.ended();
    }

    /// The stream will not run its remaining functions. Drops them, so that those who wait for them learn of it.
    pub fn abandon(&self) {
        let mut state = self.lock();
        state.reads.clear();
        let calls = std::mem::take(&mut state.calls);
        drop(state);
        calls.iter().for_each(|call| call.abandon());
    }
}
