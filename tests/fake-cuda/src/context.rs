//! Contexts, which own a device's memory, modules and streams. Each thread has a stack of them. A fault makes a
//! context lost.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};
use plugin_vgpu::VirtualGpu;

use crate::device::Device;
use crate::memory::Memory;
use crate::result::{Failure, Outcome};
use crate::stream::Stream;
use fake_driver::handle::{self, Handle};

/// A context.
pub struct Context {
    /// Its device.
    pub device: Arc<Device>,
    /// The virtual GPU behind that.
    pub gpu: Arc<VirtualGpu>,
    /// Its allocations.
    pub memory: Mutex<Memory>,
    /// `cuCtxSetLimit`.
    pub limits: Mutex<BTreeMap<i32, usize>>,
    /// The numbers of the devices that it has peer access to.
    pub peers: Mutex<HashSet<usize>>,
    streams: Mutex<Vec<Weak<Stream>>>,
    lost: Mutex<Option<Failure>>,
}

impl Context {
    /// An empty context.
    pub fn new(device: Arc<Device>, gpu: Arc<VirtualGpu>) -> Arc<Context> {
        Arc::new(Context {
            device,
            memory: Mutex::new(Memory::new(gpu.clone())),
            gpu,
            limits: Mutex::default(),
            peers: Mutex::default(),
            streams: Mutex::default(),
            lost: Mutex::default(),
        })
    }

    /// Fails if the context is lost.
    pub fn check(&self) -> Outcome {
        self.failure().map_or(Ok(()), Err)
    }

    /// The error that made it lost.
    pub fn failure(&self) -> Option<Failure> {
        *self.lost.lock()
    }

    /// Marks it as lost. The first reason stays.
    pub fn lose(&self, why: Failure) {
        self.lost.lock().get_or_insert(why);
    }

    /// Its memory.
    pub fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock()
    }

    /// Adds a stream that [`Context::synchronize`] waits for.
    pub fn add_stream(&self, stream: &Arc<Stream>) {
        let mut streams = self.streams.lock();
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Waits for all of its streams.
    pub fn synchronize(&self) -> Outcome {
        let streams: Vec<_> = self
            .streams
            .lock()
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        streams.iter().for_each(|stream| stream.wait());
        self.check()
    }

    /// Waits for its work and marks it as destroyed.
    pub fn destroy(&self) {
        let _lost = self.synchronize();
        self.lose(Failure::CONTEXT_IS_DESTROYED);
    }
}

/// The depth of a thread's context stack.
const DEPTH: usize = 16;

thread_local! {
    // Without a destructor, because programs also call the driver while they exit.
    static STACK: Cell<(usize, [Handle; DEPTH])> = const { Cell::new((0, [0; DEPTH])) };
}

/// The handle of the thread's current context. 0 if there is none.
pub fn current_handle() -> Handle {
    let (depth, stack) = STACK.get();
    depth.checked_sub(1).map_or(0, |top| stack[top])
}

/// The thread's current context.
pub fn current() -> Outcome<Arc<Context>> {
    match current_handle() {
        0 => Err(Failure::INVALID_CONTEXT),
        handle => handle::get(handle).map_err(|_| Failure::CONTEXT_IS_DESTROYED),
    }
}

/// `cuCtxPushCurrent`.
pub fn push(context: Handle) -> Outcome {
    handle::get::<Context>(context).map_err(|_| Failure::INVALID_CONTEXT)?;
    let (depth, mut stack) = STACK.get();
    *stack.get_mut(depth).ok_or(Failure::OPERATING_SYSTEM)? = context;
    STACK.set((depth + 1, stack));
    Ok(())
}

/// `cuCtxPopCurrent`.
pub fn pop() -> Outcome<Handle> {
    let (depth, stack) = STACK.get();
    let top = depth.checked_sub(1).ok_or(Failure::INVALID_CONTEXT)?;
    STACK.set((top, stack));
    Ok(stack[top])
}

/// Marks the current context as lost if an injected error is one that a kernel would have caused.
pub fn lose_current(failure: Failure) {
    if failure.is_sticky()
        && let Ok(context) = current()
    {
        context.lose(failure);
    }
}

/// Fails unless an object belongs to the current context. Handles are valid only in their own context.
pub fn expect_current(owner: &Arc<Context>) -> Outcome {
    match Arc::ptr_eq(owner, &current()?) {
        true => Ok(()),
        false => Err(Failure::INVALID_HANDLE),
    }
}
