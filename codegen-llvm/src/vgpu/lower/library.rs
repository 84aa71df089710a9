//! Functions of CUDA's device library that programs call without defining them: output, heap,
//! assertions (CUDA C++ Programming Guide, "Formatted Output", "Dynamic Global Memory Allocation",
//! "Assertion").

use super::engine::CONTEXT;
use super::{Body, Request};

/// Lowers a library function whose declaration has the expected shape.
///
/// `argument_alignment` is the most that a variable argument is aligned to.
pub fn lower(request: &Request<'_>, argument_alignment: u32) -> Option<Body> {
    let parameters: Vec<_> = request.parameters.iter().map(String::as_str).collect();
    match (request.name, parameters.as_slice(), request.result.as_str()) {
        ("vprintf", ["ptr", "ptr"], "i32") => Body::plain(format!(
            "{CONTEXT}  %n = call i32 @vgpu_vprintf(ptr %cx, ptr %a0, ptr %a1, i32 {argument_alignment})\n  ret i32 %n"
        )),
        ("malloc" | "_Znwm" | "_Znam", ["i64"], "ptr") => Body::plain(format!(
            "{CONTEXT}  %p = call ptr @vgpu_malloc(ptr %cx, i64 %a0)\n  ret ptr %p"
        )),
        ("calloc", ["i64", "i64"], "ptr") => Body::plain(CALLOC),
        ("realloc", ["ptr", "i64"], "ptr") => Body::plain(format!(
            "{CONTEXT}  %p = call ptr @vgpu_realloc(ptr %cx, ptr %a0, i64 %a1)\n  ret ptr %p"
        )),
        ("free" | "_ZdlPv" | "_ZdaPv", ["ptr"], "void")
        | ("_ZdlPvm" | "_ZdaPvm", ["ptr", "i64"], "void") => Body::plain(format!(
            "{CONTEXT}  call void @vgpu_free(ptr %cx, ptr %a0)\n  ret void"
        )),
        ("__assert_fail", ["ptr", "ptr", "i32", "ptr"], "void")
        | ("__assertfail", ["ptr", "ptr", "i32", "ptr", _], "void") => {
            Body::synchronising(format!(
                "{CONTEXT}  call void @vgpu_assert_fail(ptr %cx, i32 %site, ptr %a0, ptr %a1, i32 %a2, ptr %a3)\n  \
                 unreachable"
            ))
        }
        ("abort" | "__cxa_pure_virtual" | "__cxa_deleted_virtual", [], "void") => {
            Body::synchronising(format!(
                "{CONTEXT}  call void @vgpu_trap(ptr %cx, i32 %site)\n  unreachable"
            ))
        }
        _ => None,
    }
}

const CALLOC: &str = "
  %cx = call ptr @vgpu.context()
  %product = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %a0, i64 %a1)
  %size = extractvalue { i64, i1 } %product, 0
  %too.large = extractvalue { i64, i1 } %product, 1
  br i1 %too.large, label %none, label %allocate
allocate:
  %p = call ptr @vgpu_malloc(ptr %cx, i64 %size)
  %null = icmp eq ptr %p, null
  br i1 %null, label %none, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %size, i1 false)
  ret ptr %p
none:
  ret ptr null";
