//! Architectures (`sm_90`, `sm_90a`) and which code runs on which device.

use std::fmt;

/// On which newer devices code runs (PTX ISA, `.target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compatibility {
    /// Machine code runs on newer devices of the same major number. PTX runs on every newer device.
    Portable,
    /// `f`: runs on newer devices of the same major number.
    FamilySpecific,
    /// `a`: runs on this architecture only.
    ArchitectureSpecific,
}

/// An architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arch {
    /// The `90` of `sm_90a`.
    pub number: u32,
    /// The suffix after the number.
    pub compatibility: Compatibility,
}

/// The oldest architecture that the device runtime supports: the lanes of its warps advance independently.
pub const OLDEST: Arch = Arch {
    number: 70,
    compatibility: Compatibility::Portable,
};

impl Arch {
    /// Reads `sm_90`, `sm_90a`, `compute_90`.
    pub fn parse(text: &str) -> Option<Arch> {
        let rest = text
            .strip_prefix("sm_")
            .or_else(|| text.strip_prefix("compute_"))?;
        let digits = rest.trim_end_matches(['a', 'f']);
        let compatibility = match &rest[digits.len()..] {
            "" => Compatibility::Portable,
            "f" => Compatibility::FamilySpecific,
            "a" => Compatibility::ArchitectureSpecific,
            _ => return None,
        };
        let number = digits.parse().ok()?;
        Some(Arch {
            number,
            compatibility,
        })
    }

    /// The architecture of a device of this compute capability.
    pub fn of_capability(major: u32, minor: u32) -> Arch {
        Arch {
            number: major * 10 + minor,
            compatibility: Compatibility::Portable,
        }
    }

    fn major(self) -> u32 {
        self.number / 10
    }

    /// Whether machine code for it runs on `device`.
    pub fn code_runs_on(self, device: Arch) -> bool {
        match self.compatibility {
            Compatibility::ArchitectureSpecific => self.number == device.number,
            Compatibility::Portable | Compatibility::FamilySpecific => {
                self.major() == device.major() && self.number <= device.number
            }
        }
    }

    /// Whether the driver can compile PTX for it for `device`.
    pub fn ptx_runs_on(self, device: Arch) -> bool {
        match self.compatibility {
            Compatibility::Portable => self.number <= device.number,
            Compatibility::FamilySpecific | Compatibility::ArchitectureSpecific => {
                self.code_runs_on(device)
            }
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.compatibility {
            Compatibility::Portable => "",
            Compatibility::FamilySpecific => "f",
            Compatibility::ArchitectureSpecific => "a",
        };
        write!(f, "sm_{}{suffix}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arch(text: &str) -> Arch {
        Arch::parse(text).unwrap()
    }

    #[test]
    fn names() {
        for name in ["sm_70", "sm_90a", "sm_120f", "sm_121"] {
            assert_eq!(arch(name).to_string(), name);
        }
        assert_eq!(arch("compute_80").to_string(), "sm_80");
        assert_eq!(Arch::of_capability(8, 6), arch("sm_86"));
        for nonsense in ["", "sm_", "sm_9x", "sm_90af", "gfx90a", "90"] {
            assert_eq!(Arch::parse(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn what_runs_where() {
        let code = |code, device| arch(code).code_runs_on(arch(device));
        assert!(code("sm_80", "sm_80") && code("sm_80", "sm_89") && code("sm_90a", "sm_90"));
        assert!(code("sm_100f", "sm_103") && code("sm_120", "sm_121"));
        assert!(!code("sm_86", "sm_80") && !code("sm_80", "sm_90") && !code("sm_100a", "sm_103"));
        let ptx = |ptx, device| arch(ptx).ptx_runs_on(arch(device));
        assert!(ptx("sm_70", "sm_90") && ptx("sm_90", "sm_90") && ptx("sm_90a", "sm_90"));
        assert!(!ptx("sm_90", "sm_80") && !ptx("sm_90a", "sm_100") && !ptx("sm_100f", "sm_120"));
    }
}
