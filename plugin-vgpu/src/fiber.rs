//! GPU threads as fibers: `corosensei` coroutines on stacks of our own in the device window.
//!
//! A stack is [`STACK_SIZE`] bytes, aligned to its size: a guard page at the bottom, the coroutine's
//! stack, and in the top [`CONTEXT_SIZE`] bytes the [`Frame`] that compiled code and engine calls find
//! from the stack pointer.

use std::cell::Cell;

use codegen::vgpu_abi::{CONTEXT_SIZE, STACK_SIZE, ThreadContext};
use corosensei::stack::{Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use plugin_api::Result;

use crate::block::MAX_THREADS;
use crate::window::{PAGE, Protection, Region};

/// Marks the end of a fiber's function, whether it returned or was abandoned after a fault.
pub struct Ended;

/// A fiber's coroutine. Nothing is passed in or out: results travel through the block's state.
pub type FiberCoroutine = Coroutine<(), (), Ended, FiberStack>;

/// How a fiber lets its worker go on with another.
pub type FiberYielder = Yielder<(), ()>;

/// The top of a fiber's stack.
#[repr(C)]
pub struct Frame {
    /// What compiled code knows of its thread; must come first.
    pub context: ThreadContext,
    /// Switches back to the worker.
    pub yielder: Cell<*const FiberYielder>,
    /// Linear index of the thread in its block.
    pub thread: Cell<u16>,
}

const _: () = assert!(size_of::<Frame>() <= CONTEXT_SIZE);

/// The bounds of one fiber's stack. Its memory belongs to [`Fibers`].
#[derive(Clone, Copy)]
pub struct FiberStack {
    base: StackPointer,
    limit: StackPointer,
}

// SAFETY: `Fibers` lays the stacks out: `limit..base` is mapped, begins with a guard page and is far
// larger than corosensei's minimum.
unsafe impl Stack for FiberStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.limit
    }
}

/// Stacks start at one of this many cache lines below the context. They are all aligned alike, so
/// without the shift their hot lines would fight for the same few cache sets.
const COLOURS: usize = 32;
const CACHE_LINE: usize = 64;

/// The fibers of one worker, numbered from 0; made when first needed, kept for ever.
pub struct Fibers {
    region: Region,
    coroutines: Vec<Option<FiberCoroutine>>,
    free: Vec<u16>,
}

impl Fibers {
    /// Reserves addresses for as many stacks as a block has threads.
    pub fn new() -> Result<Fibers> {
        let region = Region::reserve(MAX_THREADS as u64 * STACK_SIZE as u64, STACK_SIZE as u64)?;
        let most = MAX_THREADS as usize;
        Ok(Fibers { region, coroutines: Vec::with_capacity(most), free: Vec::with_capacity(most) })
    }

    /// A fiber that runs nothing at the moment.
    pub fn take(&mut self) -> Result<u16> {
        if let Some(fiber) = self.free.pop() {
            return Ok(fiber);
        }
        let fiber = self.coroutines.len();
        assert!(fiber < MAX_THREADS as usize, "more fibers than threads in a block");
        let offset = (fiber * STACK_SIZE) as u64;
        self.region.protect(offset, STACK_SIZE as u64, Protection::ReadWrite)?;
        self.region.guard(offset, PAGE)?;
        self.coroutines.push(None);
        Ok(fiber as u16)
    }

    /// The top of `fiber`'s stack.
    pub fn frame(&self, fiber: u16) -> *mut Frame {
        let top = (usize::from(fiber) + 1) * STACK_SIZE - CONTEXT_SIZE;
        self.region.base().wrapping_add(top).cast()
    }

    /// Whether `address` is in `fiber`'s guard page.
    pub fn in_guard_page(&self, fiber: u16, address: u64) -> bool {
        let bottom = self.region.span().start + u64::from(fiber) * STACK_SIZE as u64;
        (bottom..bottom + PAGE).contains(&address)
    }

    /// The stack `fiber` runs on.
    pub fn stack(&self, fiber: u16) -> FiberStack {
        let colour = usize::from(fiber) % COLOURS * CACHE_LINE;
        let base = self.frame(fiber) as usize - colour;
        let limit = self.region.base() as usize + usize::from(fiber) * STACK_SIZE;
        let pointer = |address| StackPointer::new(address).expect("the window does not begin at 0");
        FiberStack { base: pointer(base), limit: pointer(limit) }
    }

    /// Gives `fiber` the function it will run when first resumed.
    ///
    /// # Safety
    /// What `main` refers to outlives the fiber's run.
    pub unsafe fn prepare(&mut self, fiber: u16, main: impl FnOnce(&FiberYielder)) {
        let body = move |yielder: &FiberYielder, ()| {
            main(yielder);
            Ended
        };
        // SAFETY: the caller's contract; the stack is free, as the fiber runs nothing.
        let coroutine = unsafe { Coroutine::with_stack_unchecked(self.stack(fiber), body) };
        let old = self.coroutines[usize::from(fiber)].replace(coroutine);
        debug_assert!(old.is_none_or(|old| old.done()));
    }

    /// The coroutine of `fiber`.
    pub fn coroutine(&mut self, fiber: u16) -> &mut FiberCoroutine {
        self.coroutines[usize::from(fiber)].as_mut().expect("the fiber was prepared")
    }

    /// Takes back a fiber whose function has ended.
    pub fn put(&mut self, fiber: u16) {
        self.free.push(fiber);
    }

    /// Takes back a fiber whose thread ended in the middle of its function.
    ///
    /// # Safety
    /// The fiber does not run, and has nothing on its stack that must be dropped.
    pub unsafe fn reset(&mut self, fiber: u16) {
        // SAFETY: the caller's contract.
        unsafe { self.coroutine(fiber).force_reset() };
        self.put(fiber);
    }

    /// Forgets whatever the fibers are doing.
    ///
    /// # Safety
    /// No fiber is running, and none has anything on its stack that must be dropped.
    pub unsafe fn abandon_all(&mut self) {
        self.free.clear();
        for (fiber, coroutine) in self.coroutines.iter_mut().enumerate().rev() {
            if let Some(coroutine) = coroutine {
                // SAFETY: the caller's contract.
                unsafe { coroutine.force_reset() };
            }
            self.free.push(fiber as u16);
        }
    }
}

/// Runs a fiber until it switches back; `true` when its function has ended.
///
/// # Safety
/// `coroutine` is a prepared fiber's, and nothing else refers to it meanwhile.
pub unsafe fn resume(coroutine: *mut FiberCoroutine) -> bool {
    // SAFETY: the caller's contract.
    matches!(unsafe { (*coroutine).resume(()) }, CoroutineResult::Return(Ended))
}
