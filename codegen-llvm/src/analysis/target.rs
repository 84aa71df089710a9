//! The GPU instruction sets that images are compiled for, and the facts in which they differ.

use anyhow::{Result, bail};

use crate::ir::Module;

/// Address space of shared memory; NVPTX and AMDGCN agree on it.
pub const SHARED: u32 = 3;

/// The largest number of threads of a block, on all GPUs.
pub const MAX_THREADS: u32 = 1024;

/// An instruction set.
pub struct Target {
    /// Its name, for messages.
    pub name: &'static str,
    /// What its triples begin with.
    triple: &'static str,
    /// What the names of its intrinsics begin with.
    pub intrinsics: &'static str,
    /// `llvm::CallingConv` of its kernels.
    pub kernel_convention: u32,
    /// Whether the lanes of a warp run in lockstep, so that none gets on without the others.
    pub lockstep: bool,
    /// Threads of a block when a program states none (`GV_Default_WG_Size` in `OMPGridValues.h`).
    pub default_threads: u32,
    /// The largest alignment of a variable argument in memory.
    pub argument_alignment: u32,
    /// Whether pointers to shared and private memory are offsets into segments.
    pub segments: bool,
    /// Lanes per warp of an image.
    pub warp_size: fn(&Module) -> u32,
}

/// NVIDIA's GPUs.
pub static NVPTX: Target = Target {
    name: "PTX",
    triple: "nvptx64",
    intrinsics: "llvm.nvvm.",
    kernel_convention: 71,
    lockstep: false,
    default_threads: 128,
    argument_alignment: 8,
    segments: false,
    warp_size: |_| 32,
};

/// AMD's GPUs.
pub static AMDGCN: Target = Target {
    name: "AMDGCN",
    triple: "amdgcn",
    intrinsics: "llvm.amdgcn.",
    kernel_convention: 91,
    lockstep: true,
    default_threads: 256,
    argument_alignment: 4,
    segments: true,
    warp_size: wave_size,
};

/// All of them.
pub static TARGETS: [&Target; 2] = [&NVPTX, &AMDGCN];

/// Whether a module is for NVIDIA's GPUs.
pub fn is_nvidias(module: &Module) -> bool {
    Target::of(module).is_ok_and(|target| std::ptr::eq(target, &NVPTX))
}

impl Target {
    /// The target of an image.
    pub fn of(module: &Module) -> Result<&'static Target> {
        let triple = module.triple();
        if let Some(found) = TARGETS
            .into_iter()
            .find(|target| triple.starts_with(target.triple))
        {
            return Ok(found);
        }
        let shown = if triple.is_empty() {
            "no target triple".to_owned()
        } else {
            format!("target triple {triple}")
        };
        bail!(
            "the image has {shown}; the virtual GPU runs nvptx64 and amdgcn images \
             (clang: --offload-arch=sm_80 or gfx90a)"
        )
    }
}

/// Lanes per wave. A function's features state it, or else its CPU implies it; any function of the program will do. It
/// is 64 if none of them does, as is the compiler's default.
fn wave_size(module: &Module) -> u32 {
    let attributes = |key: &'static str| {
        let definitions = module.definitions().into_iter();
        definitions.filter_map(move |function| function.text_attribute(key))
    };
    let by_features = attributes("target-features").find_map(|text| features_wave_size(&text));
    let by_cpu = || attributes("target-cpu").find_map(|cpu| Some(*wave_sizes(&cpu)?.first()?));
    by_features.or_else(by_cpu).unwrap_or(64)
}

fn features_wave_size(features: &str) -> Option<u32> {
    features.split(',').find_map(|feature| match feature {
        "+wavefrontsize32" => Some(32),
        "+wavefrontsize64" => Some(64),
        _ => None,
    })
}

/// The wave sizes of a processor of AMD's (`gfx90a`, `gfx1030`, `gfx11-generic`), the one that it has unless asked
/// otherwise first: 64 before gfx10; 32 or 64 then; 32 alone from gfx1250 on ("AMDGPU Back-end User Guide",
/// Processors).
pub fn wave_sizes(cpu: &str) -> Option<&'static [u32]> {
    let number = cpu.strip_prefix("gfx")?;
    let (major, rest) = match number.split_once('-') {
        Some(parts) => parts,
        // The last two digits are minor version and stepping.
        None => number.split_at_checked(number.len().checked_sub(2)?)?,
    };
    Some(match major.parse().ok()? {
        ..10 => &[64],
        12 if rest.starts_with('5') => &[32],
        10..13 => &[32, 64],
        _ => &[32],
    })
}

/// What `__CUDA_ARCH__` is for an architecture of NVIDIA's: `sm_80` → 800, `sm_90a` → 900.
pub fn cuda_arch(cpu: &str) -> Option<u32> {
    let digits: String = cpu
        .strip_prefix("sm_")?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    Some(digits.parse::<u32>().ok()? * 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wave_sizes_of_cpus() {
        for (cpu, size) in [
            ("gfx700", Some(64)),
            ("gfx906", Some(64)),
            ("gfx90a", Some(64)),
            ("gfx942", Some(64)),
            ("gfx9-4-generic", Some(64)),
            ("gfx1030", Some(32)),
            ("gfx1100", Some(32)),
            ("gfx10-3-generic", Some(32)),
            ("gfx12-generic", Some(32)),
            ("gfx", None),
            ("sm_80", None),
        ] {
            let sizes = wave_sizes(cpu);
            assert_eq!(sizes.map(|sizes| sizes[0]), size, "{cpu}");
        }
        assert_eq!(wave_sizes("gfx1100"), Some(&[32, 64][..]));
        assert_eq!(wave_sizes("gfx1250"), Some(&[32][..]));
        assert_eq!(features_wave_size("+dpp,+wavefrontsize64"), Some(64));
        assert_eq!(features_wave_size("+dpp"), None);
    }

    #[test]
    fn arch_is_read_from_the_cpu_name() {
        assert_eq!(cuda_arch("sm_80"), Some(800));
        assert_eq!(cuda_arch("sm_90a"), Some(900));
        assert_eq!(cuda_arch("gfx90a"), None);
    }
}
