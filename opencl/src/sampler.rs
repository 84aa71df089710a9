//! Samplers.

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::handle::Ref;
use crate::kind;

/// How kernels read images.
pub struct Sampler {
    /// Its context.
    pub context: Ref<Context>,
    /// Whether coordinates run from 0 to 1.
    pub normalised: bool,
    /// `cl_addressing_mode`.
    pub addressing: u32,
    /// `cl_filter_mode`.
    pub filter: u32,
    /// What the program gave as properties, with the final zero; empty for none.
    pub properties: Vec<u64>,
}

kind!(Sampler, INVALID_SAMPLER);

/// `CL_ADDRESS_NONE`; the other modes follow.
const ADDRESS_NONE: u32 = 0x1130;
/// `CL_ADDRESS_CLAMP`.
pub const ADDRESS_CLAMP: u32 = 0x1132;
/// `CL_ADDRESS_REPEAT`.
const ADDRESS_REPEAT: u32 = 0x1133;
/// `CL_ADDRESS_MIRRORED_REPEAT`, the last.
const ADDRESS_MIRRORED: u32 = 0x1134;
/// `CL_FILTER_NEAREST`.
pub const NEAREST: u32 = 0x1140;
/// `CL_FILTER_LINEAR`.
const LINEAR: u32 = 0x1141;

impl Sampler {
    /// Whether its parts are known and go together.
    pub fn check(&self) -> Result<()> {
        let is_known = (ADDRESS_NONE..=ADDRESS_MIRRORED).contains(&self.addressing)
            && [NEAREST, LINEAR].contains(&self.filter);
        // Only normalised coordinates can repeat.
        let repeats = self.addressing >= ADDRESS_REPEAT;
        match is_known && (self.normalised || !repeats) {
            true => Ok(()),
            false => Err(Code::INVALID_VALUE),
        }
    }

    /// Its bits in OpenCL C (`CLK_…` of clang's `opencl-c-base.h`), which kernels get.
    pub fn bits(&self) -> u64 {
        let addressing = u64::from(self.addressing - ADDRESS_NONE) * 2;
        let filter = u64::from(self.filter - NEAREST + 1) * 0x10;
        addressing | filter | u64::from(self.normalised)
    }
}
