//! The parts of the engine that every dialect's lowerings use: its functions, the thread's context, the block's shared
//! memory.

use std::mem::offset_of;

use vgpu_abi::{CONTEXT_SIZE, STACK_SIZE, ThreadContext, WINDOW_SHIFT};

use super::body::Body;
use crate::vgpu::host::Architecture;

/// `%cx`: the context of the thread that runs.
pub const CONTEXT: &str = "  %cx = call ptr @vgpu.context()\n";

/// The engine function that a loop that waits on memory calls.
pub const SPIN: &str = "vgpu_spin";

/// `vgpu.context()`: the context of the thread that runs, found from the stack pointer (see `vgpu_abi`).
///
/// The assembly has no side effects and reads no memory, so LLVM computes it once per function. That is right, as a
/// function runs on one fiber's stack from its start to its end. The function is internal, as every piece of library
/// that is linked in brings it (`Unit::add_library`).
pub fn context_function(host: Architecture) -> String {
    format!(
        r#"
define internal ptr @vgpu.context() alwaysinline nounwind willreturn memory(none) {{
  %sp = call i64 asm "{}", "=r"() nounwind willreturn memory(none)
  %stack = and i64 %sp, {}
  %context = or i64 %stack, {}
  %pointer = inttoptr i64 %context to ptr
  ret ptr %pointer
}}
"#,
        host.stack_pointer(),
        -(STACK_SIZE as i64),
        STACK_SIZE - CONTEXT_SIZE
    )
}

/// The function that gives the address of the block's shared memory.
pub const SHARED_BASE: &str = "vgpu.shared_base";

/// Declarations that every lowering may use: the engine's functions, the block's shared memory.
pub fn prelude(window: u64) -> String {
    let shared_base = offset_of!(ThreadContext, shared_base);
    let (shared_size, dynamic_size) = (
        offset_of!(ThreadContext, shared_size),
        offset_of!(ThreadContext, dynamic_shared_size),
    );
    format!(
        r#"
define i1 @vgpu.in_window(i64 %address) alwaysinline nounwind willreturn memory(none) {{
  %index = lshr i64 %address, {WINDOW_SHIFT}
  %inside = icmp eq i64 %index, {window}
  ret i1 %inside
}}
define ptr @vgpu.shared_base() alwaysinline nounwind willreturn {{
  %cx = call ptr @vgpu.context()
  %field = getelementptr i8, ptr %cx, i64 {shared_base}
  %base = load ptr, ptr %field, align 8, !invariant.load !0, !nonnull !0, !noundef !0
  ret ptr %base
}}
define ptr @vgpu.dynamic_shared() alwaysinline nounwind willreturn {{
  %cx = call ptr @vgpu.context()
  %base = call ptr @vgpu.shared_base()
  %sf = getelementptr i8, ptr %cx, i64 {shared_size}
  %size = load i32, ptr %sf, align 4, !invariant.load !0, !noundef !0
  %df = getelementptr i8, ptr %cx, i64 {dynamic_size}
  %dynamic = load i32, ptr %df, align 4, !invariant.load !0, !noundef !0
  %static = sub nuw i32 %size, %dynamic
  %offset = zext i32 %static to i64
  %start = getelementptr inbounds nuw i8, ptr %base, i64 %offset
  ret ptr %start
}}
!0 = !{{}}
declare void @vgpu_barrier(ptr, i32, i32, i32) convergent nounwind
declare void @vgpu_barrier_arrive(ptr, i32, i32, i32) convergent nounwind
declare i32 @vgpu_barrier_reduce(ptr, i32, i32, i32, i32, i32) convergent nounwind
declare void @vgpu_syncwarp(ptr, i32, i64) convergent nounwind
declare i64 @vgpu_activemask(ptr, i32) convergent nounwind
declare i64 @vgpu_shfl(ptr, i32, i64, i32, i32, i32, i32) convergent nounwind
declare i64 @vgpu_vote(ptr, i32, i64, i32, i32) convergent nounwind
declare i64 @vgpu_match_any(ptr, i32, i64, i64) convergent nounwind
declare i64 @vgpu_match_all(ptr, i32, i64, i64) convergent nounwind
declare i32 @vgpu_redux(ptr, i32, i64, i32, i32) convergent nounwind
declare i64 @vgpu_wave(ptr, i32, i32, i64, i32, i64) convergent nounwind
declare void @vgpu_yield(ptr, i32) convergent nounwind
declare void @vgpu_exit(ptr) cold noreturn nounwind
declare void @vgpu_trap(ptr, i32) cold noreturn nounwind
declare void @vgpu_assert_fail(ptr, i32, ptr, ptr, i32, ptr) cold noreturn nounwind
declare i32 @vgpu_vprintf(ptr, ptr, ptr, i32) nounwind
declare noalias ptr @vgpu_malloc(ptr, i64) nounwind
declare noalias ptr @vgpu_realloc(ptr, ptr, i64) nounwind
declare void @vgpu_free(ptr, ptr) nounwind
declare i64 @vgpu_clock(ptr) nounwind
declare i64 @vgpu_globaltimer(ptr) nounwind
"#
    )
}

