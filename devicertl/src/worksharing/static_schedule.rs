//! Worksharing loops whose chunks each thread can compute by itself (static schedules).
//!
//! Everything is computed on iteration numbers in the loop's own unsigned type, from the *last* iteration rather than
//! the count: so nothing overflows where the loop itself does not. The type has the loop's own width, because 64-bit
//! division is expensive on GPUs.

use core::num::NonZero;

pub use super::member::Member;
use super::member::{all_threads, team_threads};
use super::warp_chunks::{self, Part, Threads};
use crate::Ident;
use crate::arch;
use crate::team::nest::Nest;

/// `OMPScheduleType` without the monotonicity bits.
pub const STATIC_CHUNKED: i32 = 33;
/// Contiguous blocks as equal as can be.
pub const STATIC: i32 = 34;
/// Contiguous blocks, multiples of the chunk (simd).
pub const STATIC_BALANCED_CHUNKED: i32 = 45;
/// `dist_schedule(static, chunk)`.
pub const DISTRIBUTE_CHUNKED: i32 = 91;
/// `dist_schedule(static)`.
pub const DISTRIBUTE: i32 = 92;
/// `distribute` and `for` at once: iterations go round all threads of all teams.
pub const DISTRIBUTE_FOR_ONE: i32 = 93;
/// Every team gets the whole loop, as the only chunk of a `distribute` (codegen-llvm: `device/combined_loops.rs`). Not
/// a number of LLVM's.
pub const DISTRIBUTE_WHOLE: i32 = 95;
/// As [`DISTRIBUTE_FOR_ONE`], for a loop of which nobody can tell which thread executes which iterations (codegen-llvm:
/// `device/combined_loops.rs`). What is left here as the upper bound is how many iterations the thread's loop ends
/// before the team's. Not a number of LLVM's.
pub const DISTRIBUTE_FOR_ANY: i32 = 96;
/// As [`DISTRIBUTE_FOR_ANY`], for the part of such a loop that its team has: a `for` whose iterations go round the
/// team's threads on a GPU. Where the whole loop ends before its type does. Not a number of LLVM's.
pub const FOR_ANY: i32 = 97;
/// Bits 29 and 30 say (non)monotonic; the schedules here are both.
pub const SCHEDULE_MASK: i32 = 0x1fff_ffff;

/// The calling thread's part of a loop whose iterations go round `threads`, or that any of them may execute.
#[inline(always)]
fn dealt(threads: Threads, count: u64, anyhow: bool) -> Part {
    if anyhow && arch::executes_warp_by_warp() {
        return warp_chunks::deal(threads, count);
    }
    Part {
        begin: threads.number.min(count),
        lane: 0,
        step: threads.all,
        behind: 0,
    }
}

/// Whether the program leaves the chunk of `distribute` to the implementation. clang then asks for the number of
/// threads and passes that (`getDefaultDistScheduleAndChunk`), which for the optimiser is the same value as ours. The
/// answer is fixed when the kernel is compiled, the same for all threads. Where the optimiser cannot tell, the default
/// is as good as any chunk. A constant of the program is a different value to it.
#[inline(always)]
fn is_default_chunk(chunk: u64) -> bool {
    arch::is_known_to_hold(chunk == u64::from(arch::block_threads()))
}

/// Whether chunks are dealt round: `static` with a chunk, and any schedule that is not handled separately here.
#[inline(always)]
fn is_dealt(schedule: i32) -> bool {
    !matches!(
        schedule,
        STATIC | DISTRIBUTE | STATIC_BALANCED_CHUNKED | DISTRIBUTE_FOR_ANY | FOR_ANY
    )
}

/// One member's first chunk as iteration numbers, and how far it is to its next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<U> {
    /// First iteration.
    pub first: U,
    /// Last iteration, inclusive.
    pub last: U,
    /// Iterations to the member's next chunk (wrapping).
    pub stride: U,
}

