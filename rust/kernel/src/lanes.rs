//! Values of other lanes of the warp.

use crate::intrinsics;

/// Lanes of a warp.
pub const LANES: u32 = 32;

/// All lanes take part.
const ALL: i32 = -1;
/// The lowest lane of a whole warp, as the shuffles that go up take it.
const LOWEST: i32 = 0;
/// The highest one, as the others take it.
const HIGHEST: i32 = 31;

/// A value of 32 bits, which lanes hand each other.
pub trait Lane: Copy {
    /// Its bits.
    fn to_bits(self) -> i32;
    /// The value with these bits.
    fn of_bits(bits: i32) -> Self;
}

impl Lane for i32 {
    #[inline(always)]
    fn to_bits(self) -> i32 {
        self
    }

    #[inline(always)]
    fn of_bits(bits: i32) -> i32 {
        bits
    }
}

impl Lane for u32 {
    #[inline(always)]
    fn to_bits(self) -> i32 {
        self as i32
    }

    #[inline(always)]
    fn of_bits(bits: i32) -> u32 {
        bits as u32
    }
}

impl Lane for f32 {
    #[inline(always)]
    fn to_bits(self) -> i32 {
        f32::to_bits(self) as i32
    }

    #[inline(always)]
    fn of_bits(bits: i32) -> f32 {
        f32::from_bits(bits as u32)
    }
}

/// The thread's lane in its warp.
#[inline(always)]
pub fn lane_index() -> u32 {
    intrinsics::lane() as u32
}

/// The value of the lane `delta` further up; the own value where there is none. Every lane of the warp must call it, as
/// it must the other shuffles.
#[inline(always)]
pub fn shuffle_down<T: Lane>(value: T, delta: u32) -> T {
    T::of_bits(intrinsics::shuffle_down(
        ALL,
        value.to_bits(),
        delta as i32,
        HIGHEST,
    ))
}

/// The value of the lane `delta` further down; the own value where there is none.
#[inline(always)]
pub fn shuffle_up<T: Lane>(value: T, delta: u32) -> T {
    T::of_bits(intrinsics::shuffle_up(
        ALL,
        value.to_bits(),
        delta as i32,
        LOWEST,
    ))
}

/// The value of the lane whose number differs in the bits of `mask`.
#[inline(always)]
pub fn shuffle_xor<T: Lane>(value: T, mask: u32) -> T {
    T::of_bits(intrinsics::shuffle_xor(
        ALL,
        value.to_bits(),
        mask as i32,
        HIGHEST,
    ))
}

/// The value of lane `lane`.
#[inline(always)]
pub fn shuffle_from<T: Lane>(value: T, lane: u32) -> T {
    T::of_bits(intrinsics::shuffle_from(
        ALL,
        value.to_bits(),
        lane as i32,
        HIGHEST,
    ))
}
