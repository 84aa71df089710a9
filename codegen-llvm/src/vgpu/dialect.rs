//! The code half of an instruction set: how the virtual GPU translates what only that set has. The data half is
//! [`Target`].

use anyhow::{Result, bail};

use super::host::Architecture;
use super::lower::nvptx::assembly::{Assembly, Translation};
use super::lower::{Body, Request, amdgcn, nvptx};
use crate::analysis::target::{AMDGCN, NVPTX, Target};
use crate::ir::Module;

/// How to translate one instruction set.
pub struct Dialect {
    /// The instruction set.
    pub target: &'static Target,
    /// The lowering of one of its intrinsics, by the rest of the name.
    pub lower: fn(&str, &Request<'_>) -> Option<Body>,
    /// The lowering of a generic intrinsic whose meaning depends on the dialect, by its name after `llvm.`.
    pub generic: fn(&str) -> Option<Body>,
    /// Definitions its lowerings use.
    pub prelude: fn() -> String,
    /// A function that does what inline assembly does. The error is what is not known of it.
    pub assembly: fn(&Assembly<'_>) -> Result<Translation, String>,
    /// The inline assembly, with its constraints, that an intrinsic with so many results and arguments stands for.
    pub as_assembly: fn(&str, usize, usize) -> Option<(String, String)>,
    /// Definitions that such functions use.
    pub assembly_prelude: fn() -> String,
    /// A host's letter for a register class of inline assembly.
    pub register_class: fn(char, Architecture) -> char,
}

/// All of them.
pub static DIALECTS: [Dialect; 2] = [
    Dialect {
        target: &NVPTX,
        lower: nvptx::lower,
        generic: nvptx::generic,
        prelude: String::new,
        assembly: nvptx::assembly::translate,
        as_assembly: nvptx::assembly::as_assembly,
        assembly_prelude: nvptx::assembly::prelude,
        register_class: nvptx::assembly::register_class,
    },
    Dialect {
        target: &AMDGCN,
        lower: amdgcn::lower,
        generic: amdgcn::generic,
        prelude: amdgcn::prelude,
        assembly: |assembly| Err(assembly.text.trim().replace('\n', " ")),
        as_assembly: |_, _, _| None,
        assembly_prelude: String::new,
        register_class: amdgcn::register_class,
    },
];

impl Dialect {
    /// That of an image.
    pub fn of(module: &Module) -> Result<&'static Dialect> {
        let target = Target::of(module)?;
        match DIALECTS
            .iter()
            .find(|dialect| std::ptr::eq(dialect.target, target))
        {
            Some(found) => Ok(found),
            None => bail!("internal error: no dialect for {}", target.name),
        }
    }
}
