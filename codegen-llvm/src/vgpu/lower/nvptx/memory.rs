//! Fences, scoped atomics, cached loads, address-space questions, asynchronous copies, prefetches.

use super::engine::is_space;
use super::{Body, Request};

/// Lowers fences, accesses, address-space tests, copies and prefetches.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    let result = request.result.as_str();
    if let Some(body) = fence(name) {
        return Some(body);
    }
    if name.starts_with("prefetch") && result == "void" {
        return Body::plain("  ret void");
    }
    if name.starts_with("internal.addrspace.wrap") {
        return Body::plain(format!(
            "  %p = addrspacecast {} %a0 to {result}\n  ret {result} %p",
            request.parameters.first()?
        ));
    }
    if name.starts_with("move.") {
        return Body::plain(format!("  ret {result} %a0"));
    }
    if name.starts_with("ldu.global.") || name.starts_with("ldg.global.") {
        return Body::plain(format!(
            "  %value = load {result}, {} %a0, align 1\n  ret {result} %value",
            request.parameters[0]
        ));
    }
    // A texture reference of the program's is a variable with the object that it is bound to.
    if name.starts_with("texsurf.handle") && result == "i64" {
        return Body::plain(format!(
            "  %object = load i64, {} %a0\n  ret i64 %object",
            request.parameters.last()?
        ));
    }
    if name.starts_with("getctarank") {
        return Body::plain("  ret i32 0");
    }
    if let Some(space) = name.strip_prefix("isspacep.") {
        return is_space(space);
    }
    if let Some(form) = name.strip_prefix("atomic.") {
        return atomic(form, request);
    }
    asynchronous_copy(name.strip_prefix("cp.async.")?, request)
}

/// All threads of a block run on one CPU thread, so a fence of block scope only restrains the compiler. The wider ones
/// are the CPU's.
fn fence(name: &str) -> Option<Body> {
    let block = "  fence syncscope(\"singlethread\") seq_cst\n  ret void";
    let device = "  fence seq_cst\n  ret void";
    match name {
        "membar.cta" => Body::plain(block),
        "membar.gl" | "membar.sys" => Body::plain(device),
        _ if name.starts_with("fence.") => Body::plain(device),
        _ => None,
    }
}

/// `atomic.{op}.gen.{i,f}.{cta,sys}…`: relaxed, as `atom` without a qualifier is.
fn atomic(form: &str, request: &Request<'_>) -> Option<Body> {
    let mut parts = form.split('.');
    let operation = parts.next()?;
    if parts.next()? != "gen" {
        return None;
    }
    let float = parts.next()? == "f";
    let (ty, pointer) = (&request.result, request.parameters.first()?);
    if operation == "cas" {
        return Body::plain(format!(
            "  %pair = cmpxchg {pointer} %a0, {ty} %a1, {ty} %a2 monotonic monotonic\n  \
             %old = extractvalue {{ {ty}, i1 }} %pair, 0\n  ret {ty} %old"
        ));
    }
    let operation = match (operation, float) {
        ("add", true) => "fadd",
        ("add", false) => "add",
        ("inc", false) => "uinc_wrap",
        ("dec", false) => "udec_wrap",
        ("exch", false) => "xchg",
        ("xor" | "or" | "and" | "max" | "min", false) => operation,
        _ => return None,
    };
    Body::plain(format!(
        "  %old = atomicrmw {operation} {pointer} %a0, {ty} %a1 monotonic\n  ret {ty} %old"
    ))
}

/// Asynchronous copies are done at once; waiting for them is then nothing.
fn asynchronous_copy(form: &str, request: &Request<'_>) -> Option<Body> {
    if matches!(form, "commit.group" | "wait.group" | "wait.all") {
        return Body::plain("  ret void");
    }
    let (size, partial) = form
        .strip_suffix(".s")
        .map_or((form, false), |size| (size, true));
    let size = size
        .strip_prefix("ca.shared.global.")
        .or_else(|| size.strip_prefix("cg.shared.global."))?;
    let bytes: u32 = size
        .parse()
        .ok()
        .filter(|bytes| matches!(bytes, 4 | 8 | 16))?;
    let (to, from) = (request.parameters.first()?, request.parameters.get(1)?);
    let (to_space, from_space) = (mangled(to), mangled(from));
    if !partial {
        return Body::plain(format!(
            "  call void @llvm.memcpy.{to_space}.{from_space}.i64(\
             {to} align {bytes} %a0, {from} align {bytes} %a1, i64 {bytes}, \
             i1 false)\n  ret void"
        ));
    }
    // With a source size, the rest of the destination becomes zero.
    Body::plain(format!(
        "  %wanted = zext i32 %a2 to i64\n  %part = call i64 @llvm.umin.i64(i64 %wanted, i64 {bytes})\n  \
         call void @llvm.memset.{to_space}.i64({to} align {bytes} %a0, i8 0, i64 {bytes}, i1 false)\n  \
         call void @llvm.memcpy.{to_space}.{from_space}.i64(\
         {to} align {bytes} %a0, {from} align 1 %a1, i64 %part, i1 false)\n  \
         ret void"
    ))
}

/// `ptr addrspace(3)` → `p3`, as intrinsic names spell it.
fn mangled(pointer: &str) -> String {
    let space: String = pointer.chars().filter(char::is_ascii_digit).collect();
    if space.is_empty() {
        "p0".to_owned()
    } else {
        format!("p{space}")
    }
}
