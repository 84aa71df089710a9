//! Worksharing loops with static schedules that the runtime drives: it calls the body for each iteration.

use core::ffi::c_void;

use super::member::{Member, all_threads};
use super::static_schedule::{Chunk, chunked_u32, chunked_u64};
use crate::Ident;

/// A loop body as `OpenMPIRBuilder` outlines it: iteration number, captured variables.
type Body<T> = unsafe extern "C" fn(T, *mut c_void);

/// The calling thread's number among all threads, and how many they are; `None` if it gets no part.
#[inline(always)]
fn all_u32() -> Option<(u32, u32)> {
    let member = Member::of_all_threads()?;
    Some((member.id, member.count.get()))
}

/// The same. In 64 bits none of it wraps, and LLVM knows.
#[inline(always)]
fn all_u64() -> Option<(u64, u64)> {
    let all = all_threads();
    Some((all.number, all.all))
}

/// The runtime-driven loops of `OpenMPIRBuilder` (`-fopenmp-enable-irbuilder`, flang).
macro_rules! static_loops {
    ($int:ident, $unsigned:ident; $for:ident, $distribute:ident, $both:ident, $run:ident, $deal:ident;
     $chunked:ident, $all:ident) => {
        /// Iterations `first`, `first + stride`, …: all of flang's loops but those with chunks of their own. What a
        /// loop with one exit, at its end, always does may be done before it: optimisers compute an array's address
        /// and strides once.
        #[inline(always)]
        unsafe fn $deal(
            body: Body<$int>,
            data: *mut c_void,
            last: $unsigned,
            first: $unsigned,
            stride: $unsigned,
        ) {
            let mut iteration = first;
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
                let (first, stride) = (member.id as $unsigned, member.count.get() as $unsigned);
                // SAFETY: the caller's promise.
                return unsafe { $deal(body, data, last, first, stride) };
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
            if chunk as $unsigned <= 1 {
                if let Some(last) = (count as $unsigned).checked_sub(1)
                    && let Some((first, stride)) = $all()
                {
                    // SAFETY: the caller's promise.
                    unsafe { $deal(body, data, last, first, stride) }
                }
            } else if let Some(member) = Member::of_all_threads() {
                // SAFETY: the caller's promise.
                unsafe { $run(body, data, count as $unsigned, chunk as $unsigned, member) }
            }
        }
    };
}
static_loops!(i32, u32; __kmpc_for_static_loop_4, __kmpc_distribute_static_loop_4,
    __kmpc_distribute_for_static_loop_4, run_i32, deal_i32;
    chunked_u32, all_u32);
static_loops!(u32, u32; __kmpc_for_static_loop_4u, __kmpc_distribute_static_loop_4u,
    __kmpc_distribute_for_static_loop_4u, run_u32, deal_u32;
    chunked_u32, all_u32);
static_loops!(i64, u64; __kmpc_for_static_loop_8, __kmpc_distribute_static_loop_8,
    __kmpc_distribute_for_static_loop_8, run_i64, deal_i64;
    chunked_u64, all_u64);
static_loops!(u64, u64; __kmpc_for_static_loop_8u, __kmpc_distribute_static_loop_8u,
    __kmpc_distribute_for_static_loop_8u, run_u64, deal_u64;
    chunked_u64, all_u64);
