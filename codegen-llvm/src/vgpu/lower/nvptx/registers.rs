//! Special registers (PTX ISA, "Special Registers").

use std::mem::offset_of;

use vgpu_abi::ThreadContext;

use super::Body;
use super::engine::{load_field, timer};

/// Lowers `read.ptx.sreg.*` and `is_explicit_cluster`.
pub fn lower(name: &str) -> Option<Body> {
    if name == "is_explicit_cluster" {
        return Body::plain("  ret i1 false");
    }
    let register = name.strip_prefix("read.ptx.sreg.")?;
    if let Some((offset, range)) = field(register) {
        return Body::plain(load_field(offset, range));
    }
    if let Some(mask) = register.strip_prefix("lanemask.") {
        return lane_mask(mask);
    }
    match register {
        "warpsize" | "nwarpid" => constant(32),
        // One grid runs at a time, so every value identifies it.
        "gridid" => constant(0),
        "envreg1" => workspace(32),
        "envreg2" => workspace(0),
        "clock" => Body::plain(timer("vgpu_clock", true)),
        "clock64" => Body::plain(timer("vgpu_clock", false)),
        "globaltimer" => Body::plain(timer("vgpu_globaltimer", false)),
        "globaltimer.lo" => Body::plain(timer("vgpu_globaltimer", true)),
        // Without clusters every block is a cluster of its own.
        "cluster.nctaid.x" | "cluster.nctaid.y" | "cluster.nctaid.z" | "cluster.nctarank" => {
            constant(1)
        }
        "cluster.ctaid.x" | "cluster.ctaid.y" | "cluster.ctaid.z" | "cluster.ctarank" => {
            constant(0)
        }
        "tid.w" | "ntid.w" | "ctaid.w" | "nctaid.w" => constant(0),
        "clusterid.w" | "nclusterid.w" | "cluster.ctaid.w" | "cluster.nctaid.w" => constant(0),
        _ => None,
    }
}

/// The context field a register is kept in, and the range of its values (end exclusive).
fn field(register: &str) -> Option<(usize, Option<(u32, u32)>)> {
    const BLOCK: u32 = 1024;
    const GRID: u32 = 0x7fff_ffff;
    let (vector, dimension) = match register.rsplit_once('.') {
        Some((vector, "x")) => (vector, 0),
        Some((vector, "y")) => (vector, 4),
        Some((vector, "z")) => (vector, 8),
        _ => (register, 0),
    };
    let is_vector = vector != register;
    let (offset, range) = match (vector, is_vector) {
        ("tid", true) => (offset_of!(ThreadContext, tid), Some((0, BLOCK))),
        ("ntid", true) => (offset_of!(ThreadContext, ntid), Some((1, BLOCK + 1))),
        ("ctaid" | "clusterid", true) => (offset_of!(ThreadContext, ctaid), Some((0, GRID))),
        ("nctaid" | "nclusterid", true) => (offset_of!(ThreadContext, nctaid), Some((1, GRID + 1))),
        ("laneid", false) => (offset_of!(ThreadContext, laneid), Some((0, 32))),
        ("warpid", false) => (offset_of!(ThreadContext, warpid), Some((0, BLOCK / 32))),
        ("smid", false) => (offset_of!(ThreadContext, smid), None),
        ("nsmid", false) => (offset_of!(ThreadContext, nsmid), None),
        ("dynamic_smem_size", false) => (offset_of!(ThreadContext, dynamic_shared_size), None),
        ("total_smem_size" | "aggr_smem_size", false) => {
            (offset_of!(ThreadContext, shared_size), None)
        }
        _ => return None,
    };
    Some((offset + dimension, range))
}

/// The 32 bits of the workspace's address from `shift` on: what the driver gives cooperative groups.
fn workspace(shift: u32) -> Option<Body> {
    let offset = offset_of!(ThreadContext, dispatch);
    Body::plain(format!(
        "  %cx = call ptr @vgpu.context()\n  %field = getelementptr i8, ptr %cx, i64 {offset}\n  \
         %address = load i64, ptr %field, align 8, !invariant.load !0, !noundef !0\n  \
         %part = lshr i64 %address, {shift}\n  %value = trunc i64 %part to i32\n  ret i32 %value"
    ))
}

fn constant(value: u32) -> Option<Body> {
    Body::plain(format!("  ret i32 {value}"))
}

fn lane_mask(relation: &str) -> Option<Body> {
    let lane = "  %cx = call ptr @vgpu.context()\n".to_owned()
        + &format!(
            "  %field = getelementptr i8, ptr %cx, i64 {}\n",
            offset_of!(ThreadContext, laneid)
        )
        + "  %lane = load i32, ptr %field, align 4, !invariant.load !0, !noundef !0\n"
        + "  %bit = shl nuw i32 1, %lane\n  %below = sub i32 %bit, 1\n";
    let rest = match relation {
        "eq" => "  ret i32 %bit",
        "lt" => "  ret i32 %below",
        "le" => "  %mask = or i32 %bit, %below\n  ret i32 %mask",
        "ge" => "  %mask = xor i32 %below, -1\n  ret i32 %mask",
        "gt" => "  %le = or i32 %bit, %below\n  %mask = xor i32 %le, -1\n  ret i32 %mask",
        _ => return None,
    };
    Body::plain(lane + rest)
}
