//! Barriers of a block (PTX ISA, "barrier") and the end of a thread.

use vgpu_abi::BarrierReduce;

use super::{Body, call_with_site};

/// Lowers `barrier.cta.*`, `exit`, `nanosleep`.
///
/// `.aligned` promises that all threads of a warp are together; the engine does not need the
/// promise. The older names (`barrier0`, `bar.sync`, `barrier.sync.cnt`, …) are rewritten to these by
/// LLVM when it reads the bitcode.
pub fn lower(name: &str) -> Option<Body> {
    match name {
        "exit" => {
            return Body::plain(call_with_site(
                "call void @vgpu_exit(ptr %cx)",
                "unreachable",
            ));
        }
        "nanosleep" => {
            return Body::synchronising(call_with_site(
                "call void @vgpu_yield(ptr %cx, i32 %site)",
                "ret void",
            ));
        }
        "pm.event.mask" => return Body::plain("  ret void"),
        _ => {}
    }
    let form = name.strip_prefix("barrier.cta.")?.replace(".aligned", "");
    let (operation, scope) = form.rsplit_once('.')?;
    let counted = match scope {
        "all" => false,
        "count" => true,
        _ => return None,
    };
    let count = if counted { "%a1" } else { "0" };
    let plain = |function: &str| {
        let call = format!("call void @{function}(ptr %cx, i32 %site, i32 %a0, i32 {count})");
        Body::synchronising(call_with_site(&call, "ret void"))
    };
    match operation {
        "sync" => plain("vgpu_barrier"),
        "arrive" if counted => plain("vgpu_barrier_arrive"),
        _ => reduce(
            operation.strip_prefix("red.")?,
            count,
            if counted { "%a2" } else { "%a1" },
        ),
    }
}

fn reduce(operation: &str, count: &str, predicate: &str) -> Option<Body> {
    let mode = match operation {
        "popc" => BarrierReduce::Popc,
        "and" => BarrierReduce::And,
        "or" => BarrierReduce::Or,
        _ => return None,
    } as u32;
    let end = match operation {
        "popc" => "  ret i32 %all",
        _ => "  %holds = icmp ne i32 %all, 0\n  ret i1 %holds",
    };
    Body::synchronising(format!(
        "  %cx = call ptr @vgpu.context()\n  %pred = zext i1 {predicate} to i32\n  \
         %all = call i32 @vgpu_barrier_reduce(ptr %cx, i32 %site, i32 %a0, i32 {count}, i32 {mode}, i32 %pred)\n{end}"
    ))
}
