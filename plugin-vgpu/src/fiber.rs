//! GPU threads, and warps in warp form, as fibers on stacks in the device window.
//!
//! A thread's stack is [`STACK_SIZE`] bytes and aligned to its size. It has a guard page at the bottom, then the
//! stack proper, and the thread's context in the top [`CONTEXT_SIZE`] bytes. A warp's stack has the same layout.
//! It is larger by the number of lanes per warp ([`WARP_STACK_SIZE`]). All stacks of a multiprocessor lie in one
//! region, which is aligned to its size: first the threads' stacks, then the warps'. The topmost word of the
//! first stack, which its context does not need, holds the address of the multiprocessor. So an engine call finds
//! everything from the address of its context and need not read the context itself. The context's cache line is
//! likely cold, because all contexts compete for the same cache sets.
//!
//! Fibers are numbered by the position of their context, in units of a thread's stack.

use std::cell::Cell;

use plugin_api::Result;
use vgpu_abi::{CONTEXT_SIZE, MAX_FRAME, STACK_SIZE, ThreadContext, WARP_STACK_SIZE, WarpFrame};

use crate::barrier::MAX_WARPS;
use crate::block::MAX_THREADS;
use crate::sm::Sm;
use crate::switch::{self, Main, Suspended};
use crate::window::{PAGE, Protection, Region};

/// Stacks begin at one of this many cache lines below the context (cache colouring). All stacks have the same
/// alignment. Without the shift their hot lines would compete for the same few cache sets.
const COLOURS: usize = 32;
const CACHE_LINE: usize = 64;

/// How many thread stacks fit into a warp's stack.
const SLOTS_PER_WARP: u16 = (WARP_STACK_SIZE / STACK_SIZE) as u16;

/// The number that the first warp's fiber would have if a warp's stack were as large as a thread's.
const FIRST_WARP: u16 = MAX_THREADS as u16;

/// Upper bound of fiber numbers.
pub const MAX_FIBERS: usize = FIRST_WARP as usize + MAX_WARPS * SLOTS_PER_WARP as usize;

// The frames of a block's warps lie on the second warp's stack.
const _: () = assert!(MAX_WARPS * MAX_FRAME as usize + PAGE as usize <= WARP_STACK_SIZE);

/// Size and alignment of the region that holds a multiprocessor's stacks.
const REGION_SIZE: usize = MAX_FIBERS * STACK_SIZE;
const _: () = assert!(REGION_SIZE.is_power_of_two());

/// Bytes of the window that a multiprocessor's stacks take, and their alignment.
pub const STACKS_OF_SM: u64 = REGION_SIZE as u64;

/// Offset of the multiprocessor's address in the region.
const OWNER: usize = STACK_SIZE - size_of::<*const Sm>();
const _: () = assert!(size_of::<ThreadContext>() + size_of::<*const Sm>() <= CONTEXT_SIZE);

/// The fiber state that switches and engine calls need.
pub struct FiberState {
    /// Linear index in the block of the thread it runs. In warp form, of the first thread.
    pub thread: Cell<u16>,
    /// In warp form, the lane that an engine function is called for, counted from that thread.
    pub lane: Cell<u8>,
    /// Spin-loop iterations since the fiber last switched in one.
    pub spins: Cell<u32>,
}

impl FiberState {
    /// The state of a fiber that has not run yet.
    pub const fn new() -> FiberState {
        FiberState {
            thread: Cell::new(0),
            lane: Cell::new(0),
            spins: Cell::new(0),
        }
    }
}

/// The multiprocessor that a context belongs to, and the number of its fiber.
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

/// The stacks of one multiprocessor's fibers. They are created on first use and kept.
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
    /// Reserves addresses for as many stacks as a block can have threads and warps.
    pub fn new() -> Result<Stacks> {
        let region = Region::reserve(REGION_SIZE as u64, REGION_SIZE as u64)?;
        region.protect(STACK_SIZE as u64 - PAGE, PAGE, Protection::ReadWrite)?;
        Ok(Stacks {
            region,
            threads: Pool::new(MAX_THREADS as usize),
            warps: Pool::new(MAX_WARPS),
        })
    }

    /// The fiber for a block that runs by regions, and where the frames of its warps belong. Nobody may use warps'
    /// stacks otherwise meanwhile.
    pub fn for_regions(&mut self) -> Result<(u16, *mut WarpFrame)> {
        while self.warps.made < 2 {
            let warp = self.warps.made;
            self.open(warp_fiber(warp))?;
            self.warps.made += 1;
            self.warps.free.push(warp);
        }
        let frames = self.bottom(warp_fiber(1)) + PAGE;
        Ok((warp_fiber(0), frames as *mut WarpFrame))
    }

    /// Sets the multiprocessor that owns the stacks.
    ///
    /// # Safety
    /// `sm` stays where it is for as long as fibers run.
    pub unsafe fn set_owner(&mut self, sm: *const Sm) {
        // SAFETY: the page is writable, and nothing else uses this word.
        unsafe { self.region.base().add(OWNER).cast::<*const Sm>().write(sm) };
    }

    /// A free stack for a thread.
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

    /// A free stack for a warp.
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

    /// Takes back a stack. Its fiber may still run on it until it has switched away.
    pub fn put(&mut self, fiber: u16) {
        match warp_of(fiber) {
            None => self.threads.free.push(fiber),
            Some(warp) => self.warps.free.push(warp),
        }
    }

    /// Takes back all stacks, whatever state their fibers are in.
    pub fn put_all(&mut self) {
        self.threads.put_all();
        self.warps.put_all();
    }

    /// Lays out the stack of `fiber` so that it starts with `main`.
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

    /// The fiber whose stack holds `address`.
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

/// The fiber of a warp's stack, which has its context also where the first warp's fiber runs all of them.
pub fn warp_fiber(warp: u16) -> u16 {
    FIRST_WARP + (warp + 1) * SLOTS_PER_WARP - 1
}

/// The number of the warp's stack that `fiber` has, if it is a warp's fiber.
fn warp_of(fiber: u16) -> Option<u16> {
    Some(fiber.checked_sub(FIRST_WARP)? / SLOTS_PER_WARP)
}
