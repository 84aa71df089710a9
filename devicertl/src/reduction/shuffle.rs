//! Shuffles, and which lanes take part in one.

use crate::arch;
use crate::reduction::dispersed;
use crate::team::nest::Nest;
/// In a lane number or distance that clang's function passes on to a shuffle: bits 8-13 are a number of lanes, less
/// one.
const LANES_GIVEN: u32 = 1 << 14;

const LANES_SHIFT: u32 = 8;

/// A distance, or the lane to compare with one, for clang's function: the first `lanes` lanes of the warp take part.
/// The shuffles in that function have no other parameter that could tell them, and need not ask for the team each.
#[inline(always)]
pub(super) fn among(lanes: u32, value: u32) -> i16 {
    ((value & 0xff) | ((lanes - 1) << LANES_SHIFT) | LANES_GIVEN) as i16
}

/// The lanes that a distance names, if it names any, and the distance itself.
#[inline(always)]
fn given(delta: i16) -> (Option<arch::Lanes>, u32) {
    let delta = delta as u32;
    let lanes = ((delta >> LANES_SHIFT) & 0x3f) + 1;
    let given = (delta & LANES_GIVEN != 0).then(|| arch::first_lanes(lanes));
    (given, delta & 0xff)
}

/// The lanes that shuffle together where the distance does not say: the team's lanes in this warp, unless some of them
/// reduce on their own.
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
/// `OpenMPIRBuilder::createRuntimeShuffleFunction`; OpenMP 5.2, §5.5). What `delta` may have besides is this runtime's
/// own ([`among`]).
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
