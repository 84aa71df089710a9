//! Reduction across the teams of a league, through a buffer.

use core::ffi::c_void;

use crate::Ident;
use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};
use crate::arch::{self, atomic};
use crate::reduction::generated_functions::{InterWarpCopy, ShuffleReduce, WithBuffer};
use crate::reduction::team::reduce_contiguous;
use crate::team::nest::Nest;
use crate::team::shared;

/// Reduction across teams as clang 18 to 22 call it (`CGOpenMPRuntimeGPU::emitReduction` for `teams`; OpenMP 5.2,
/// §5.5): the one thread of the league that gets 1 has the result in its list. `records` is the length of the buffer.
/// If `size` is 0, that is a variable of the image (codegen-llvm: `device/older_clangs.rs`), else the launch's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_nvptx_teams_reduce_nowait_v2(
    _location: *const Ident,
    buffer: *mut c_void,
    records: u32,
    size: u64,
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
        records: if size == 0 {
            records.max(1)
        } else {
            records_of_launch(records)
        },
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
        records: records_of_launch(LAUNCH_RECORDS),
        list_to_buffer,
        buffer_to_list,
        buffer_into_list,
    };
    // SAFETY: the caller's promise.
    unsafe { reduce_teams(list, shuffle, copy, buffer) }
}

/// Records that the buffer of a launch has at least, unless it has fewer teams (docs/abi.md, "Kernel launch
/// environment").
const LAUNCH_RECORDS: u32 = 1024;

/// No buffer has more records: the host refuses such launches. So numbers of records do not wrap, and the virtual GPU's
/// compiler need not ask whether those of a warp's lanes follow each other.
const MOST_RECORDS: u32 = 1 << 30;

/// How many records the buffer of a launch has if there are `stated` in the program. Where warps are executed one by
/// one, each team has its own: nobody waits, and what does not wait is faster there
/// (docs/decisions/0132-a-record-for-each-team.md).
#[inline(always)]
fn records_of_launch(stated: u32) -> u32 {
    if arch::executes_warp_by_warp() {
        u32::MAX
    } else {
        stated.max(1)
    }
}

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
    let threads = if !together {
        1
    } else if arch::executes_warp_by_warp() {
        // Others would come after the first warp, not beside it, and wait at barriers.
        arch::block_threads().min(arch::warp_size())
    } else {
        arch::block_threads()
    };
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
    // It happens once in a launch: one form of this code is enough (docs/warp-vectoriser.md, "Two versions").
    core::hint::cold_path();
    arch::fence_device();
    let used = buffer.records.min(arch::block_count()).min(MOST_RECORDS);
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

/// Reduces one value in each of the first `active` threads of the block. All its threads call, because the copy across
/// warps has barriers. It runs once per launch, so full warps take the path of partial ones: that saves the code of a
/// second path.
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
        // Also if the first warp has all values: so the optimiser knows that the warp which goes on is full.
        if !arch::executes_warp_by_warp() && arch::block_threads() > warp_size {
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
        // SAFETY: the record holds what the team of the previous round left. It is this team's until the round is
        // complete.
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
