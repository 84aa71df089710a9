; What clang 22 asks of LLVM 19's device runtime on AMD GPUs, and it does not have: `copyprivate` ends with a trap,
; everything else of EPCC's programs links (docs/measuring.md). Only for scripts/gpu-check, which leaves it out of the
; comparison; figures of bench/footprint are to be had without this file.
target triple = "amdgcn-amd-amdhsa"

define void @__kmpc_copyprivate(ptr %location, i32 %thread, i64 %bytes, ptr %list, ptr %copy, i32 %did) noinline {
  call void @llvm.trap()
  unreachable
}

declare void @llvm.trap() cold noreturn nounwind
