//! Worksharing loops whose chunks are handed out as threads ask (`dynamic`, `guided`, `runtime`, and all
//! `ordered` ones).
//!
//! A team is in one such loop at a time: entering one is a barrier, even after a `nowait`, which the standard allows.
//! So the loop is in shared memory. Where each thread has a position of its own (static and ordered schedules), the
//! positions are on the device heap, in one piece for the team. A thread that is alone in its region keeps the loop for
//! itself.

use crate::arch::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::Ident;
use crate::arch::{self, atomic};
use crate::memory::heap;
use crate::sync::barrier::team_barrier;
use crate::team::icv::Icvs;
use crate::team::nest::Nest;
use crate::team::shared;
use crate::team::team_loop::{Kind, Loop, Position};
use crate::team::thread_state::{self, Payload};
use crate::worksharing::static_schedule::{self, Member, SCHEDULE_MASK};

// SAFETY: the one payload of this kind.
unsafe impl Payload for Loop {
    const KIND: thread_state::Kind = thread_state::Kind::Loop;
}

impl Loop {
    /// A loop from clang's schedule number.
    fn new(schedule: i32, lower: u64, increment: u64, last: Option<u64>, chunk: i64) -> Loop {
        let count = last.map_or(0, |last| last.saturating_add(1));
        let schedule = schedule & SCHEDULE_MASK;
        // The bits above the base schedule are unordered (32), ordered (64), no merge (128).
        let (base, ordered) = (schedule & 31, schedule & 64 != 0);
        let (kind, chunk) = if base == 5 || base == 15 {
            let icvs = Icvs::current();
            // `omp_sched_t`: static 1, dynamic 2, guided 3, auto 4; the top bit says monotonic.
            match icvs.schedule & i32::MAX {
                2 => (Kind::Dynamic, icvs.chunk.into()),
                3 => (Kind::Guided, icvs.chunk.into()),
                1 if icvs.chunk > 0 => (Kind::StaticChunked, icvs.chunk.into()),
                _ => (Kind::Static, 1),
            }
        } else {
            match base {
                1 | 13 | 27 => (Kind::StaticChunked, chunk),
                2 | 6 | 8 | 9 | 28 => (Kind::Static, 1),
                7 | 4 | 10 | 11 | 14 => (Kind::Guided, chunk),
                _ => (Kind::Dynamic, chunk),
            }
        };
        let chunk = (chunk.max(1) as u64).min(count.max(1));
        Loop {
            lower,
            increment,
            count,
            chunk,
            kind,
            ordered,
            ..Loop::EMPTY
        }
    }

    /// Whether threads ask a common counter.
    fn is_shared(&self) -> bool {
        matches!(self.kind, Kind::Dynamic | Kind::Guided)
    }

    /// Whether each thread has a position of its own.
    fn has_positions(&self) -> bool {
        !self.is_shared() || self.ordered
    }

    /// What does not change while threads share the loop; a copy of the whole would race with those who take chunks.
    ///
    /// # Safety
    /// `this` is live, and only its `next`, `passed` and `left` change meanwhile.
    unsafe fn constants(this: *const Loop) -> Loop {
        // SAFETY: the caller's promise.
        unsafe {
            Loop {
                lower: (*this).lower,
                increment: (*this).increment,
                count: (*this).count,
                chunk: (*this).chunk,
                positions: (*this).positions,
                kind: (*this).kind,
                ordered: (*this).ordered,
                ..Loop::EMPTY
            }
        }
    }

    /// Takes the next chunk off a loop that threads share: first and last iteration.
    ///
    /// # Safety
    /// `this` is live, and only its `next` changes meanwhile.
    unsafe fn take(this: *mut Loop) -> Option<(u64, u64)> {
        // SAFETY: the caller's promise.
        let (count, chunk, kind, next) = unsafe {
            (
                (*this).count,
                (*this).chunk,
                (*this).kind,
                AtomicU64::from_ptr(&raw mut (*this).next),
            )
        };
        // Chunks are counted, not iterations: threads ask once more at the end, and iterations could wrap.
        let number = next.fetch_add(1, Relaxed);
        let (first, size) = match kind {
            Kind::Guided => guided(count, chunk, Nest::load_inline().team_size().into(), number)?,
            _ => (number.checked_mul(chunk)?, chunk),
        };
        (first < count).then(|| (first, first + (size - 1).min(count - 1 - first)))
    }

