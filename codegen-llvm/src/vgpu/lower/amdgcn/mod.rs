//! AMDGCN's intrinsics, with the semantics of LLVM's "User Guide for AMDGPU Backend" and of AMD's ISA manuals
//! for the instructions they stand for.
//!
//! Operations across lanes have no member mask: those lanes take part that execute the instruction together. Here
//! these are the lanes that converge at the call (docs/vgpu.md, "Which lanes act together").

mod control;
mod cross_lane;
mod dpp;
mod float;
mod integer;
mod memory;
mod registers;
mod value;

use std::sync::LazyLock;

use codegen::vgpu_abi::STACK_SIZE;

use super::body::Body;
use super::{Request, engine};
use crate::ir::Module;

/// The lowering of `llvm.amdgcn.{name}`.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    registers::lower(name, request)
        .or_else(|| control::lower(name))
        .or_else(|| cross_lane::lower(name, request))
        .or_else(|| dpp::lower(name, request))
        .or_else(|| memory::lower(name))
        .or_else(|| integer::lower(name, request))
        .or_else(|| float::lower(name, request))
}

/// The lowering of a generic intrinsic, `llvm.{name}`.
pub fn generic(name: &str) -> Option<Body> {
    match name {
        "readcyclecounter" => Body::plain(engine::timer("vgpu_clock", false)),
        // s_memrealtime
        "readsteadycounter" => Body::plain(registers::steady_counter()),
        _ => None,
    }
}

/// What several lowerings call.
pub fn prelude() -> String {
    format!("{}{}", dpp::SOURCE_LANE, PRIVATE_BASE.as_str())
}

/// Where a thread's private memory, its stack, begins.
static PRIVATE_BASE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "define ptr @vgpu.private_base() alwaysinline nounwind willreturn {{\n{}  \
         %bits = ptrtoint ptr %cx to i64\n  %start = and i64 %bits, {}\n  \
         %base = inttoptr i64 %start to ptr\n  ret ptr %base\n}}\n",
        engine::CONTEXT,
        -(STACK_SIZE as i64)
    )
});

/// Whether `name` is `base`, or `base` with the types of an overload.
fn is(name: &str, base: &str) -> bool {
    name.strip_prefix(base)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Lanes per wave: what the program's functions were compiled for, features before CPUs, kernels like any other
/// function; 64 if they do not say, as the compiler's default is.
pub fn wave_size(module: &Module) -> u32 {
    let attributes = |key: &'static str| {
        let definitions = module.definitions().into_iter();
        definitions.filter_map(move |function| function.text_attribute(key))
    };
    let by_features = attributes("target-features").find_map(|text| features_wave_size(&text));
    let by_cpu = || attributes("target-cpu").find_map(|cpu| cpu_wave_size(&cpu));
    by_features.or_else(by_cpu).unwrap_or(64)
}

fn features_wave_size(features: &str) -> Option<u32> {
    features.split(',').find_map(|feature| match feature {
        "+wavefrontsize32" => Some(32),
        "+wavefrontsize64" => Some(64),
        _ => None,
    })
}

/// GPUs from gfx10 on have waves of 32 unless asked otherwise: `gfx90a`, `gfx1030`, `gfx11-generic`.
fn cpu_wave_size(cpu: &str) -> Option<u32> {
    let number = cpu.strip_prefix("gfx")?;
    let major = match number.split_once('-') {
        Some((major, _)) => major,
        // The last two digits are minor version and stepping.
        None => number.get(..number.len().checked_sub(2)?)?,
    };
    let major: u32 = major.parse().ok()?;
    Some(if major >= 10 { 32 } else { 64 })
}

/// Registers of scalars and vectors as x86's; floats fit into its general registers, too.
pub fn register_class(letter: char) -> char {
    match letter {
        'v' | 's' | 'a' => 'r',
        other => other,
    }
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
            assert_eq!(cpu_wave_size(cpu), size, "{cpu}");
        }
        assert_eq!(features_wave_size("+dpp,+wavefrontsize64"), Some(64));
        assert_eq!(features_wave_size("+dpp"), None);
    }
}
