//! Reduction in a team: across lanes with shuffles, across warps through shared memory.

use core::ffi::c_void;

use crate::Ident;
use crate::arch;
use crate::reduction::generated_functions::{InterWarpCopy, ShuffleReduce};
use crate::reduction::shuffle::among;
use crate::team::nest::Nest;
/// The versions of `ShuffleReduce`.
const FULL_WARP: i16 = 0;

const CONTIGUOUS_LANES: i16 = 1;

/// All lanes of the warp, which are `lanes`: a tree over lane distance. Lane 0 ends with the result.
///
/// Compilers that know `lanes` unroll the loop where the variables are small: a shuffle in a loop takes twice its time,
/// for the loop's own branches.
#[inline(always)]
unsafe fn reduce_full_warp(list: *mut c_void, shuffle: ShuffleReduce, lanes: u32) {
    let mut offset = lanes / 2;
    while offset > 0 {
        // SAFETY: clang's function, called by all lanes.
        unsafe { shuffle(list, 0, among(arch::warp_size(), offset), FULL_WARP) };
        offset /= 2;
    }
}

/// How many lanes the shuffles of a warp name, of which `lanes` have threads of the team. Shuffles wait for lanes that
/// have not ended (PTX ISA, "shfl.sync"), so a block's last warp may name all of them, even lanes that never had a
/// thread. ptxas makes ten instructions of each shuffle whose lanes it does not know.
#[inline(always)]
fn named(lanes: u32, is_block: bool) -> u32 {
    if is_block { arch::warp_size() } else { lanes }
}

/// The first `size` lanes: the upper part folds onto the lower, an odd one moves down unchanged (*reductions* paper,
/// "Contiguous Full Warp Reduction"). Lane 0 ends with the result. All the first `lanes` lanes call.
#[inline(always)]
pub(super) unsafe fn reduce_contiguous(
    list: *mut c_void,
    shuffle: ShuffleReduce,
    size: u32,
    lanes: u32,
) {
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
/// All threads of a team reach a reduction, whichever way they come, and a team is the first threads of its block. So
/// its lanes in a warp are all lanes, or the first few. The paper's third case is that of lanes that some condition
/// selects ([`dispersed`](super::dispersed)). Where the team is the whole block, a warp's other lanes have no threads,
/// and shuffles may name them ([`named`]).
#[inline(always)]
unsafe fn reduce_threads(
    list: *mut c_void,
    threads: u32,
    is_block: bool,
    once: bool,
    shuffle: ShuffleReduce,
    copy: InterWarpCopy,
) {
    let warps = threads.div_ceil(arch::warp_size());
    let warp = arch::thread_id() / arch::warp_size();
    // SAFETY: clang's functions, called by all the team's threads.
    unsafe {
        if once && arch::executes_warp_by_warp() {
            // One path for full and partial warps is half of the code, and the code of kernels that reduce is long.
            let lanes = (threads - warp * arch::warp_size()).min(arch::warp_size());
            reduce_contiguous(list, shuffle, lanes, named(lanes, is_block));
        } else if threads.is_multiple_of(arch::warp_size()) || warp < warps - 1 {
            // A kernel that reduces across teams does this once, and is smaller with a loop: ptxas makes ten
            // instructions more of each shuffle whose lanes it does not know. Compilers do not know that this is the
            // size of a warp.
            let unknown = threads.min(arch::warp_size());
            let lanes = if once { unknown } else { arch::warp_size() };
            reduce_full_warp(list, shuffle, lanes);
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

/// Reduction in a team: `i32 (ident, i64 bytes, ptr list, ptr shuffle function, ptr copy function)`, called by all
/// threads at the end of a `parallel` region or worksharing loop with a `reduction` clause
/// (`CGOpenMPRuntimeGPU::emitReduction`, since clang 18; OpenMP 5.2, §5.5). The thread that gets 1 has the result in
/// its list.
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
            nest.is_together(),
            shuffle,
            copy,
        )
    };
    (arch::thread_id() == 0).into()
}
