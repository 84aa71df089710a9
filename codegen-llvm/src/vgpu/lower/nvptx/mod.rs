//! NVPTX's intrinsics, with the semantics the PTX ISA gives the instructions they stand for.

pub mod assembly;
mod barrier;
pub mod convert;
mod float;
mod integer;
mod mbarrier;
mod memory;
mod registers;
mod warp;

use super::body::{Body, call_with_site};
use super::{Request, engine};

/// The lowering of `llvm.nvvm.{name}`.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    registers::lower(name)
        .or_else(|| barrier::lower(name))
        .or_else(|| warp::lower(name))
        .or_else(|| mbarrier::lower(name))
        .or_else(|| memory::lower(name, request))
        .or_else(|| integer::lower(name, request))
        .or_else(|| float::lower(name, request))
        .or_else(|| convert::lower(name, request))
}

/// The lowering of a generic intrinsic, `llvm.{name}`.
pub fn generic(name: &str) -> Option<Body> {
    match name {
        "readcyclecounter" => Body::plain(engine::timer("vgpu_clock", false)),
        "readsteadycounter" => Body::plain(engine::timer("vgpu_globaltimer", false)),
        _ => None,
    }
}
