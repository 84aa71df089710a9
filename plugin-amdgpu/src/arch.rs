//! Architectures with their features (`gfx90a:sramecc+:xnack-`), and which code runs on which device.
//!
//! LLVM's "User Guide for AMDGPU Backend" calls this a target ID, and describes the flags of code objects.

use std::fmt;

/// A feature that some devices can switch on and off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feature {
    /// Of code: it runs either way. Of a device: it has no such feature.
    #[default]
    Unspecified,
    /// `+`
    On,
    /// `-`
    Off,
}

/// An architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arch {
    /// `gfx90a`, `gfx11-generic`.
    pub processor: String,
    /// Error correction of the memory on the chip.
    pub sramecc: Feature,
    /// Whether a kernel's access may wait for a page that is brought in.
    pub xnack: Feature,
    /// Of code for a generic processor: which version of that.
    pub generic_version: u32,
}

/// What stands before a target ID in an instruction set's name.
const ISA_PREFIX: &str = "amdgcn-amd-amdhsa--";

/// A processor of code objects: its number in the flags (`EF_AMDGPU_MACH_*`), and its name.
struct Processor(u32, &'static str);

/// The processors that the device runtime supports: GPUs of gfx9 and newer.
const PROCESSORS: &[Processor] = &[
    Processor(0x2c, "gfx900"),
    Processor(0x2d, "gfx902"),
    Processor(0x2e, "gfx904"),
    Processor(0x2f, "gfx906"),
    Processor(0x30, "gfx908"),
    Processor(0x31, "gfx909"),
    Processor(0x32, "gfx90c"),
    Processor(0x33, "gfx1010"),
    Processor(0x34, "gfx1011"),
    Processor(0x35, "gfx1012"),
    Processor(0x36, "gfx1030"),
    Processor(0x37, "gfx1031"),
    Processor(0x38, "gfx1032"),
    Processor(0x39, "gfx1033"),
    Processor(0x3d, "gfx1035"),
    Processor(0x3e, "gfx1034"),
    Processor(0x3f, "gfx90a"),
    Processor(0x41, "gfx1100"),
    Processor(0x42, "gfx1013"),
    Processor(0x43, "gfx1150"),
    Processor(0x44, "gfx1103"),
    Processor(0x45, "gfx1036"),
    Processor(0x46, "gfx1101"),
    Processor(0x47, "gfx1102"),
    Processor(0x48, "gfx1200"),
    Processor(0x49, "gfx1250"),
    Processor(0x4a, "gfx1151"),
    Processor(0x4c, "gfx942"),
    Processor(0x4e, "gfx1201"),
    Processor(0x4f, "gfx950"),
    Processor(0x51, "gfx9-generic"),
    Processor(0x52, "gfx10-1-generic"),
    Processor(0x53, "gfx10-3-generic"),
    Processor(0x54, "gfx11-generic"),
    Processor(0x55, "gfx1152"),
    Processor(0x58, "gfx1153"),
    Processor(0x59, "gfx12-generic"),
    Processor(0x5a, "gfx1251"),
    Processor(0x5f, "gfx9-4-generic"),
];

/// The generic processors with their members. All of them belong to version 1.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "gfx9-generic",
        &["gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"],
    ),
    ("gfx9-4-generic", &["gfx942", "gfx950"]),
    (
        "gfx10-1-generic",
        &["gfx1010", "gfx1011", "gfx1012", "gfx1013"],
    ),
    (
        "gfx10-3-generic",
        &[
            "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036",
        ],
    ),
    (
        "gfx11-generic",
        &[
            "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153",
        ],
    ),
    ("gfx12-generic", &["gfx1200", "gfx1201"]),
];

/// `EF_AMDGPU_MACH`
const MACH: u32 = 0xff;
/// The first bit of `EF_AMDGPU_FEATURE_XNACK_V4`.
const XNACK: u32 = 8;
/// The first bit of `EF_AMDGPU_FEATURE_SRAMECC_V4`.
const SRAMECC: u32 = 10;
/// The first bit of `EF_AMDGPU_GENERIC_VERSION`.
const GENERIC_VERSION: u32 = 24;

