//! Instruction set architectures, and which code objects they run ("AMDGPU Usage": Target ID, ELF header).

/// What AMD's compilers know of a GPU.
#[derive(Debug)]
struct Target {
    name: &'static str,
    /// `EF_AMDGPU_MACH`
    machine: u32,
    wave: u32,
    has_sramecc: bool,
    has_xnack: bool,
    /// The generic target whose code it runs, too, and that one's `EF_AMDGPU_MACH`.
    generic: Option<u32>,
}

const GFX9: Option<u32> = Some(0x51);
const GFX9_4: Option<u32> = Some(0x5f);
const GFX10_3: Option<u32> = Some(0x53);
const GFX11: Option<u32> = Some(0x54);
const GFX12: Option<u32> = Some(0x59);

#[rustfmt::skip]
const TARGETS: [Target; 13] = [
    Target { name: "gfx906", machine: 0x2f, wave: 64, has_sramecc: true, has_xnack: true, generic: GFX9 },
    Target { name: "gfx908", machine: 0x30, wave: 64, has_sramecc: true, has_xnack: true, generic: None },
    Target { name: "gfx90a", machine: 0x3f, wave: 64, has_sramecc: true, has_xnack: true, generic: None },
    Target { name: "gfx942", machine: 0x4c, wave: 64, has_sramecc: true, has_xnack: true, generic: GFX9_4 },
    Target { name: "gfx950", machine: 0x4f, wave: 64, has_sramecc: true, has_xnack: true, generic: GFX9_4 },
    Target { name: "gfx1030", machine: 0x36, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX10_3 },
    Target { name: "gfx1031", machine: 0x37, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX10_3 },
    Target { name: "gfx1100", machine: 0x41, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX11 },
    Target { name: "gfx1101", machine: 0x46, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX11 },
    Target { name: "gfx1102", machine: 0x47, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX11 },
    Target { name: "gfx1151", machine: 0x4a, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX11 },
    Target { name: "gfx1200", machine: 0x48, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX12 },
    Target { name: "gfx1201", machine: 0x4e, wave: 32, has_sramecc: false, has_xnack: false, generic: GFX12 },
];

/// The architecture of a GPU, with the settings that it runs with.
#[derive(Debug)]
pub struct Isa {
    target: &'static Target,
    sramecc: bool,
    xnack: bool,
}

/// A setting of a code object: `EF_AMDGPU_FEATURE_SRAMECC_V4`, `EF_AMDGPU_FEATURE_XNACK_V4`.
fn setting_matches(bits: u32, own: bool) -> bool {
    match bits {
        2 => !own,
        3 => own,
        // Unsupported or any.
        _ => true,
    }
}

impl Isa {
    /// Parses `gfx90a:sramecc+:xnack-`. SRAM-ECC is on and XNACK is off unless the text says otherwise.
    pub fn parse(text: &str) -> Option<Isa> {
        let mut parts = text.split(':');
        let name = parts.next()?;
        let target = TARGETS.iter().find(|target| target.name == name)?;
        let mut isa = Isa {
            target,
            sramecc: target.has_sramecc,
            xnack: false,
        };
        for part in parts {
            match part {
                "sramecc+" | "sramecc-" if target.has_sramecc => isa.sramecc = part.ends_with('+'),
                "xnack+" | "xnack-" if target.has_xnack => isa.xnack = part.ends_with('+'),
                _ => return None,
            }
        }
        Some(isa)
    }

    /// `gfx90a`
    pub fn name(&self) -> &'static str {
        self.target.name
    }

    /// `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`
    pub fn full_name(&self) -> String {
        let setting = |name: &str, has: bool, on: bool| match (has, on) {
            (false, _) => String::new(),
            (true, true) => format!(":{name}+"),
            (true, false) => format!(":{name}-"),
        };
        let sramecc = setting("sramecc", self.target.has_sramecc, self.sramecc);
        let xnack = setting("xnack", self.target.has_xnack, self.xnack);
        format!("amdgcn-amd-amdhsa--{}{sramecc}{xnack}", self.target.name)
    }

    /// Lanes of a wave.
    pub fn wave(&self) -> u32 {
        self.target.wave
    }

    /// Whether it repeats accesses that faulted, so that kernels may follow host pointers.
    pub fn has_xnack(&self) -> bool {
        self.xnack
    }

    /// Why it does not run a code object with these ELF flags.
    pub fn refusal(&self, flags: u32) -> Option<String> {
        let machine = flags & 0xff;
        let version = flags >> 24;
        if machine != self.target.machine && Some(machine) != self.target.generic {
            return Some(format!("machine {machine:#x} is not {}", self.name()));
        }
        if (Some(machine) == self.target.generic) != (version >= 1) {
            return Some(format!("generic version {version} of machine {machine:#x}"));
        }
        if !setting_matches(flags >> 8 & 3, self.xnack) {
            return Some(format!(
                "its XNACK setting differs from {}",
                self.full_name()
            ));
        }
        if !setting_matches(flags >> 10 & 3, self.sramecc) {
            return Some(format!(
                "its SRAM-ECC setting differs from {}",
                self.full_name()
            ));
        }
        None
    }
}
