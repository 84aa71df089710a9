//! Doacross loops: `ordered(n)` with `ordered depend(source)` and `depend(sink: …)`, or `ordered doacross(…)`
//! (OpenMP 5.2, §15.9.6). Threads tell each other by one bit per iteration that it is past its source.
//!
//! The bits lie on the device heap, because an iteration may wait for any earlier one, whoever runs it. The
//! thread that is last to leave the loop gives them back.

use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Ident;
use crate::arch;
use crate::memory::heap;
use crate::sync::barrier::team_barrier;
use crate::team::nest::Nest;
use crate::team::shared;

/// `kmp_dim`: one loop of the nest. clang numbers iterations from 0, so `lower` is 0, `stride` 1, and `upper` the
/// number of iterations.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    lower: i64,
    upper: i64,
    stride: i64,
}

impl Dimension {
    fn count(self) -> u64 {
        let distance = if self.stride > 0 {
            self.upper.wrapping_sub(self.lower)
        } else {
            self.lower.wrapping_sub(self.upper)
        };
        if distance <= 0 {
            0
        } else {
            (distance as u64).div_ceil(self.stride.unsigned_abs().max(1))
        }
    }

    /// The number of an iteration; `None` outside of the loop.
    fn number(self, iteration: i64) -> Option<u64> {
        let distance = iteration
            .checked_sub(self.lower)?
            .checked_div(self.stride)?;
        u64::try_from(distance)
            .ok()
            .filter(|&number| number < self.count())
    }
}

/// What the team knows of a doacross loop: this head, then the dimensions, then a bit for each iteration.
#[repr(C)]
#[derive(Debug)]
pub struct Progress {
    /// Threads that have not left the loop.
    members: AtomicU32,
    dimensions: u32,
}

impl Progress {
    /// # Safety
    /// `dimensions` of `count` loops.
    #[inline(never)]
    unsafe fn new(dimensions: *const Dimension, count: usize, members: u32) -> *mut Progress {
        const PURPOSE: heap::Purpose = heap::purpose!("the iterations of a loop with ordered(n)");
        let mut iterations = 1u64;
        for i in 0..count {
            // SAFETY: the caller's promise.
            let more = iterations.checked_mul(unsafe { (*dimensions.add(i)).count() });
            let Some(more) = more else {
                heap::exhausted(usize::MAX, PURPOSE)
            };
            iterations = more;
        }
        let words = iterations.div_ceil(32) as usize;
        let head = size_of::<Progress>() + count * size_of::<Dimension>();
        let this = heap::need(head + words * size_of::<u32>(), PURPOSE).cast::<Progress>();
        // SAFETY: fresh memory of that size, which the heap aligns to 16.
        unsafe {
            this.write(Progress {
                members: AtomicU32::new(members),
                dimensions: count as u32,
            });
            Progress::dimensions(this).copy_from_nonoverlapping(dimensions, count);
            Progress::words(this).write_bytes(0, words);
        }
        this
    }

    /// # Safety
    /// `this` is live.
    unsafe fn dimensions(this: *mut Progress) -> *mut Dimension {
        // SAFETY: they follow the head.
        unsafe { this.add(1).cast() }
    }

    /// # Safety
    /// `this` is live.
    unsafe fn words(this: *mut Progress) -> *mut u32 {
        // SAFETY: they follow the dimensions.
        unsafe {
            Progress::dimensions(this)
                .add((*this).dimensions as usize)
                .cast()
        }
    }

    /// The word and the bit of an iteration; `None` for one the loop does not have.
    ///
    /// # Safety
    /// `this` is live and `iteration` has its number of indices.
    #[inline(never)]
    unsafe fn flag(
        this: *mut Progress,
        iteration: *const i64,
    ) -> Option<(&'static AtomicU32, u32)> {
        // SAFETY: the caller's promise; the index is below the number of bits.
        unsafe {
            let mut index = 0;
            for i in 0..(*this).dimensions as usize {
                let dimension = *Progress::dimensions(this).add(i);
                index = index * dimension.count() + dimension.number(*iteration.add(i))?;
            }
            let word = AtomicU32::from_ptr(Progress::words(this).add(index as usize / 32));
            Some((word, 1 << (index % 32)))
        }
    }
}

/// The loop the thread is in; `None` where it is alone: its iterations come in order then.
fn current() -> Option<*mut Progress> {
    if !Nest::load_inline().in_team() {
        return None;
    }
    // SAFETY: written between two barriers when the team entered the loop.
    Some(unsafe { arch::receive(shared::doacross()) }.cast())
}

/// `void (ident_t *, i32 thread, i32 count, dimensions *)`: enters a doacross loop: `count` loops in `dimensions`. All
/// threads of the team call it, before the worksharing loop's own `init` (clang: `emitDoacrossInit`; OpenMP 5.2,
/// §15.9.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_init(
    _location: *const Ident,
    _thread: i32,
    count: i32,
    dimensions: *const Dimension,
) {
    let nest = Nest::load_inline();
    if !nest.in_team() {
        return;
    }
    // A thread may still be in the loop before.
    team_barrier();
    if nest.thread_num() == 0 {
        // SAFETY: clang's array; the others read after the barrier.
        unsafe {
            let progress = Progress::new(dimensions, count as usize, nest.team_size());
            arch::send(shared::doacross(), progress.cast());
        }
        // The optimiser does not know what the call left of the nest word.
        nest.keep();
    }
    team_barrier();
}

/// `void (ident_t *, i32 thread, i64 *iteration)`: `depend(sink: …)`: waits until that iteration has passed its source
/// (clang: `emitDoacrossOrdered`; OpenMP 5.2, §15.9.6). An iteration that the loop does not have is none to wait for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_wait(
    _location: *const Ident,
    _thread: i32,
    iteration: *const i64,
) {
    let Some(progress) = current() else { return };
    // SAFETY: the loop's state is live while this thread is in it; clang passes an index for each loop.
    if let Some((word, bit)) = unsafe { Progress::flag(progress, iteration) } {
        while word.load(Relaxed) & bit == 0 {
            arch::pause();
        }
        arch::fence_block();
    }
}

/// `void (ident_t *, i32 thread, i64 *iteration)`: `depend(source)`: that iteration, which is the thread's own, is past
/// its source (clang: `emitDoacrossOrdered`; OpenMP 5.2, §15.9.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_post(
    _location: *const Ident,
    _thread: i32,
    iteration: *const i64,
) {
    let Some(progress) = current() else { return };
    // SAFETY: as in `__kmpc_doacross_wait`.
    if let Some((word, bit)) = unsafe { Progress::flag(progress, iteration) } {
        arch::fence_block();
        word.fetch_or(bit, Relaxed);
    }
}

/// `void (ident_t *, i32 thread)`: leaves a doacross loop (clang: `emitDoacrossInit`, cleanup of the loop's scope;
/// OpenMP 5.2, §15.9.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_fini(_location: *const Ident, _thread: i32) {
    let Some(progress) = current() else { return };
    arch::fence_block();
    // SAFETY: the last thread to leave releases what no other looks at any more.
    unsafe {
        if (*progress).members.fetch_sub(1, Relaxed) == 1 {
            arch::release(progress.cast());
        }
    }
}