/// Loads a context field. It never changes while the thread runs, hence `invariant.load`. The range lets LLVM drop sign
/// extensions and overflow checks, as the intrinsic's `range` did.
pub fn load_field(offset: usize, range: Option<(u32, u32)>) -> String {
    let known = range
        .map(|(low, high)| format!(", !range !{{i32 {low}, i32 {}}}", high as i32))
        .unwrap_or_default();
    format!(
        "  %cx = call ptr @vgpu.context()\n  %field = getelementptr i8, ptr %cx, i64 {offset}\n  \
         %value = load i32, ptr %field, align 4, !invariant.load !0, !noundef !0{known}\n  ret i32 %value"
    )
}

/// Reads one of the engine's clocks, the lower half of it if `low`.
pub fn timer(function: &str, low: bool) -> String {
    let read =
        format!("  %cx = call ptr @vgpu.context()\n  %time = call i64 @{function}(ptr %cx)\n");
    read + if low {
        "  %low = trunc i64 %time to i32\n  ret i32 %low"
    } else {
        "  ret i64 %time"
    }
}

/// Tests which memory a generic address points to. A block's shared memory and a thread's own stack ("local") are
/// ranges; everything else in the device window is global.
pub fn is_space(space: &str) -> Option<Body> {
    let (base, size) = (
        offset_of!(ThreadContext, shared_base),
        offset_of!(ThreadContext, shared_size),
    );
    let stack = -(STACK_SIZE as i64);
    let parts = format!(
        "  %cx = call ptr @vgpu.context()\n  %address = ptrtoint ptr %a0 to i64\n  \
         %bf = getelementptr i8, ptr %cx, i64 {base}\n  %base = load i64, ptr %bf, align 8, !invariant.load !0\n  \
         %sf = getelementptr i8, ptr %cx, i64 {size}\n  %size = load i32, ptr %sf, align 4, !invariant.load !0\n  \
         %size64 = zext i32 %size to i64\n  %inside = sub i64 %address, %base\n  \
         %shared = icmp ult i64 %inside, %size64\n  \
         %context = ptrtoint ptr %cx to i64\n  %mine = and i64 %context, {stack}\n  \
         %its = and i64 %address, {stack}\n  \
         %local = icmp eq i64 %mine, %its\n"
    );
    let end = match space {
        "shared" | "shared.cluster" => "  ret i1 %shared".to_owned(),
        "local" => "  ret i1 %local".to_owned(),
        // Constants live in global memory here.
        "const" => "  ret i1 false".to_owned(),
        "global" => "  %device = call i1 @vgpu.in_window(i64 %address)\n  \
             %special = or i1 %shared, %local\n  %plain = xor i1 %special, true\n  \
             %global = and i1 %device, %plain\n  ret i1 %global"
            .to_owned(),
        _ => return None,
    };
    Body::plain(parts + &end)
}
