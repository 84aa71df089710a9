//! Barriers, waiting, the end of a thread, hints.

use super::super::body::call_with_site;
use super::Body;

/// Lowers barriers, waits, the end of a thread, and hints.
///
/// `s_barrier` counts waves, and a wave in which a lane waits at it has all its lanes there, or gone. Here it
/// waits for every thread of the block that has not ended. The split barriers of gfx12 (`s.barrier.signal`,
/// `s.barrier.wait`) are not known.
pub fn lower(name: &str) -> Option<Body> {
    match name {
        "s.barrier" => Body::synchronising(call_with_site(
            "call void @vgpu_barrier(ptr %cx, i32 %site, i32 0, i32 0)",
            "ret void",
        )),
        "wave.barrier" => Body::synchronising(call_with_site(
            "call i64 @vgpu_wave(ptr %cx, i32 %site, i32 0, i64 0, i32 0, i64 0)",
            "ret void",
        )),
        "s.sleep" | "s.sleep.var" => Body::synchronising(call_with_site(
            "call void @vgpu_yield(ptr %cx, i32 %site)",
            "ret void",
        )),
        "endpgm" => Body::plain(call_with_site(
            "call void @vgpu_exit(ptr %cx)",
            "unreachable",
        )),
        "unreachable" => Body::plain("  unreachable"),
        // Caches are coherent, waits for memory are over, and nobody schedules instructions.
        "sched.barrier"
        | "sched.group.barrier"
        | "iglp.opt"
        | "s.setprio"
        | "s.waitcnt"
        | "s.nop"
        | "s.dcache.inv"
        | "s.dcache.inv.vol"
        | "s.dcache.wb"
        | "s.dcache.wb.vol"
        | "buffer.wbinvl1"
        | "buffer.wbinvl1.sc"
        | "buffer.wbinvl1.vol"
        | "s.incperflevel"
        | "s.decperflevel" => Body::plain("  ret void"),
        _ if name.starts_with("s.wait.") || name.starts_with("s.prefetch.") => {
            Body::plain("  ret void")
        }
        _ => None,
    }
}