macro_rules! static_schedules {
    ($unsigned:ident, $chunked:ident, $balanced:ident, $rounded:ident, $aligned:ident) => {
        /// Chunks of `chunk` iterations, dealt round; `last` is the loop's last iteration.
        #[inline(always)]
        pub fn $chunked(
            last: $unsigned,
            chunk: $unsigned,
            member: Member,
        ) -> Option<Chunk<$unsigned>> {
            let id = member.id as $unsigned;
            let first = id.checked_mul(chunk).filter(|&first| first <= last)?;
            let stride = chunk.wrapping_mul(member.count.get() as $unsigned);
            Some(Chunk {
                first,
                last: first + (chunk - 1).min(last - first),
                stride,
            })
        }

        /// One block each, sizes differing by at most one.
        #[inline(always)]
        pub fn $balanced(last: $unsigned, member: Member) -> Option<Chunk<$unsigned>> {
            let (id, count) = (
                member.id as $unsigned,
                NonZero::<$unsigned>::from(member.count),
            );
            // last + 1 == small * count + extras, with extras in 1..=count.
            let (small, extras) = (last / count, last % count + 1);
            // The block's size less one: the size itself may not fit.
            let length = small.checked_sub((id >= extras) as $unsigned)?;
            let first = id * small + id.min(extras);
            Some(Chunk {
                first,
                last: first + length,
                stride: last.wrapping_add(1),
            })
        }

        /// One block each, all but the last a multiple of `chunk`.
        #[inline(always)]
        pub fn $rounded(
            last: $unsigned,
            chunk: $unsigned,
            member: Member,
        ) -> Option<Chunk<$unsigned>> {
            let share = last / NonZero::<$unsigned>::from(member.count);
            // Smallest multiple of `chunk` above `share`; the whole loop if that overflows.
            let block = (share / chunk.max(1))
                .checked_add(1)
                .and_then(|n| n.checked_mul(chunk))
                .unwrap_or($unsigned::MAX);
            $chunked(last, block, member)
        }

        /// One block each, all but the last a multiple of [`UNIT`], numbers of units differing by at most one.
        #[inline(always)]
        pub fn $aligned(last: $unsigned, member: Member) -> Option<Chunk<$unsigned>> {
            let unit = UNIT as $unsigned;
            let units = $balanced(last / unit, member)?;
            let first = units.first * unit;
            Some(Chunk {
                first,
                last: (units.last * unit + (unit - 1)).min(last),
                // Just beyond the loop, which this then does not overflow.
                stride: (last - first).wrapping_add(1),
            })
        }
    };
}
static_schedules!(u32, chunked_u32, balanced_u32, rounded_u32, aligned_u32);
static_schedules!(u64, chunked_u64, balanced_u64, rounded_u64, aligned_u64);

/// Iterations that stay together where teams get one block each: of 4 bytes each, a cache line of any GPU.
const UNIT: u32 = 32;

