//! Reductions (*reductions* paper): across lanes with shuffles, across warps through shared memory,
//! across teams through a buffer. clang generates the functions that know the data; the
//! algorithms here know none of it.

use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};
use core::ffi::c_void;

use crate::Ident;
use crate::arch::{self, atomic};
use crate::reduction::dispersed;
use crate::sync::barrier::team_barrier;
use crate::sync::critical::{self, CriticalName};
use crate::team::nest::Nest;
use crate::team::shared;

/// Combines the list with that of the lane `offset` further on: `(list, lane, offset, version)`.
pub type ShuffleReduce = unsafe extern "C" fn(*mut c_void, i16, i16, i16);
/// Moves the lists of the warps' first lanes to the first warp: `(list, warps)`.
pub type InterWarpCopy = unsafe extern "C" fn(*mut c_void, i32);
/// Copies or combines between a list and a record of the buffer: `(buffer, index, list)`.
pub type WithBuffer = unsafe extern "C" fn(*mut c_void, i32, *mut c_void);

/// The versions of `ShuffleReduce`.
const FULL_WARP: i16 = 0;
const CONTIGUOUS_LANES: i16 = 1;

/// In a lane number or distance that clang's function passes on to a shuffle: bits 8-13 are a number of lanes, less one.
const LANES_GIVEN: u32 = 1 << 14;
const LANES_SHIFT: u32 = 8;

/// A distance, or the lane to compare with one, for clang's function: the first `lanes` lanes of the warp take part. So the
/// shuffles in it, which have no other parameter to tell them, need not ask for the team, each for itself.
#[inline(always)]
fn among(lanes: u32, value: u32) -> i16 {
    ((value & 0xff) | ((lanes - 1) << LANES_SHIFT) | LANES_GIVEN) as i16
}

/// The lanes that a distance names, if it does, and the distance.
#[inline(always)]
fn given(delta: i16) -> (Option<arch::Lanes>, u32) {
    let delta = delta as u32;
    let lanes = ((delta >> LANES_SHIFT) & 0x3f) + 1;
    let given = (delta & LANES_GIVEN != 0).then(|| arch::first_lanes(lanes));
    (given, delta & 0xff)
}

/// All lanes of the warp, of at least `threads` threads: a tree over lane distance. Lane 0 ends with the result.
///
/// Compilers do not know that `threads` is no less than a warp, and leave the loop a loop: shuffles of lanes that they do
/// not know take ptxas ten instructions each.
#[inline(always)]
unsafe fn reduce_full_warp(list: *mut c_void, shuffle: ShuffleReduce, threads: u32) {
    let mut offset = threads.min(arch::warp_size()) / 2;
    while offset > 0 {
        // SAFETY: clang's function, called by all lanes.
        unsafe { shuffle(list, 0, among(arch::warp_size(), offset), FULL_WARP) };
        offset /= 2;
    }
}

/// How many lanes the shuffles of a warp name of which `lanes` have threads of the team. Shuffles wait for lanes that have not ended
/// (PTX ISA, "shfl.sync"), so a block's last warp may name all, those that never were included. ptxas makes ten instructions of
/// each shuffle whose lanes it does not know.
#[inline(always)]
fn named(lanes: u32, is_block: bool) -> u32 {
    if is_block { arch::warp_size() } else { lanes }
}

/// The first `size` lanes: the upper part folds onto the lower, an odd one moves down unchanged
/// (*reductions* paper, "Contiguous Full Warp Reduction"). Lane 0 ends with the result. All the first `lanes` lanes call.
#[inline(always)]
unsafe fn reduce_contiguous(list: *mut c_void, shuffle: ShuffleReduce, size: u32, lanes: u32) {
    let mut size = size;
    while size > 1 {
        // SAFETY: clang's function, called by all lanes named; it compares lane and offset.
        unsafe {
            shuffle(
                list,
                among(lanes, arch::lane()),
                among(lanes, size / 2),
                CONTIGUOUS_LANES,
            )
        };
        size = size.div_ceil(2);
    }
}

