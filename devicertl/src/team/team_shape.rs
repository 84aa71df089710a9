//! What the threads of a team have in common.

/// What the threads of an active region have in common: its size (bits 0-15) and its level.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct TeamShape(u32);

impl TeamShape {
    /// A team of `size` threads in a region of `level`.
    #[inline(always)]
    pub fn new(size: u32, level: u32) -> TeamShape {
        TeamShape(size | level << 16)
    }

    /// Threads.
    #[inline(always)]
    pub fn size(self) -> u32 {
        self.0 & 0xffff
    }

    /// `omp_get_level`.
    #[inline(always)]
    pub fn level(self) -> u32 {
        self.0 >> 16
    }
}
