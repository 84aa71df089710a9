//! GPU threads, and warps in warp form, as fibers on stacks in the device window.
//!
//! A thread's stack is [`STACK_SIZE`] bytes, aligned to its size: a guard page at the bottom, the stack proper,
//! and in the top [`CONTEXT_SIZE`] bytes the thread's context. A warp's is as many times larger as a warp has lanes
//! ([`WARP_STACK_SIZE`]), and otherwise the same. The stacks of one multiprocessor lie in one
//! region, aligned to its size: first those of threads, then those of warps. The first stack's topmost word, which its
//! context does not need, is the multiprocessor's address: an engine call finds
//! everything from its context's address without touching the context, whose cache line is likely cold
//! (all contexts compete for the same cache sets).
//!
//! A fiber's number is the place of its context among stacks of a thread's size.

use std::cell::Cell;

use plugin_api::Result;
use vgpu_abi::{CONTEXT_SIZE, STACK_SIZE, ThreadContext, WARP_STACK_SIZE};

use crate::barrier::MAX_WARPS;
use crate::block::MAX_THREADS;
use crate::sm::Sm;
use crate::switch::{self, Main, Suspended};
use crate::window::{PAGE, Protection, Region};

/// Stacks begin at one of this many cache lines below the context. They are all aligned alike, so
/// without the shift their hot lines would fight for the same few cache sets.
const COLOURS: usize = 32;
const CACHE_LINE: usize = 64;

/// Stacks of a thread's size that a warp's takes.
const SLOTS_PER_WARP: u16 = (WARP_STACK_SIZE / STACK_SIZE) as u16;

/// Number of the first fiber that would be a warp's, if a warp's stack were as large as a thread's.
const FIRST_WARP: u16 = MAX_THREADS as u16;

/// Bound of the fibers' numbers.
pub const MAX_FIBERS: usize = FIRST_WARP as usize + MAX_WARPS * SLOTS_PER_WARP as usize;

/// Size and alignment of the region that holds a multiprocessor's stacks.
const REGION_SIZE: usize = MAX_FIBERS * STACK_SIZE;
const _: () = assert!(REGION_SIZE.is_power_of_two());

/// Where in the region the multiprocessor's address lies.
const OWNER: usize = STACK_SIZE - size_of::<*const Sm>();
const _: () = assert!(size_of::<ThreadContext>() + size_of::<*const Sm>() <= CONTEXT_SIZE);

/// What switches and engine calls need of a fiber.
pub struct FiberState {
    /// Linear index of the thread it runs, in its block; in warp form, of the first one.
    pub thread: Cell<u16>,
    /// In warp form, the lane on whose behalf engine functions are called, counted from that thread.
    pub lane: Cell<u8>,
    /// Turns of loops that wait on memory since the fiber last switched in one.
    pub spins: Cell<u32>,
}

