//! Reduction over any lanes of a warp (*reductions* paper, "Dispersed Partial Warp Reduction"): those that some
//! condition of the program selects. [`team`](super::team) reduces over whole teams.
//!
//! In each step a lane of even rank takes over the value of the next lane, which then leaves. The paper asks the
//! hardware in each step which lanes are left, and relies on the others having gone. Here all compute it from the first
//! set, so that every shuffle names its lanes, however the hardware schedules them.

use core::ffi::c_void;

use crate::arch::{self, Lanes};
use crate::reduction::generated_functions::{InterWarpCopy, ShuffleReduce};
use crate::team::nest::Nest;
use crate::team::shared;

/// The version of [`ShuffleReduce`]: combines in lanes of even rank that have a partner, `offset` lanes further on.
const DISPERSED_LANES: i16 = 2;

/// This thread's entry of the lanes that reduce together.
fn entry() -> *mut Lanes {
    // SAFETY: thread numbers are below MAX_THREADS.
    unsafe {
        shared::dispersed_lanes()
            .cast::<Lanes>()
            .add(arch::thread_id() as usize)
    }
}

/// The lanes that shuffle together, where the nest word says that there are such. (Kernels without such reductions
/// never write the variable, so the optimiser removes it and the question.)
#[inline(always)]
pub fn lanes() -> Lanes {
    // SAFETY: this thread's own entry.
    unsafe { *entry() }
}

/// The lanes of even rank in the set: those that a step leaves.
fn even_ranked(set: Lanes) -> Lanes {
    let (mut rest, mut kept) = (set, 0);
    while rest != 0 {
        let first = rest & rest.wrapping_neg();
        kept |= first;
        rest ^= first;
        // The next one goes.
        rest &= rest.wrapping_sub(1);
    }
    kept
}

/// Reduces over `set`, which has this thread's lane; all its lanes call. Whether this is the first lane, which has the
/// result in its list.
///
/// # Safety
/// `shuffle` is clang's function for `list`.
pub unsafe fn reduce(set: Lanes, list: *mut c_void, shuffle: ShuffleReduce) -> bool {
    let nest = Nest::load();
    let lane = arch::lane();
    let mine: Lanes = 1 << lane;
    let mut left = set;
    nest.dispersed().store();
    while left & mine != 0 && left != mine {
        let rank = (left & (mine - 1)).count_ones();
        let behind = left & !(mine | (mine - 1));
        let offset = if behind == 0 {
            0
        } else {
            behind.trailing_zeros() - lane
        };
        // SAFETY: this thread's own entry; the caller's promise.
        unsafe {
            *entry() = left;
            shuffle(list, rank as i16, offset as i16, DISPERSED_LANES);
        }
        left = even_ranked(left);
    }
    nest.store();
    left & mine != 0
}

/// Reduction over the lanes that come together: `i32 (i32 thread, i32 variables, i64 bytes, ptr list, ptr shuffle
/// function, ptr copy function)`, in LLVM's interface for `simd` reductions from 4 to 12; clang reduces `simd` loops,
/// which have one lane, itself (OpenMP 5.2, §5.5). The lane that gets 1 has the result in its list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_nvptx_simd_reduce_nowait(
    _thread: i32,
    _variables: i32,
    _size: u64,
    list: *mut c_void,
    shuffle: ShuffleReduce,
    _copy: InterWarpCopy,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { reduce(arch::active_lanes(), list, shuffle) }.into()
}

#[cfg(test)]
mod tests {
    use super::even_ranked;

    #[test]
    fn every_other_lane_stays() {
        assert_eq!(even_ranked(0), 0);
        assert_eq!(even_ranked(0b1000), 0b1000);
        assert_eq!(even_ranked(0b1011_0110), 0b1001_0010);
        assert_eq!(even_ranked(u64::MAX), 0x5555_5555_5555_5555);
    }
}
