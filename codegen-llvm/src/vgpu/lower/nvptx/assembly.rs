//! PTX's inline assembly, one instruction at a time, in terms of NVPTX's intrinsics.

use crate::vgpu::host::Architecture;

/// NVPTX's register letters as a host's: 16-, 32- and 64-bit integers are `r`.
pub fn register_class(letter: char, host: Architecture) -> char {
    match letter {
        'h' | 'c' | 'l' => 'r',
        'f' | 'd' => host.float_register(),
        other => other,
    }
}

/// The intrinsic for a PTX opcode and its operands.
pub fn intrinsic(opcode: &str, operands: &[&str]) -> Option<String> {
    let name = match (opcode, operands) {
        ("trap" | "brkpt", []) => return Some("llvm.trap".to_owned()),
        ("exit", []) => "exit",
        ("membar.cta" | "fence.acq_rel.cta" | "fence.sc.cta" | "fence.cta", []) => "membar.cta",
        ("membar.gl" | "membar.sys", []) => "membar.sys",
        (fence, []) if fence.starts_with("fence.") => "membar.sys",
        (
            "bar.sync"
            | "barrier.sync"
            | "barrier.sync.aligned"
            | "bar.cta.sync"
            | "barrier.cta.sync",
            [_],
        ) => "barrier.cta.sync.all",
        (
            "bar.sync"
            | "barrier.sync"
            | "barrier.sync.aligned"
            | "bar.cta.sync"
            | "barrier.cta.sync",
            [_, _],
        ) => "barrier.cta.sync.count",
        (
            "bar.arrive" | "barrier.arrive" | "barrier.arrive.aligned" | "barrier.cta.arrive",
            [_, _],
        ) => "barrier.cta.arrive.count",
        ("bar.warp.sync", [_]) => "bar.warp.sync",
        ("activemask.b32", ["$0"]) => "activemask",
        ("nanosleep.u32", [_]) => "nanosleep",
        ("prmt.b32", ["$0", _, _, _]) => "prmt",
        (copy, ["$0", source]) if copy.starts_with("mov.") => return register_read(source),
        _ => return None,
    };
    Some(format!("llvm.nvvm.{name}"))
}

/// `%lanemask_lt` → `llvm.nvvm.read.ptx.sreg.lanemask.lt`
fn register_read(source: &str) -> Option<String> {
    let register = source.strip_prefix('%')?.trim_start_matches('%');
    let register = match register {
        "dynamic_smem_size" | "total_smem_size" | "aggr_smem_size" => register.to_owned(),
        _ => register.replace('_', "."),
    };
    Some(format!("llvm.nvvm.read.ptx.sreg.{register}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_map_to_intrinsics() {
        assert_eq!(
            intrinsic("mov.u32", &["$0", "%laneid"]).unwrap(),
            "llvm.nvvm.read.ptx.sreg.laneid"
        );
        assert_eq!(
            register_read("%lanemask_lt").unwrap(),
            "llvm.nvvm.read.ptx.sreg.lanemask.lt"
        );
        assert_eq!(
            register_read("%total_smem_size").unwrap(),
            "llvm.nvvm.read.ptx.sreg.total_smem_size"
        );
        assert_eq!(
            intrinsic("bar.sync", &["1", "64"]).unwrap(),
            "llvm.nvvm.barrier.cta.sync.count"
        );
        assert_eq!(intrinsic("mov.u32", &["$0", "$1"]), None);
        assert_eq!(intrinsic("mma.sync", &[]), None);
    }
}