impl FiberState {
    /// That of a fiber that has not run yet.
    pub const fn new() -> FiberState {
        FiberState {
            thread: Cell::new(0),
            lane: Cell::new(0),
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
    let sm = unsafe { &**((base + OWNER) as *const *const Sm) };
    (sm, (offset / STACK_SIZE) as u16)
}

/// The stacks of one multiprocessor's fibers; made when first needed, kept for ever.
pub struct Stacks {
    region: Region,
    threads: Pool,
    warps: Pool,
}

/// Stacks of one size, numbered from 0.
struct Pool {
    made: u16,
    free: Vec<u16>,
}

impl Pool {
    fn new(most: usize) -> Pool {
        Pool {
            made: 0,
            free: Vec::with_capacity(most),
        }
    }

    fn put_all(&mut self) {
        self.free.clear();
        self.free.extend((0..self.made).rev());
    }
}

impl Stacks {
    /// Reserves addresses for as many stacks as a block has threads, and as it has warps.
    pub fn new() -> Result<Stacks> {
        let region = Region::reserve(REGION_SIZE as u64, REGION_SIZE as u64)?;
        region.protect(STACK_SIZE as u64 - PAGE, PAGE, Protection::ReadWrite)?;
        Ok(Stacks {
            region,
            threads: Pool::new(MAX_THREADS as usize),
            warps: Pool::new(MAX_WARPS),
        })
    }

    /// Says whose stacks they are.
    ///
    /// # Safety
    /// `sm` stays where it is for as long as fibers run.
    pub unsafe fn set_owner(&mut self, sm: *const Sm) {
        // SAFETY: the page is writable, and this word of it is nobody else's.
        unsafe { self.region.base().add(OWNER).cast::<*const Sm>().write(sm) };
    }

    /// A stack for a thread that nobody uses.
    pub fn take(&mut self) -> Result<u16> {
        if let Some(fiber) = self.threads.free.pop() {
            return Ok(fiber);
        }
        let fiber = self.threads.made;
        assert!(
            u32::from(fiber) < MAX_THREADS,
            "more fibers than threads in a block"
        );
        self.open(fiber)?;
        self.threads.made += 1;
        Ok(fiber)
    }

    /// A stack for a warp that nobody uses.
    pub fn take_warp(&mut self) -> Result<u16> {
        if let Some(warp) = self.warps.free.pop() {
            return Ok(warp_fiber(warp));
        }
        let warp = self.warps.made;
        assert!(
            usize::from(warp) < MAX_WARPS,
            "more fibers than warps in a block"
        );
        self.open(warp_fiber(warp))?;
        self.warps.made += 1;
        Ok(warp_fiber(warp))
    }

    /// Takes back a stack. Its fiber may still be running on it, for as long as it takes to switch.
    pub fn put(&mut self, fiber: u16) {
        match warp_of(fiber) {
            None => self.threads.free.push(fiber),
            Some(warp) => self.warps.free.push(warp),
        }
    }

    /// Takes back all stacks, whatever their fibers are doing.
    pub fn put_all(&mut self) {
        self.threads.put_all();
        self.warps.put_all();
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
        let colour = usize::from(warp_of(fiber).unwrap_or(fiber)) % COLOURS * CACHE_LINE;
        let base = self.context(fiber) as usize - colour;
        // SAFETY: the memory below the context is the stack, and larger than any colour.
        unsafe { switch::new(base as u64, main, argument, number) }
    }

    /// The context of the thread `fiber` runs, at the top of its stack.
    pub fn context(&self, fiber: u16) -> *mut ThreadContext {
        (self.top(fiber) as usize - CONTEXT_SIZE) as *mut ThreadContext
    }

    /// Whether `address` is in the guard page of a stack.
    pub fn in_guard_page(&self, address: u64) -> bool {
        self.fiber_at(address)
            .is_some_and(|fiber| address - self.bottom(fiber) < PAGE)
    }

    /// The fiber on whose stack `address` lies.
    pub fn fiber_at(&self, address: u64) -> Option<u16> {
        let slot = address.checked_sub(self.region.span().start)? / STACK_SIZE as u64;
        let slot = u16::try_from(slot).ok()?;
        if slot < FIRST_WARP {
            return (slot < self.threads.made).then_some(slot);
        }
        let warp = (slot - FIRST_WARP) / SLOTS_PER_WARP;
        (warp < self.warps.made).then(|| warp_fiber(warp))
    }

    /// Makes a stack accessible, except its guard page.
    fn open(&self, fiber: u16) -> Result<()> {
        let (bottom, top) = (self.bottom(fiber), self.top(fiber));
        let offset = bottom - self.region.span().start;
        self.region
            .protect(offset, top - bottom, Protection::ReadWrite)?;
        self.region.guard(offset, PAGE)
    }

    /// The lowest address of `fiber`'s stack.
    fn bottom(&self, fiber: u16) -> u64 {
        let slots = if warp_of(fiber).is_some() {
            SLOTS_PER_WARP
        } else {
            1
        };
        self.top(fiber) - u64::from(slots) * STACK_SIZE as u64
    }

    fn top(&self, fiber: u16) -> u64 {
        self.region.span().start + (u64::from(fiber) + 1) * STACK_SIZE as u64
    }
}

/// The fiber of a warp's stack.
fn warp_fiber(warp: u16) -> u16 {
    FIRST_WARP + (warp + 1) * SLOTS_PER_WARP - 1
}

/// The warp's stack that `fiber` has, if it is a warp's.
fn warp_of(fiber: u16) -> Option<u16> {
    Some(fiber.checked_sub(FIRST_WARP)? / SLOTS_PER_WARP)
}
