//! GPU threads as fibers, on stacks in the device window.
//!
//! A stack is [`STACK_SIZE`] bytes, aligned to its size: a guard page at the bottom, the stack proper,
//! and in the top [`CONTEXT_SIZE`] bytes the thread's context. The stacks of one multiprocessor lie in one
//! region, aligned to its size, which begins with the multiprocessor's address: an engine call finds
//! everything from its context's address without touching the context, whose cache line is likely cold
//! (all contexts compete for the same cache sets).

use std::cell::Cell;

use codegen::vgpu_abi::{CONTEXT_SIZE, STACK_SIZE, ThreadContext};
use plugin_api::Result;

use crate::block::MAX_THREADS;
use crate::sm::Sm;
use crate::switch::{self, Main, Suspended};
use crate::window::{PAGE, Protection, Region};

/// Stacks begin at one of this many cache lines below the context. They are all aligned alike, so
/// without the shift their hot lines would fight for the same few cache sets.
const COLOURS: usize = 32;
const CACHE_LINE: usize = 64;

/// Size and alignment of the region that holds a multiprocessor's stacks.
const REGION_SIZE: usize = (MAX_THREADS as usize * 2) * STACK_SIZE;

/// What switches and engine calls need of a fiber.
pub struct FiberState {
    /// Linear index of the thread it runs, in its block.
    pub thread: Cell<u16>,
    /// Turns of loops that wait on memory since the fiber last switched in one.
    pub spins: Cell<u32>,
}

impl FiberState {
    /// That of a fiber that has not run yet.
    pub const fn new() -> FiberState {
        FiberState {
            thread: Cell::new(0),
            spins: Cell::new(0),
        }
    }
}

/// The multiprocessor a context belongs to, and the number of its fiber.
///
/// # Safety
/// `cx` is a fiber's context.
#[inline(always)]
pub unsafe fn locate<'a>(cx: *mut ThreadContext) -> (&'a Sm, u16) {
    let offset = cx as usize % REGION_SIZE;
    let base = cx as usize - offset;
    // SAFETY: `Stacks::set_owner` wrote the address there before the first fiber ran.
    let sm = unsafe { &**(base as *const *const Sm) };
    (sm, (offset / STACK_SIZE - 1) as u16)
}

/// The stacks of one multiprocessor's fibers, numbered from 0; made when first needed, kept for ever.
pub struct Stacks {
    region: Region,
    made: u16,
    free: Vec<u16>,
}

impl Stacks {
    /// Reserves addresses for as many stacks as a block has threads.
    pub fn new() -> Result<Stacks> {
        let region = Region::reserve(REGION_SIZE as u64, REGION_SIZE as u64)?;
        region.protect(0, PAGE, Protection::ReadWrite)?;
        Ok(Stacks {
            region,
            made: 0,
            free: Vec::with_capacity(MAX_THREADS as usize),
        })
    }

    /// Says whose stacks they are.
    ///
    /// # Safety
    /// `sm` stays where it is for as long as fibers run.
    pub unsafe fn set_owner(&mut self, sm: *const Sm) {
        // SAFETY: the first page is writable and holds nothing else.
        unsafe { self.region.base().cast::<*const Sm>().write(sm) };
    }

    /// A stack that nobody uses.
    pub fn take(&mut self) -> Result<u16> {
        if let Some(fiber) = self.free.pop() {
            return Ok(fiber);
        }
        assert!(
            u32::from(self.made) < MAX_THREADS,
            "more fibers than threads in a block"
        );
        let offset = self.bottom(self.made) - self.region.span().start;
        self.region
            .protect(offset, STACK_SIZE as u64, Protection::ReadWrite)?;
        self.region.guard(offset, PAGE)?;
        self.made += 1;
        Ok(self.made - 1)
    }

    /// Takes back a stack. Its fiber may still be running on it, for as long as it takes to switch.
    pub fn put(&mut self, fiber: u16) {
        self.free.push(fiber);
    }

    /// Takes back all stacks, whatever their fibers are doing.
    pub fn put_all(&mut self) {
        self.free.clear();
        self.free.extend((0..self.made).rev());
    }

    /// Lays out `fiber`'s stack to begin with `main`.
    ///
    /// # Safety
    /// Nobody uses the stack.
    pub unsafe fn prepare(
        &self,
        fiber: u16,
        main: Main,
        argument: *const (),
        number: u64,
    ) -> Suspended {
        let colour = usize::from(fiber) % COLOURS * CACHE_LINE;
        let base = self.context(fiber) as usize - colour;
        // SAFETY: the memory below the context is the stack, and larger than any colour.
        unsafe { switch::new(base as u64, main, argument, number) }
    }

    /// The context of the thread `fiber` runs, at the top of its stack.
    pub fn context(&self, fiber: u16) -> *mut ThreadContext {
        (self.bottom(fiber) as usize + STACK_SIZE - CONTEXT_SIZE) as *mut ThreadContext
    }

    /// Whether `address` is in the guard page of a stack.
    pub fn in_guard_page(&self, address: u64) -> bool {
        self.fiber_at(address).is_some() && address % (STACK_SIZE as u64) < PAGE
    }

    /// The fiber on whose stack `address` lies.
    pub fn fiber_at(&self, address: u64) -> Option<u16> {
        let place = address.checked_sub(self.region.span().start)? / STACK_SIZE as u64;
        place
            .checked_sub(1)
            .and_then(|fiber| u16::try_from(fiber).ok())
            .filter(|&fiber| fiber < self.made)
    }

    /// The lowest address of `fiber`'s stack. The first stack's place is the region's header.
    fn bottom(&self, fiber: u16) -> u64 {
        self.region.span().start + (u64::from(fiber) + 1) * STACK_SIZE as u64
    }
}