/// The entry points of one type of loop variable. clang passes increments as signed.
macro_rules! static_init {
    ($int:ident, $unsigned:ident, $signed:ident; $chunked:ident, $balanced:ident, $rounded:ident, $aligned:ident;
     $init:ident, $narrow:ident, $deal:ident, $deal_one_by_one:ident, $piece:ident,
     $for:ident, $distribute:ident, $team:ident, $both:ident) => {
        /// The loop's last iteration number; `None` if it has none.
        #[inline(always)]
        pub fn $init(lower: $int, upper: $int, increment: $signed) -> Option<$unsigned> {
            if increment > 0 {
                (lower <= upper).then(|| {
                    (upper as $unsigned).wrapping_sub(lower as $unsigned)
                        / increment.unsigned_abs().max(1)
                })
            } else {
                (lower >= upper).then(|| {
                    (lower as $unsigned).wrapping_sub(upper as $unsigned)
                        / increment.unsigned_abs().max(1)
                })
            }
        }

        /// Narrows `lower` and `upper` to the first chunk of what `share` says of the loop's last iteration number.
        #[inline(always)]
        unsafe fn $narrow(
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
            increment: $signed,
            share: impl FnOnce($unsigned) -> Option<Chunk<$unsigned>>,
        ) {
            // SAFETY: clang passes the loop's own variables.
            unsafe {
                let base = *lower;
                let Some(last) = $init(base, *upper, increment) else {
                    *is_last = 0;
                    *stride = increment;
                    return;
                };
                let at = |iteration: $unsigned| {
                    (base as $unsigned).wrapping_add(iteration.wrapping_mul(increment as $unsigned))
                        as $int
                };
                let Some(mine) = share(last) else {
                    // In `distribute parallel for` clang compares with the team's upper bound, not with the one
                    // left here: the lower bound must lie beyond it. Where that wraps, any empty bounds do.
                    let beyond = at(last.wrapping_add(1));
                    if (increment > 0) == (beyond > *upper) {
                        *lower = beyond;
                    } else {
                        (*lower, *upper) = if increment > 0 { (1, 0) } else { (0, 1) };
                    }
                    *stride = increment;
                    *is_last = 0;
                    return;
                };
                *lower = at(mine.first);
                *upper = at(mine.last);
                *stride = mine.stride.wrapping_mul(increment as $unsigned) as $signed;
                // The member whose chunks reach the end: a whole number of rounds after its first.
                *is_last = ((last - mine.first)
                    .checked_rem(mine.stride)
                    .unwrap_or(last - mine.first)
                    <= mine.last - mine.first) as i32;
            }
        }

        /// Narrows `lower` and `upper` to the first of the member's chunks, which are dealt round. The increment is
        /// one, and the loop ends before its type does: so the number behind the last iteration exists, and a member
        /// without a chunk gets it as its lower bound. The caller ends the chunk with the loop, so its upper bound may
        /// lie beyond the loop, but must not wrap.
        #[inline(always)]
        pub unsafe fn $deal(
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
            chunk: $unsigned,
            member: Member,
        ) {
            // SAFETY: clang passes the loop's own variables.
            unsafe {
                let base = *lower;
                let count = (*upper).wrapping_add(1).max(base).wrapping_sub(base) as $unsigned;
                let round = chunk.wrapping_mul(member.count.get() as $unsigned);
                if chunk == 1 && arch::executes_warp_by_warp() {
                    let (warp, lane) = warp_chunks::one_each(member.id, u64::from(count));
                    let first = warp as $unsigned + lane as $unsigned;
                    // Whoever executes the last iteration adds the number of members to it, which is beyond `first`.
                    *lower = base.wrapping_add(warp as $int).unchecked_add(lane as $int);
                    *upper = *lower;
                    *stride = round as $signed;
                    *is_last =
                        (first < count && (count - first - 1).checked_rem(round) == Some(0)) as i32;
                    return;
                }
                let first = (member.id as $unsigned).saturating_mul(chunk).min(count);
                let rest = count - first;
                let reach =
                    if chunk == 1 || arch::is_known_to_hold(base == 0 && chunk.is_power_of_two()) {
                        // From 0 on, chunks of a power of two fill the type.
                        chunk - 1
                    } else {
                        (chunk - 1).min(rest.wrapping_sub(1))
                    };
                *lower = base.wrapping_add(first as $int);
                *upper = (*lower).wrapping_add(reach as $int);
                *stride = round as $signed;
                *is_last =
                    (rest != 0 && (rest - 1).checked_rem(round).unwrap_or(rest - 1) < chunk) as i32;
            }
        }

        /// The same for chunks of one iteration that are dealt to `threads`. These may be more than a 32-bit number
        /// counts. With `anyhow` the upper bound becomes what [`DISTRIBUTE_FOR_ANY`] says.
        #[inline(always)]
        pub unsafe fn $deal_one_by_one(
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
            threads: Threads,
            anyhow: bool,
        ) {
            // SAFETY: clang passes the loop's own variables.
            unsafe {
                let base = *lower;
                let count = (*upper).wrapping_add(1).max(base).wrapping_sub(base) as $unsigned;
                let part = dealt(threads, u64::from(count), anyhow);
                let first = part.begin.wrapping_add(part.lane.into());
                // Whoever executes the last iteration adds the number of all threads to it, which would overflow first.
                core::hint::assert_unchecked(first <= $int::MAX as u64);
                let first = first as $unsigned;
                let round = if $unsigned::BITS < u64::BITS {
                    part.step.min(u64::from(count)) as $unsigned
                } else {
                    part.step as $unsigned
                };
                let end = count - part.behind as $unsigned;
                // Neither does that.
                *lower = base
                    .wrapping_add(part.begin as $int)
                    .unchecked_add(part.lane as $int);
                *upper = if anyhow { part.behind as $int } else { *lower };
                *stride = round as $signed;
                *is_last = (part.behind == 0
                    && first < end
                    && (end - first - 1).checked_rem(round) == Some(0)) as i32;
            }
        }

        /// One piece of a loop from 0 on in steps of one, of a signed type, for each team: [`UNIT`]s as `balanced`
        /// deals them, but without a branch. The stride is what is left of the loop: so compilers see that no second
        /// piece follows.
        #[inline(always)]
        pub unsafe fn $piece(
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
            team: Member,
        ) {
            // SAFETY: clang passes the loop's own variables.
            unsafe {
                // Half of what the type counts: rounding up does not overflow.
                let count = (*upper).wrapping_add(1).max(0) as $unsigned;
                let unit = UNIT as $unsigned;
                let (id, teams) = (team.id as $unsigned, NonZero::<$unsigned>::from(team.count));
                let units = (count + (unit - 1)) >> UNIT.trailing_zeros();
                let (small, extras) = (units / teams, units % teams);
                let first = id * small + id.min(extras);
                let end = first + small + (id < extras) as $unsigned;
                let (first, end) = ((first * unit).min(count), (end * unit).min(count));
                *lower = first as $int;
                *upper = end.wrapping_sub(1) as $int;
                *stride = (count as $int).wrapping_sub(*lower) as $signed;
                *is_last = (first < end && end == count) as i32;
            }
        }

        /// Static schedule: narrows `lower` and `upper` to the caller's first chunk (clang: `emitForStaticInit`; OpenMP
        /// 5.2, §11.5.3).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $for(
            _location: *const Ident,
            _thread: i32,
            schedule: i32,
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
            increment: $signed,
            chunk: $signed,
        ) {
            let schedule = schedule & SCHEDULE_MASK;
            let member = Member::of_schedule(schedule);
            let chunk = if chunk < 1 { 1 } else { chunk as $unsigned };
            // SAFETY: the caller's promise.
            unsafe {
                // A loop from 0 to the largest number of its type has more iterations than the type counts, and no
                // program may have it (OpenMP 5.2, §4.4.1).
                let anyhow = schedule == DISTRIBUTE_FOR_ANY;
                if schedule == FOR_ANY {
                    let threads = team_threads();
                    return $deal_one_by_one(is_last, lower, upper, stride, threads, true);
                }
                if (schedule == DISTRIBUTE_FOR_ONE || anyhow)
                    && arch::is_known_to_hold(
                        increment == 1 && (*lower == 0 || !anyhow && *upper != $int::MAX),
                    )
                {
                    let threads = all_threads();
                    return $deal_one_by_one(is_last, lower, upper, stride, threads, anyhow);
                }
                if is_dealt(schedule)
                    && arch::is_known_to_hold(increment == 1 && *upper != $int::MAX)
                {
                    return $deal(is_last, lower, upper, stride, chunk, member);
                }
                $narrow(
                    is_last,
                    lower,
                    upper,
                    stride,
                    increment,
                    |last| match schedule {
                        STATIC | DISTRIBUTE => $balanced(last, member),
                        STATIC_BALANCED_CHUNKED => $rounded(last, chunk, member),
                        DISTRIBUTE_FOR_ONE | DISTRIBUTE_FOR_ANY => {
                            $chunked(last, 1, Member::of_all_threads()?)
                        }
                        _ => $chunked(last, chunk, member),
                    },
                );
                if anyhow {
                    *upper = 0;
                }
            }
        }

        /// `distribute`: the same, dealt to teams (clang: `emitDistributeStaticInit`; OpenMP 5.2, §11.6.1). If the
        /// kernel reduces across teams, each team gets one piece unless the program says otherwise
        /// (`is_default_chunk`): a team reduces once per piece.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $distribute(
            location: *const Ident,
            thread: i32,
            schedule: i32,
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
            increment: $signed,
            chunk: $signed,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                if schedule & SCHEDULE_MASK == DISTRIBUTE_WHOLE {
                    // The next chunk lies behind the loop.
                    *stride = (*upper).wrapping_sub(*lower).wrapping_add(1) as $signed;
                    return;
                }
                if schedule & SCHEDULE_MASK == DISTRIBUTE_CHUNKED
                    && Nest::load_inline().reduces()
                    && is_default_chunk(chunk as u64)
                {
                    // As of a thread's chunks, the loop cannot end with its type.
                    if $int::MIN != 0 && arch::is_known_to_hold(increment == 1 && *lower == 0) {
                        return $piece(is_last, lower, upper, stride, Member::team());
                    }
                    return $narrow(is_last, lower, upper, stride, increment, |last| {
                        $aligned(last, Member::team())
                    });
                }
                $for(
                    location, thread, schedule, is_last, lower, upper, stride, increment, chunk,
                )
            }
        }

        /// `distribute` with a chunk, as LLVM's `OMPKinds.def` has it for hosts (OpenMP 5.2, §11.6.1).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $team(
            location: *const Ident,
            thread: i32,
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            stride: *mut $signed,
            increment: $signed,
            chunk: $signed,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                $for(
                    location,
                    thread,
                    DISTRIBUTE_CHUNKED,
                    is_last,
                    lower,
                    upper,
                    stride,
                    increment,
                    chunk,
                )
            }
        }

        /// `distribute parallel for` in one call: the thread's share of its team's block (LLVM: `OpenMPIRBuilder`;
        /// OpenMP 5.2, §11.6).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $both(
            location: *const Ident,
            thread: i32,
            schedule: i32,
            is_last: *mut i32,
            lower: *mut $int,
            upper: *mut $int,
            team_upper: *mut $int,
            stride: *mut $signed,
            increment: $signed,
            chunk: $signed,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                let mut last_team = 0;
                $for(
                    location,
                    thread,
                    DISTRIBUTE,
                    &mut last_team,
                    lower,
                    upper,
                    stride,
                    increment,
                    1,
                );
                *team_upper = *upper;
                $for(
                    location, thread, schedule, is_last, lower, upper, stride, increment, chunk,
                );
                *is_last &= last_team;
            }
        }
    };
}
static_init!(i32, u32, i32; chunked_u32, balanced_u32, rounded_u32, aligned_u32; last_i32, narrow_i32, deal_i32,
    deal_one_by_one_i32, piece_i32, __kmpc_for_static_init_4, __kmpc_distribute_static_init_4,
    __kmpc_team_static_init_4, __kmpc_dist_for_static_init_4);