impl Arch {
    /// Reads `gfx90a:sramecc+:xnack-`, with or without what stands before it in an instruction set's name.
    pub fn parse(text: &str) -> Option<Arch> {
        let id = text.strip_prefix(ISA_PREFIX).unwrap_or(text);
        let mut parts = id.split(':');
        let processor = parts.next().filter(|name| name.starts_with("gfx"))?;
        let mut arch = Arch {
            processor: processor.to_owned(),
            sramecc: Feature::Unspecified,
            xnack: Feature::Unspecified,
            generic_version: 1,
        };
        for part in parts {
            match part {
                "sramecc+" => arch.sramecc = Feature::On,
                "sramecc-" => arch.sramecc = Feature::Off,
                "xnack+" => arch.xnack = Feature::On,
                "xnack-" => arch.xnack = Feature::Off,
                _ => return None,
            }
        }
        Some(arch)
    }

    /// What the flags of a code object of version 4 or newer say. `None`: a processor that is not supported.
    pub fn of_flags(flags: u32) -> Option<Arch> {
        let number = flags & MACH;
        let Processor(_, name) = PROCESSORS.iter().find(|each| each.0 == number)?;
        Some(Arch {
            processor: (*name).to_owned(),
            sramecc: feature(flags >> SRAMECC),
            xnack: feature(flags >> XNACK),
            generic_version: flags >> GENERIC_VERSION,
        })
    }

    /// Whether the device runtime supports the processor.
    pub fn is_supported(&self) -> bool {
        PROCESSORS.iter().any(|each| each.1 == self.processor)
    }

    /// The generic processor of which it is a member.
    fn family(&self) -> Option<&'static str> {
        let has = |members: &[&str]| members.contains(&self.processor.as_str());
        let family = FAMILIES.iter().find(|(_, members)| has(members))?;
        Some(family.0)
    }

    /// Whether code for it is code for exactly the processor of `device`.
    pub fn is_processor_of(&self, device: &Arch) -> bool {
        self.processor == device.processor
    }

    /// Whether machine code for it runs on `device`.
    pub fn code_runs_on(&self, device: &Arch) -> bool {
        let fits = |code, device| code == Feature::Unspecified || code == device;
        let processor = self.is_processor_of(device)
            || (device.family() == Some(&self.processor) && self.generic_version >= 1);
        processor && fits(self.sramecc, device.sramecc) && fits(self.xnack, device.xnack)
    }
}

/// The two bits of a feature: unsupported, any, off, on.
fn feature(bits: u32) -> Feature {
    match bits & 3 {
        2 => Feature::Off,
        3 => Feature::On,
        _ => Feature::Unspecified,
    }
}

/// As in a target ID.
impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                Feature::Unspecified => {}
                Feature::On => write!(f, ":{name}+")?,
                Feature::Off => write!(f, ":{name}-")?,
            }
        }
        Ok(())
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
        for name in ["gfx90a:sramecc+:xnack-", "gfx1100", "gfx942:xnack+"] {
            assert_eq!(arch(name).to_string(), name);
            assert_eq!(arch(&format!("amdgcn-amd-amdhsa--{name}")), arch(name));
        }
        for nonsense in ["", "sm_80", "gfx90a:fast+", "90a", "x86_64"] {
            assert_eq!(Arch::parse(nonsense), None, "{nonsense}");
        }
        assert!(arch("gfx950").is_supported() && !arch("gfx803").is_supported());
    }

    #[test]
    fn flags() {
        let of = |flags| Arch::of_flags(flags).unwrap().to_string();
        assert_eq!(of(0x53f), "gfx90a");
        assert_eq!(of(0xe3f), "gfx90a:sramecc+:xnack-");
        assert_eq!(of(0x33f), "gfx90a:xnack+");
        assert_eq!(of(0x41), "gfx1100");
        assert_eq!(Arch::of_flags(0x0100_0054).unwrap().generic_version, 1);
        assert_eq!(Arch::of_flags(0x2a), None);
    }

    #[test]
    fn what_runs_where() {
        let runs = |code, device| arch(code).code_runs_on(&arch(device));
        let device = "gfx90a:sramecc+:xnack-";
        assert!(runs("gfx90a", device) && runs("gfx90a:xnack-", device));
        assert!(!runs("gfx90a:xnack+", device) && !runs("gfx90a:sramecc-", device));
        assert!(!runs("gfx942", device) && !runs("gfx1100:xnack+", "gfx1100"));
        assert!(runs("gfx11-generic", "gfx1103") && runs("gfx9-4-generic:xnack-", "gfx942:xnack-"));
        assert!(!runs("gfx11-generic", "gfx1200") && !runs("gfx9-generic", device));
        let mut old = arch("gfx11-generic");
        old.generic_version = 0;
        assert!(!old.code_runs_on(&arch("gfx1100")));
    }
}