    /// The next chunk of a static schedule after a thread's position, which moves on.
    fn step(&self, next: &mut u64, member: Member) -> Option<(u64, u64)> {
        let last = self.count.checked_sub(1)?;
        let chunk = match self.kind {
            Kind::StaticChunked => static_schedule::chunked_u64(last, self.chunk, member)?,
            _ => static_schedule::balanced_u64(last, member)?,
        };
        let first = chunk
            .first
            .checked_add(*next)
            .filter(|&first| first <= last)?;
        // A balanced loop has one chunk per thread: its stride is the loop, or wraps to 0.
        *next = if chunk.stride == 0 {
            u64::MAX
        } else {
            next.saturating_add(chunk.stride)
        };
        Some((first, first + (chunk.last - chunk.first).min(last - first)))
    }

    /// The calling thread's position, which it alone uses.
    ///
    /// # Safety
    /// The loop is the team's and has positions, and the thread has not left it.
    unsafe fn position(&self) -> *mut Position {
        // SAFETY: there is one for each thread of the team.
        unsafe { self.positions.add(arch::thread_id() as usize) }
    }
}

/// Chunk `number` of a `guided` loop: its first iteration and its size, wherever the loop ends. `None`: the first
/// iteration would overflow.
///
/// A chunk is proportional to what is left for each thread (OpenMP 5.2, §11.5.3). Here as many chunks as there are
/// threads have one size: half of an equal share of what is left when the first of them begins. The next ones have half
/// of that, down to `least`. So a chunk follows from its number, and threads only count. If threads compared and
/// exchanged what is left instead, the lanes of a warp would need as many attempts as there are lanes.
fn guided(count: u64, least: u64, team: u64, number: u64) -> Option<(u64, u64)> {
    let mut size = count.div_ceil(2 * team.max(1)).max(least);
    let (mut first, mut number) = (0u64, number);
    while number >= team && size > least {
        first = first.checked_add(team.checked_mul(size)?)?;
        number -= team;
        size = (size / 2).max(least);
    }
    Some((first.checked_add(number.checked_mul(size)?)?, size))
}

/// Enters a loop.
fn enter(new: Loop) {
    let nest = Nest::load_inline();
    if !nest.in_team() {
        thread_state::push(new);
        return;
    }
    team_barrier();
    if arch::thread_id() == 0 {
        // SAFETY: between two barriers only this thread uses it.
        unsafe { begin(shared::team_loop(), new, nest.team_size()) };
    }
    team_barrier();
    if new.has_positions() {
        // SAFETY: the team has just entered the loop.
        unsafe { *Loop::constants(shared::team_loop()).position() = Position::START };
    }
}

/// Writes the loop that a team of `threads` enters.
///
/// # Safety
/// `team_loop` is the caller's meanwhile.
unsafe fn begin(team_loop: *mut Loop, mut new: Loop, threads: u32) {
    if new.has_positions() {
        let bytes = threads as usize * size_of::<Position>();
        new.positions =
            heap::need(bytes, heap::purpose!("the threads' positions in a loop")).cast();
    }
    // SAFETY: the caller's promise.
    unsafe {
        team_loop.write(new);
        atomic::begin_u64(&raw mut (*team_loop).next, 0);
        atomic::begin_u64(&raw mut (*team_loop).passed, 0);
        atomic::begin_u32(&raw mut (*team_loop).left, 0);
    }
}

/// The calling thread's next chunk: first and last iteration, and the loop they belong to.
fn advance() -> Option<(u64, u64, Loop)> {
    let nest = Nest::load_inline();
    if nest.in_team() {
        // SAFETY: the team is in this loop until all have asked in vain.
        unsafe { advance_with_team(shared::team_loop(), nest.team_size()) }
    } else {
        advance_alone()
    }
}

