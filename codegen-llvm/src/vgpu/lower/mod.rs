//! What each NVPTX intrinsic does, as LLVM assembly: one always-inlined function per intrinsic used.
//!
//! Semantics are those of the PTX ISA for the instruction the intrinsic stands for. Written as
//! assembly text because that is the language everybody who checks them reads. The files go by the
//! chapters of the PTX ISA: `registers`, `barrier`, `warp`, `memory`, `integer`, `float`, `convert`.

mod barrier;
mod convert;
mod float;
mod integer;
mod library;
mod mbarrier;
mod memory;
mod registers;
mod warp;

use std::mem::offset_of;
use std::sync::LazyLock;

use codegen::vgpu_abi::{CONTEXT_SIZE, STACK_SIZE, ThreadContext};

/// A declared function that may have a lowering.
pub struct Request<'a> {
    /// Its name.
    pub name: &'a str,
    /// Result type as LLVM prints it.
    pub result: String,
    /// Parameter types as LLVM prints them.
    pub parameters: Vec<String>,
}

/// The function that takes an intrinsic's place.
pub struct Lowering {
    /// Its name.
    pub symbol: String,
    /// Its definition.
    pub definition: String,
    /// How many site indices it takes in front of the intrinsic's own parameters.
    pub sites: usize,
}

/// The body of a lowering: parameters are `%a0`, `%a1`, …, sites `%site`, `%site1`.
pub struct Body {
    /// Number of site parameters.
    sites: usize,
    /// Instructions, the first in the entry block.
    text: String,
    /// Attributes besides `nounwind`.
    attributes: &'static str,
}

impl Body {
    /// A body that synchronises nothing.
    fn plain(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 0,
            text: text.into(),
            attributes: "alwaysinline",
        })
    }

    /// A body that synchronises once, at `%site`.
    fn synchronising(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 1,
            text: text.into(),
            attributes: "alwaysinline convergent",
        })
    }

    /// A body that synchronises twice, at `%site` and `%site1`.
    fn synchronising_twice(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 2,
            text: text.into(),
            attributes: "alwaysinline convergent",
        })
    }

    /// A body that changes the rounding mode meanwhile: LLVM must not mix it with other arithmetic.
    fn strict(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 0,
            text: text.into(),
            attributes: "noinline strictfp",
        })
    }
}

/// The lowering of a declared function: an NVPTX intrinsic, a generic intrinsic with a GPU meaning,
/// or a function of the device's C library.
pub fn lower(request: &Request<'_>) -> Option<Lowering> {
    let body = match request.name.strip_prefix("llvm.") {
        Some(intrinsic) => match intrinsic.strip_prefix("nvvm.") {
            Some(name) => nvvm(name, request)?,
            None => generic(intrinsic)?,
        },
        None => library::lower(request)?,
    };
    let symbol = format!("lower.{}", request.name);
    let sites = ["i32 %site", "i32 %site1"]
        .iter()
        .take(body.sites)
        .map(|&site| site.to_owned());
    let own = request
        .parameters
        .iter()
        .enumerate()
        .map(|(index, ty)| format!("{ty} %a{index}"));
    let parameters = sites.chain(own).collect::<Vec<_>>().join(", ");
    let definition = format!(
        "define {} @{}({parameters}) {} nounwind {{\n{}\n}}\n",
        request.result,
        quoted(&symbol),
        body.attributes,
        body.text.trim_end()
    );
    Some(Lowering {
        symbol,
        definition,
        sites: body.sites,
    })
}

fn nvvm(name: &str, request: &Request<'_>) -> Option<Body> {
    registers::lower(name)
        .or_else(|| barrier::lower(name))
        .or_else(|| warp::lower(name))
        .or_else(|| mbarrier::lower(name))
        .or_else(|| memory::lower(name, request))
        .or_else(|| integer::lower(name, request))
        .or_else(|| float::lower(name, request))
        .or_else(|| convert::lower(name, request))
}

/// Generic intrinsics with a GPU meaning.
fn generic(name: &str) -> Option<Body> {
    match name {
        "trap" | "debugtrap" | "ubsantrap" => Body::synchronising(call_with_site(
            "call void @vgpu_trap(ptr %cx, i32 %site)",
            "unreachable",
        )),
        "readcyclecounter" => registers::lower("read.ptx.sreg.clock64"),
        "readsteadycounter" => registers::lower("read.ptx.sreg.globaltimer"),
        _ => None,
    }
}

/// `%cx = …` followed by `call` and `end`.
fn call_with_site(call: &str, end: &str) -> String {
    format!("  %cx = call ptr @vgpu.context()\n  {call}\n  {end}\n")
}

fn quoted(symbol: &str) -> String {
    format!("\"{symbol}\"")
}

/// How [`CONTEXT_FUNCTION`] reads the stack pointer.
pub const STACK_POINTER: &str = "movq %rsp, $0";

/// `vgpu.context()`: the context of the thread that runs, found from the stack pointer (see
/// `codegen::vgpu_abi`). The assembly has no side effects and reads no memory, so LLVM computes it
/// once per function; a function runs on one fiber's stack from its start to its end, so that is
/// right. Internal, so that every piece of library that is linked in may bring it.
pub static CONTEXT_FUNCTION: LazyLock<String> = LazyLock::new(|| {
    format!(
        r#"
define internal ptr @vgpu.context() alwaysinline nounwind willreturn memory(none) {{
  %sp = call i64 asm "{STACK_POINTER}", "=r"() nounwind willreturn memory(none)
  %stack = and i64 %sp, {}
  %context = or i64 %stack, {}
  %pointer = inttoptr i64 %context to ptr
  ret ptr %pointer
}}
"#,
        -(STACK_SIZE as i64),
        STACK_SIZE - CONTEXT_SIZE
    )
});

/// What every lowering may use: the engine's functions, the thread's context, the block's shared
/// memory.
pub fn prelude() -> String {
    let shared_base = offset_of!(ThreadContext, shared_base);
    let (shared_size, dynamic_size) = (
        offset_of!(ThreadContext, shared_size),
        offset_of!(ThreadContext, dynamic_shared_size),
    );
    let context = CONTEXT_FUNCTION.as_str();
    format!(
        r#"{context}
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
declare void @vgpu_syncwarp(ptr, i32, i32) convergent nounwind
declare i32 @vgpu_activemask(ptr, i32) convergent nounwind
declare i64 @vgpu_shfl(ptr, i32, i32, i32, i32, i32, i32) convergent nounwind
declare i32 @vgpu_vote(ptr, i32, i32, i32, i32) convergent nounwind
declare i32 @vgpu_match_any(ptr, i32, i32, i64) convergent nounwind
declare i64 @vgpu_match_all(ptr, i32, i32, i64) convergent nounwind
declare i32 @vgpu_redux(ptr, i32, i32, i32, i32) convergent nounwind
declare void @vgpu_yield(ptr, i32) convergent nounwind
declare void @vgpu_exit(ptr) cold noreturn nounwind
declare void @vgpu_trap(ptr, i32) cold noreturn nounwind
declare void @vgpu_assert_fail(ptr, i32, ptr, ptr, i32, ptr) cold noreturn nounwind
declare i32 @vgpu_vprintf(ptr, ptr, ptr) nounwind
declare noalias ptr @vgpu_malloc(ptr, i64) nounwind
declare void @vgpu_free(ptr, ptr) nounwind
declare i64 @vgpu_clock(ptr) nounwind
declare i64 @vgpu_globaltimer(ptr) nounwind
"#
    )
}