/// The team's first `threads` threads: thread 0 ends with the result.
///
/// All threads of a team reach a reduction, whichever way they come, and a team is the first threads of its block: so
/// its lanes in a warp are all, or the first few. The paper's third case is that of lanes that some condition selects
/// (`reduce_dispersed`). Where the team is the whole block, a warp's other lanes have no threads, and shuffles may name
/// them ([`named`]).
#[inline(always)]
unsafe fn reduce_threads(
    list: *mut c_void,
    threads: u32,
    is_block: bool,
    shuffle: ShuffleReduce,
    copy: InterWarpCopy,
) {
    let warps = threads.div_ceil(arch::warp_size());
    let warp = arch::thread_id() / arch::warp_size();
    // SAFETY: clang's functions, called by all the team's threads.
    unsafe {
        if threads.is_multiple_of(arch::warp_size()) || warp < warps - 1 {
            reduce_full_warp(list, shuffle, threads);
        } else {
            let lanes = threads % arch::warp_size();
            reduce_contiguous(list, shuffle, lanes, named(lanes, is_block));
        }
        if warps > 1 {
            copy(list, warps as i32);
            if warp == 0 {
                reduce_contiguous(list, shuffle, warps, arch::warp_size());
            }
        }
    }
}

/// Reduction in a team: `i32 (ident, i64 bytes, ptr list, ptr shuffle function, ptr copy function)`, called by all threads
/// at the end of a `parallel` region or worksharing loop with a `reduction` clause (`CGOpenMPRuntimeGPU::emitReduction`,
/// since clang 18; OpenMP 5.2, §5.5). The thread that gets 1 has the result in its list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_nvptx_parallel_reduce_nowait_v2(
    _location: *const Ident,
    _size: u64,
    list: *mut c_void,
    shuffle: ShuffleReduce,
    copy: InterWarpCopy,
) -> i32 {
    let nest = Nest::load();
    if !nest.in_team() {
        return 1;
    }
    // SAFETY: the caller's promise.
    unsafe {
        reduce_threads(
            list,
            nest.active_team_size(),
            nest.is_block(),
            shuffle,
            copy,
        )
    };
    (arch::thread_id() == 0).into()
}

/// Reduction across teams as clang 18 to 22 call it (`CGOpenMPRuntimeGPU::emitReduction` for `teams`; OpenMP 5.2,
/// §5.5): the one thread of the league that gets 1 has the result in its list. `records` is the length of the buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_nvptx_teams_reduce_nowait_v2(
    _location: *const Ident,
    buffer: *mut c_void,
    records: u32,
    _size: u64,
    list: *mut c_void,
    shuffle: ShuffleReduce,
    copy: InterWarpCopy,
    list_to_buffer: WithBuffer,
    _list_into_buffer: WithBuffer,
    buffer_to_list: WithBuffer,
    buffer_into_list: WithBuffer,
) -> i32 {
    let buffer = Buffer {
        start: buffer,
        records: records.max(1),
        list_to_buffer,
        buffer_to_list,
        buffer_into_list,
    };
    // SAFETY: the caller's promise.
    unsafe { reduce_teams(list, shuffle, copy, buffer) }
}

/// Reduction across teams in the form that follows clang 22 (LLVM's `Reduction.cpp` of 2026; OpenMP 5.2, §5.5): the
/// buffer is the launch's, and nothing combines into it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_gpu_xteam_reduce_nowait(
    _location: *const Ident,
    list: *mut c_void,
    shuffle: ShuffleReduce,
    copy: InterWarpCopy,
    list_to_buffer: WithBuffer,
    buffer_to_list: WithBuffer,
    buffer_into_list: WithBuffer,
) -> i32 {
    let buffer = Buffer {
        start: __kmpc_reduction_get_fixed_buffer(),
        records: LAUNCH_RECORDS,
        list_to_buffer,
        buffer_to_list,
        buffer_into_list,
    };
    // SAFETY: the caller's promise.
    unsafe { reduce_teams(list, shuffle, copy, buffer) }
}

/// Records that the buffer of a launch has at least, unless it has fewer teams (docs/abi.md, "Kernel launch environment").
const LAUNCH_RECORDS: u32 = 1024;

/// Where the teams of a launch leave their lists, and clang's functions for it.
#[derive(Clone, Copy)]
struct Buffer {
    start: *mut c_void,
    records: u32,
    list_to_buffer: WithBuffer,
    buffer_to_list: WithBuffer,
    buffer_into_list: WithBuffer,
}