/// # Safety
/// The team of `threads` is in this loop.
unsafe fn advance_with_team(team_loop: *mut Loop, threads: u32) -> Option<(u64, u64, Loop)> {
    // SAFETY: the caller's promise; the thread leaves only where it gets no chunk.
    unsafe {
        let constants = Loop::constants(team_loop);
        let taken = if constants.is_shared() {
            Loop::take(team_loop)
        } else {
            constants.step(&mut (*constants.position()).next, Member::thread())
        };
        if constants.has_positions() {
            match taken {
                Some((first, _)) => (*constants.position()).ordered_first = first,
                None => leave(team_loop, threads),
            }
        }
        taken.map(|(first, last)| (first, last, constants))
    }
}

/// The last thread to leave a loop gives the positions back.
///
/// # Safety
/// The calling thread of the team uses its position no more.
unsafe fn leave(team_loop: *mut Loop, threads: u32) {
    arch::fence_block();
    // SAFETY: the loop is the team's until all have left it.
    unsafe {
        let positions = (*team_loop).positions;
        let left = AtomicU32::from_ptr(&raw mut (*team_loop).left);
        if left.fetch_add(1, Relaxed) + 1 == threads {
            arch::release(positions.cast());
        }
    }
}

fn advance_alone() -> Option<(u64, u64, Loop)> {
    let node = thread_state::find_here::<Loop>()?;
    // SAFETY: this thread's own node.
    let chunk = unsafe {
        let own = &raw mut (*node).payload;
        let taken = if (*own).is_shared() {
            Loop::take(own)
        } else {
            let mut next = (*own).next;
            let taken = (*own).step(&mut next, Member::thread());
            (*own).next = next;
            taken
        };
        taken.map(|(first, last)| (first, last, *own))
    };
    if chunk.is_none() {
        // SAFETY: found above, and of a kind that nothing in between ends.
        unsafe { thread_state::end(node) };
    }
    chunk
}

/// Waits until all iterations before the thread's chunk have passed. `None`: nothing to order. Ends with a fence, which
/// orders what comes before it, too.
fn wait_for_earlier_iterations() -> Option<&'static AtomicU64> {
    if !Nest::load_inline().in_team() {
        return None;
    }
    // SAFETY: the team is in a loop, and the thread has a chunk of it.
    let (first, passed) = unsafe {
        let constants = Loop::constants(shared::team_loop());
        if !constants.ordered {
            return None;
        }
        let passed = AtomicU64::from_ptr(&raw mut (*shared::team_loop()).passed);
        ((*constants.position()).ordered_first, passed)
    };
    while passed.load(Relaxed) < first {
        arch::pause();
    }
    arch::fence_block();
    Some(passed)
}

/// `void (ident_t *, i32 thread)`: begin of an `ordered` region (clang: `emitOrderedRegion`; OpenMP 5.2, §15.10).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_ordered(_location: *const Ident, _thread: i32) {
    wait_for_earlier_iterations();
}

/// `void (ident_t *, i32 thread)`: end of an `ordered` region (clang: `emitOrderedRegion`; OpenMP 5.2, §15.10); the
/// iteration passes at its own end (`__kmpc_dispatch_fini`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_ordered(_location: *const Ident, _thread: i32) {}

fn end_iteration() {
    if let Some(passed) = wait_for_earlier_iterations() {
        passed.fetch_add(1, Relaxed);
    }
}

