//! What code may be compiled for instead of the CPU at hand: the levels of the x86-64 psABI (section 3.1.1,
//! "micro-architecture levels"), and versions of the Arm architecture.

/// A level of the x86-64 psABI, or a version of the Arm architecture.
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
    /// `armv8-a`: NEON.
    Armv8,
    /// `armv9-a`: SVE2.
    Armv9,
}

impl CpuLevel {
    const ALL: [(CpuLevel, &str); 6] = [
        (CpuLevel::V1, "x86-64"),
        (CpuLevel::V2, "x86-64-v2"),
        (CpuLevel::V3, "x86-64-v3"),
        (CpuLevel::V4, "x86-64-v4"),
        (CpuLevel::Armv8, "armv8-a"),
        (CpuLevel::Armv9, "armv9-a"),
    ];

    /// The names of an architecture's levels; `architecture` is one of `std::env::consts::ARCH`.
    pub fn names(architecture: &str) -> impl Iterator<Item = &'static str> {
        let all = Self::ALL.into_iter();
        all.filter(move |(level, _)| level.architecture() == architecture)
            .map(|(_, name)| name)
    }

    /// The level with this name.
    pub fn named(name: &str) -> Option<CpuLevel> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, each)| *each == name).map(|(level, _)| level)
    }

    /// Its name, as the psABI and Arm have it.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The architecture that it belongs to, by the name of `std::env::consts::ARCH`.
    pub fn architecture(self) -> &'static str {
        match self {
            CpuLevel::V1 | CpuLevel::V2 | CpuLevel::V3 | CpuLevel::V4 => "x86_64",
            CpuLevel::Armv8 | CpuLevel::Armv9 => "aarch64",
        }
    }

    /// What LLVM calls it: a CPU, and features. Those of a CPU of that name are implied; the ones that the compiler's
    /// passes ask for are named nevertheless.
    pub fn llvm_cpu(self) -> (&'static str, &'static str) {
        match self {
            CpuLevel::V3 => (self.name(), "+avx,+avx2,+fma"),
            CpuLevel::V4 => (self.name(), "+avx,+avx2,+fma,+avx512f,+avx512bw"),
            CpuLevel::Armv8 => ("generic", ""),
            CpuLevel::Armv9 => ("generic", "+v9a"),
            CpuLevel::V1 | CpuLevel::V2 => (self.name(), ""),
        }
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
                CpuLevel::Armv8 | CpuLevel::Armv9 => false,
            }
        }
        #[cfg(target_arch = "aarch64")]
        match self {
            CpuLevel::Armv8 => true,
            CpuLevel::Armv9 => std::arch::is_aarch64_feature_detected!("sve2"),
            _ => false,
        }
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
        assert!(CpuLevel::names("aarch64").eq(["armv8-a", "armv9-a"]));
        let mut here = CpuLevel::names(std::env::consts::ARCH);
        let oldest = here.next().and_then(CpuLevel::named).unwrap();
        assert!(oldest.runs_here());
    }
}
