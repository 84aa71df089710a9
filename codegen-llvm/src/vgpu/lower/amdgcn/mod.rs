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

use vgpu_abi::STACK_SIZE;

use super::body::Body;
use super::{Request, engine};
use crate::vgpu::host::Architecture;

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

/// Registers of scalars and vectors as a host's; floats fit into general registers, too.
pub fn register_class(letter: char, _host: Architecture) -> char {
    match letter {
        'v' | 's' | 'a' => 'r',
        other => other,
    }
}