static_init!(u32, u32, i32; chunked_u32, balanced_u32, rounded_u32, aligned_u32; last_u32, narrow_u32, deal_u32,
    deal_one_by_one_u32, piece_u32, __kmpc_for_static_init_4u, __kmpc_distribute_static_init_4u,
    __kmpc_team_static_init_4u, __kmpc_dist_for_static_init_4u);
static_init!(i64, u64, i64; chunked_u64, balanced_u64, rounded_u64, aligned_u64; last_i64, narrow_i64, deal_i64,
    deal_one_by_one_i64, piece_i64, __kmpc_for_static_init_8, __kmpc_distribute_static_init_8,
    __kmpc_team_static_init_8, __kmpc_dist_for_static_init_8);
static_init!(u64, u64, i64; chunked_u64, balanced_u64, rounded_u64, aligned_u64; last_u64, narrow_u64, deal_u64,
    deal_one_by_one_u64, piece_u64, __kmpc_for_static_init_8u, __kmpc_distribute_static_init_8u,
    __kmpc_team_static_init_8u, __kmpc_dist_for_static_init_8u);

/// End of a worksharing loop or of `sections` (clang: `emitForStaticFinish`; OpenMP 5.2, §11.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_for_static_fini(_location: *const Ident, _thread: i32) {}

/// End of a `distribute` loop (clang, on GPUs: `emitForStaticFinish`; OpenMP 5.2, §11.6): in SPMD kernels the barrier
/// that its parallel regions left out. openmp-opt removes it where nothing but the kernel's end follows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_distribute_static_fini(_location: *const Ident, _thread: i32) {
    let nest = Nest::load_inline();
    if arch::is_spmd() && nest.is_pure_sequential() {
        if nest.reduces() {
            arch::block_barrier_aligned_if(true);
        } else {
            arch::block_barrier_together();
        }
    }
}