macro_rules! dispatch {
    ($int:ident, $signed:ident, $last:path; $init:ident, $next:ident, $fini:ident, $dist:ident, $distribute:path) => {
        /// `void (ident_t *, i32 thread, i32 schedule, lower, upper, increment, chunk)`: enters a loop whose schedule
        /// is not plainly static (clang: `emitForDispatchInit`; OpenMP 5.2, §11.5.3).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $init(
            _location: *const Ident,
            _thread: i32,
            schedule: i32,
            lower: $int,
            upper: $int,
            increment: $signed,
            chunk: $signed,
        ) {
            let last = $last(lower, upper, increment).map(u64::from);
            enter(Loop::new(
                schedule,
                lower as u64,
                increment as u64,
                last,
                chunk.into(),
            ));
        }

        /// The same for the caller's team's share of the loop, which `distribute` has cut statically; `is_last` says
        /// whether it is the last (clang of other schedules for `distribute parallel for` on hosts; OpenMP 5.2,
        /// §11.5.3).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist(
            location: *const Ident,
            thread: i32,
            schedule: i32,
            is_last: *mut i32,
            mut lower: $int,
            mut upper: $int,
            increment: $signed,
            chunk: $signed,
        ) {
            let mut stride = increment;
            // SAFETY: local variables, and the caller's flag.
            unsafe {
                $distribute(
                    location,
                    thread,
                    static_schedule::DISTRIBUTE,
                    is_last,
                    &mut lower,
                    &mut upper,
                    &mut stride,
                    increment,
                    1,
                );
                $init(location, thread, schedule, lower, upper, increment, chunk);
            }
        }

        /// `i32 (ident_t *, i32 thread, i32 *is_last, lower *, upper *, stride *)`: the next chunk: 1, or 0 at the end
        /// (clang: `emitForNext`; OpenMP 5.2, §11.5.3).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $next(
            _location: *const Ident,
            _thread: i32,
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
        ) -> i32 {
            let Some((first, last, whole)) = advance() else {
                return 0;
            };
            let at = |iteration: u64| {
                whole
                    .lower
                    .wrapping_add(iteration.wrapping_mul(whole.increment)) as $int
            };
            // SAFETY: clang passes the loop's own variables.
            unsafe {
                *is_last = (last == whole.count - 1).into();
                *lower = at(first);
                *upper = at(last);
                *stride = whole.increment as $signed;
            }
            1
        }

        /// `void (ident_t *, i32 thread)`: end of one iteration of an `ordered` loop (clang:
        /// `emitForOrderedIterationEnd`; OpenMP 5.2, §15.10).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $fini(_location: *const Ident, _thread: i32) {
            end_iteration();
        }
    };
}
dispatch!(i32, i32, static_schedule::last_i32; __kmpc_dispatch_init_4, __kmpc_dispatch_next_4,
    __kmpc_dispatch_fini_4, __kmpc_dist_dispatch_init_4, static_schedule::__kmpc_for_static_init_4);
dispatch!(u32, i32, static_schedule::last_u32; __kmpc_dispatch_init_4u, __kmpc_dispatch_next_4u,
    __kmpc_dispatch_fini_4u, __kmpc_dist_dispatch_init_4u, static_schedule::__kmpc_for_static_init_4u);
dispatch!(i64, i64, static_schedule::last_i64; __kmpc_dispatch_init_8, __kmpc_dispatch_next_8,
    __kmpc_dispatch_fini_8, __kmpc_dist_dispatch_init_8, static_schedule::__kmpc_for_static_init_8);
dispatch!(u64, i64, static_schedule::last_u64; __kmpc_dispatch_init_8u, __kmpc_dispatch_next_8u,
    __kmpc_dispatch_fini_8u, __kmpc_dist_dispatch_init_8u, static_schedule::__kmpc_for_static_init_8u);

/// `void (ident_t *, i32 thread)`: after the loop (clang 19 and later: `emitForDispatchDeinit`; OpenMP 5.2, §11.5.3);
/// its state ended with its last chunk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_dispatch_deinit(_location: *const Ident, _thread: i32) {}

#[cfg(test)]
mod tests {
    use super::guided;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn guided_chunks_follow_each_other_and_shrink(
            count in prop_oneof![1..5000u64, (1u64 << 32)..(1 << 33), u64::MAX - 9..=u64::MAX],
            least in prop_oneof![1..40u64, (1u64 << 30)..(1 << 33), Just(u64::MAX)],
            team in 1..1025u64,
        ) {
            let (mut next, mut before) = (0u64, u64::MAX);
            for number in 0..5000 {
                let left = count.saturating_sub(next);
                let Some((first, size)) = guided(count, least, team, number) else {
                    // Beyond all numbers.
                    prop_assert!(next >= count || next == u64::MAX);
                    break;
                };
                prop_assert_eq!(first, next);
                prop_assert!(size >= least && size <= before);
                // Proportional to what is left when the first of as many chunks as threads begins. Every round may have
                // lost half an iteration.
                if number % team == 0 && left > 0 {
                    prop_assert!(size <= left.div_ceil(2 * team).max(least));
                    prop_assert!(size.saturating_add(number / team / 2 + 1) >= left / (2 * team));
                }
                (next, before) = (first.saturating_add(size), size);
            }
        }
    }
}