/// Every team's master puts its list into the record `team % records`. Teams come in rounds of
/// `records`: those of a later round combine with what is there, and a round starts when the one
/// before it is complete, so that no two teams are at one record at once. No value is touched by atomics;
/// only arrivals are counted. The last team combines the records. (docs/reductions.md, "Across teams")
#[inline(always)]
unsafe fn reduce_teams(
    list: *mut c_void,
    shuffle: ShuffleReduce,
    copy: InterWarpCopy,
    buffer: Buffer,
) -> i32 {
    let spmd = arch::is_spmd();
    // In generic mode the workers wait in the pool: the master combines alone. So does thread 0 where openmp-opt made
    // a generic kernel SPMD: the list's variables are then the team's, not each thread's own.
    let nest = Nest::load();
    let together = spmd && nest.is_pure();
    let thread = if spmd { arch::thread_id() } else { 0 };
    let threads = if together { arch::block_threads() } else { 1 };
    if arch::block_count() == 1 {
        return (thread == 0).into();
    }
    if thread == 0 {
        // SAFETY: the caller's promise.
        let last = unsafe { deliver(list, &buffer) };
        // SAFETY: read by the team after the barrier.
        unsafe { arch::send(shared::last_team(), last.into()) };
    }
    if spmd {
        arch::block_barrier_aligned_if(together);
    }
    // SAFETY: written before the barrier.
    let last = unsafe { arch::receive(shared::last_team()) } != 0;
    // Because the optimiser takes the fences for writes of it.
    nest.keep();
    if !last {
        return 0;
    }
    arch::fence_device();
    let used = buffer.records.min(arch::block_count());
    let active = threads.min(used);
    // SAFETY: all teams have delivered; the functions are clang's for this list.
    unsafe {
        if thread < active {
            (buffer.buffer_to_list)(buffer.start, thread as i32, list);
            let mut record = thread + threads;
            while record < used {
                (buffer.buffer_into_list)(buffer.start, record as i32, list);
                record += threads;
            }
        }
        if together {
            // As in a region of the whole block.
            Nest::BLOCK_TOGETHER.store();
            reduce_records(list, active, shuffle, copy);
        }
    }
    nest.store();
    (thread == 0).into()
}

/// One value in each of the first `active` threads of the block; all its threads come here, because the copy
/// across warps has barriers. Once per launch: full warps go the way of partial ones, which saves the code of a second.
#[inline(always)]
unsafe fn reduce_records(
    list: *mut c_void,
    active: u32,
    shuffle: ShuffleReduce,
    copy: InterWarpCopy,
) {
    let warp_size = arch::warp_size();
    let warps = active.div_ceil(warp_size);
    let warp = arch::thread_id() / warp_size;
    let lanes = active.saturating_sub(warp * warp_size).min(warp_size);
    // SAFETY: as in `reduce_threads`; lanes beyond `active` only lend a hand in the shuffles.
    unsafe {
        reduce_contiguous(list, shuffle, lanes, warp_size);
        // Also where the first warp has all values: so the optimiser knows that the warp which goes on is full.
        if arch::block_threads() > warp_size {
            copy(list, warps as i32);
            if warp == 0 {
                reduce_contiguous(list, shuffle, warps, warp_size);
            }
        }
    }
}

/// Puts a team's list into its record; whether the team is the last of all.
unsafe fn deliver(list: *mut c_void, buffer: &Buffer) -> bool {
    let (team, teams, records) = (arch::block_id(), arch::block_count(), buffer.records);
    let record = (team % records) as i32;
    // SAFETY: the host gives each launch of a kernel with reductions an environment (docs/abi.md).
    let (count, round) = unsafe {
        let environment = *shared::launch_environment();
        (
            AtomicU32::from_ptr(&raw mut (*environment).reduction_count),
            AtomicU32::from_ptr(&raw mut (*environment).reduction_round),
        )
    };
    let first = team - team % records;
    if first > 0 {
        // Teams of earlier rounds have lower numbers, which devices start first.
        while round.load(Relaxed) != first {
            arch::pause();
        }
        arch::fence_device();
        // SAFETY: the record holds what the team of the round before left, and is this team's until the round is complete.
        unsafe { (buffer.buffer_into_list)(buffer.start, record, list) };
    }
    // SAFETY: as above.
    unsafe { (buffer.list_to_buffer)(buffer.start, record, list) };
    arch::fence_device();
    let in_round = records.min(teams - first);
    if atomic::count_up(count, in_round - 1) < in_round - 1 {
        return false;
    }
    if first + in_round == teams {
        // Ready for another reduction of the same kernel.
        round.store(0, Relaxed);
        return true;
    }
    arch::fence_device();
    round.store(first + in_round, Relaxed);
    false
}

