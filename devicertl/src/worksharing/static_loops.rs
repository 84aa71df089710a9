//! Worksharing loops with static schedules that the runtime drives: it calls the body for each iteration.

use core::ffi::c_void;

use super::static_schedule::{Chunk, Member, chunked_u32, chunked_u64};
use crate::Ident;

/// A loop body as `OpenMPIRBuilder` outlines it: iteration number, captured variables.
type Body<T> = unsafe extern "C" fn(T, *mut c_void);

/// The runtime-driven loops of `OpenMPIRBuilder` (`-fopenmp-enable-irbuilder`, flang).
macro_rules! static_loops {
    ($int:ident, $unsigned:ident; $for:ident, $distribute:ident, $both:ident, $run:ident; $chunked:ident) => {
        #[inline(always)]
        unsafe fn $run(
            body: Body<$int>,
            data: *mut c_void,
            count: $unsigned,
            chunk: $unsigned,
            member: Member,
        ) {
            let Some(last) = count.checked_sub(1) else {
                return;
            };
            if chunk <= 1 {
                // flang's loops, but for those with chunks of their own. What a loop with one exit, at its end, always
                // does may be done before it: optimisers compute an array's address and strides once.
                let (mut iteration, stride) =
                    (member.id as $unsigned, member.count.get() as $unsigned);
                if iteration > last {
                    return;
                }
                loop {
                    // SAFETY: the builder's function and data.
                    unsafe { body(iteration as $int, data) };
                    let left = last - iteration;
                    iteration = iteration.wrapping_add(stride);
                    if left < stride {
                        return;
                    }
                }
            }
            let mut next = $chunked(last, chunk.max(1), member);
            while let Some(mine) = next {
                let mut iteration = mine.first;
                loop {
                    // SAFETY: the builder's function and data.
                    unsafe { body(iteration as $int, data) };
                    if iteration == mine.last {
                        break;
                    }
                    iteration += 1;
                }
                next = mine
                    .first
                    .checked_add(mine.stride)
                    .filter(|&first| first <= last && mine.stride != 0)
                    .map(|first| Chunk {
                        first,
                        last: first + (chunk.max(1) - 1).min(last - first),
                        stride: mine.stride,
                    });
            }
        }

        /// `for` (`applyWorkshareLoopTarget`; OpenMP 5.2, §11.5).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $for(
            _location: *const Ident,
            body: Body<$int>,
            data: *mut c_void,
            count: $int,
            _threads: $int,
            chunk: $int,
            _one_each: u8,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                $run(
                    body,
                    data,
                    count as $unsigned,
                    chunk as $unsigned,
                    Member::thread(),
                )
            }
        }

        /// `distribute` (`applyWorkshareLoopTarget`; OpenMP 5.2, §11.6).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $distribute(
            _location: *const Ident,
            body: Body<$int>,
            data: *mut c_void,
            count: $int,
            chunk: $int,
            _one_each: u8,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                $run(
                    body,
                    data,
                    count as $unsigned,
                    chunk as $unsigned,
                    Member::team(),
                )
            }
        }

        /// `distribute parallel for` (`applyWorkshareLoopTarget`; OpenMP 5.2, §11.5 and §11.6).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $both(
            _location: *const Ident,
            body: Body<$int>,
            data: *mut c_void,
            count: $int,
            _threads: $int,
            _team_chunk: $int,
            chunk: $int,
            _one_each: u8,
        ) {
            let Some(member) = Member::of_all_threads() else {
                return;
            };
            // SAFETY: the caller's promise.
            unsafe { $run(body, data, count as $unsigned, chunk as $unsigned, member) }
        }
    };
}
static_loops!(i32, u32; __kmpc_for_static_loop_4, __kmpc_distribute_static_loop_4,
    __kmpc_distribute_for_static_loop_4, run_i32; chunked_u32);
static_loops!(u32, u32; __kmpc_for_static_loop_4u, __kmpc_distribute_static_loop_4u,
    __kmpc_distribute_for_static_loop_4u, run_u32; chunked_u32);
static_loops!(i64, u64; __kmpc_for_static_loop_8, __kmpc_distribute_static_loop_8,
    __kmpc_distribute_for_static_loop_8, run_i64; chunked_u64);
static_loops!(u64, u64; __kmpc_for_static_loop_8u, __kmpc_distribute_static_loop_8u,
    __kmpc_distribute_for_static_loop_8u, run_u64; chunked_u64);
