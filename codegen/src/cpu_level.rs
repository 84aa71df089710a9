//! The levels of the x86-64 psABI (section 3.1.1, "micro-architecture levels"): what code may be compiled for instead
//! of the CPU at hand.

/// A level of the x86-64 psABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuLevel {
    /// `x86-64`: SSE2.
    V1,
    /// `x86-64-v2`: SSE4.2.
    V2,
    /// `x86-64-v3`: AVX2, FMA.
    V3,
    /// `x86-64-v4`: AVX-512.
    V4,
}

impl CpuLevel {
    const ALL: [(CpuLevel, &str); 4] = [
        (CpuLevel::V1, "x86-64"),
        (CpuLevel::V2, "x86-64-v2"),
        (CpuLevel::V3, "x86-64-v3"),
        (CpuLevel::V4, "x86-64-v4"),
    ];

    /// The level with this name.
    pub fn named(name: &str) -> Option<CpuLevel> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, each)| *each == name).map(|(level, _)| level)
    }

    /// Its name, as LLVM and the psABI have it.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Whether the CPU at hand runs code of this level. The features are those by which LLVM's own levels differ that
    /// vector code depends on; no CPU has them without the rest of its level.
    pub fn runs_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            match self {
                CpuLevel::V1 => true,
                CpuLevel::V2 => has!("sse4.2") && has!("popcnt"),
                CpuLevel::V3 => has!("avx2") && has!("fma") && has!("bmi2") && has!("f16c"),
                CpuLevel::V4 => {
                    CpuLevel::V3.runs_here()
                        && has!("avx512f")
                        && has!("avx512bw")
                        && has!("avx512cd")
                        && has!("avx512dq")
                        && has!("avx512vl")
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_levels_belong_together() {
        for (level, name) in CpuLevel::ALL {
            assert_eq!(CpuLevel::named(name), Some(level));
            assert_eq!(level.name(), name);
        }
        assert_eq!(CpuLevel::named("x86-64-v5"), None);
    }
}