/// `void *()`: the buffer for reductions across teams (clang: `CGOpenMPRuntimeGPU::emitReduction`, by
/// `OpenMPIRBuilder::createReductionsGPU`; OpenMP 5.2, §5.5).
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_reduction_get_fixed_buffer() -> *mut c_void {
    // SAFETY: as in `deliver`.
    unsafe { (**shared::launch_environment()).reduction_buffer }
}

/// The lanes that shuffle together where the distance does not say: the team's in this warp, unless some of them reduce on their own.
#[inline(always)]
fn shuffling_lanes() -> arch::Lanes {
    let nest = Nest::load();
    if nest.is_dispersed() {
        return dispersed::lanes();
    }
    arch::member_lanes(if nest.is_active() && !nest.is_block() {
        nest.active_team_size()
    } else {
        arch::block_threads()
    })
}

/// `i32 (i32 value, i16 delta, i16 width)`: the value of the lane `delta` further on (clang, for reductions:
/// `OpenMPIRBuilder::createRuntimeShuffleFunction`; OpenMP 5.2, §5.5). What `delta` may have besides is this runtime's own
/// ([`among`]).
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_shuffle_int32(value: i32, delta: i16, width: i16) -> i32 {
    let (lanes, delta) = given(delta);
    let lanes = lanes.unwrap_or_else(shuffling_lanes);
    arch::shuffle_down(lanes, value as u32, delta, width as u32) as i32
}

/// `i64 (i64 value, i16 delta, i16 width)`: the same of 64 bits (`OpenMPIRBuilder::createRuntimeShuffleFunction`).
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_shuffle_int64(value: i64, delta: i16, width: i16) -> i64 {
    let (lanes, delta) = given(delta);
    let lanes = lanes.unwrap_or_else(shuffling_lanes);
    let low = arch::shuffle_down(lanes, value as u32, delta, width as u32);
    let high = arch::shuffle_down(lanes, (value >> 32) as u32, delta, width as u32);
    (i64::from(high as i32) << 32) | i64::from(low)
}

/// `i32 (ident_t *, i32 thread, i32 count, size_t bytes, list *, combine function, lock *)`: reduction as
/// the host's code generation has it: one thread at a time combines (answer 1), holding the lock
/// (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2, §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_reduce_nowait(
    _location: *const Ident,
    _thread: i32,
    _count: i32,
    _size: usize,
    _list: *mut c_void,
    _combine: *const c_void,
    lock: &CriticalName,
) -> i32 {
    critical::acquire(lock);
    1
}

/// `void (ident_t *, i32 thread, lock *)`: ends [`__kmpc_reduce_nowait`]
/// (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2, §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_reduce_nowait(
    _location: *const Ident,
    _thread: i32,
    lock: &CriticalName,
) {
    critical::give_back(lock);
}

/// `i32 (ident_t *, i32 thread, i32 count, size_t bytes, list *, combine function, lock *)`: like
/// [`__kmpc_reduce_nowait`], with a barrier at the end (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2, §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_reduce(
    _location: *const Ident,
    _thread: i32,
    _count: i32,
    _size: usize,
    _list: *mut c_void,
    _combine: *const c_void,
    lock: &CriticalName,
) -> i32 {
    critical::acquire(lock);
    1
}

/// `void (ident_t *, i32 thread, lock *)`: ends [`__kmpc_reduce`] (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2,
/// §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_reduce(
    _location: *const Ident,
    _thread: i32,
    lock: &CriticalName,
) {
    critical::give_back(lock);
    team_barrier();
}
