//! The instruction sets whose bitcode the virtual GPU runs, and where they differ. What only one of them has is
//! in the modules this table names; everything else is common to all.

use anyhow::{Result, bail};

use super::assembly;
use super::lower::{Body, Request, amdgcn, nvptx};
use crate::ir::Module;

/// An instruction set.
pub struct Dialect {
    /// Its name, for messages.
    pub name: &'static str,
    /// What its triples begin with.
    triple: &'static str,
    /// What the names of its intrinsics begin with.
    pub intrinsics: &'static str,
    /// `llvm::CallingConv` of its kernels.
    pub kernel_convention: u32,
    /// Whether the lanes of a warp cannot get on without each other.
    pub lockstep: bool,
    /// Threads of a block when a program states none (`GV_Default_WG_Size` in `OMPGridValues.h`).
    pub default_threads: u32,
    /// Most that a variable argument in memory is aligned to.
    pub argument_alignment: u32,
    /// Whether pointers to shared and private memory are offsets into segments.
    pub segments: bool,
    /// Lanes per warp of an image.
    pub warp_size: fn(&Module) -> u32,
    /// The lowering of one of its intrinsics, by the rest of the name.
    pub lower: fn(&str, &Request<'_>) -> Option<Body>,
    /// The lowering of a generic intrinsic whose meaning depends on the dialect, by its name after `llvm.`.
    pub generic: fn(&str) -> Option<Body>,
    /// Definitions its lowerings use.
    pub prelude: fn() -> String,
    /// The intrinsic for an instruction of inline assembly, by opcode and operands.
    pub instruction: fn(&str, &[&str]) -> Option<String>,
    /// The host's letter for a register class of inline assembly.
    pub register_class: fn(char) -> char,
}

/// All of them.
pub static DIALECTS: [Dialect; 2] = [
    Dialect {
        name: "PTX",
        triple: "nvptx64",
        intrinsics: "llvm.nvvm.",
        kernel_convention: 71,
        lockstep: false,
        default_threads: 128,
        argument_alignment: 8,
        segments: false,
        warp_size: |_| 32,
        lower: nvptx::lower,
        generic: nvptx::generic,
        prelude: String::new,
        instruction: assembly::ptx_intrinsic,
        register_class: assembly::ptx_register_class,
    },
    Dialect {
        name: "AMDGCN",
        triple: "amdgcn",
        intrinsics: "llvm.amdgcn.",
        kernel_convention: 91,
        lockstep: true,
        default_threads: 256,
        argument_alignment: 4,
        segments: true,
        warp_size: amdgcn::wave_size,
        lower: amdgcn::lower,
        generic: amdgcn::generic,
        prelude: amdgcn::prelude,
        instruction: |_, _| None,
        register_class: amdgcn::register_class,
    },
];

impl Dialect {
    /// That of an image.
    pub fn of(module: &Module) -> Result<&'static Dialect> {
        let triple = module.triple();
        if let Some(found) = DIALECTS
            .iter()
            .find(|dialect| triple.starts_with(dialect.triple))
        {
            return Ok(found);
        }
        let shown = if triple.is_empty() {
            "no target triple".to_owned()
        } else {
            format!("target triple {triple}")
        };
        bail!(
            "the image has {shown}; the virtual GPU runs nvptx64 and amdgcn images (clang: --offload-arch=sm_80 or gfx90a)"
        )
    }
}
