; What LLVM 19's device runtime calls or clang 22 asks of it on NVIDIA GPUs, and it does not have: `critical` and
; `copyprivate` end with a trap, everything else of EPCC's programs links (docs/measuring.md). Only for scripts/gpu-check,
; which leaves those two out of the comparison; figures of bench/footprint are to be had without this file.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @_ZN4impl15setCriticalLockEP10omp_lock_t(ptr %lock) noinline {
  call void @llvm.trap()
  unreachable
}

define void @_ZN4impl17unsetCriticalLockEP10omp_lock_t(ptr %lock) noinline {
  call void @llvm.trap()
  unreachable
}

define void @__kmpc_copyprivate(ptr %location, i32 %thread, i64 %bytes, ptr %list, ptr %copy, i32 %did) noinline {
  call void @llvm.trap()
  unreachable
}

declare void @llvm.trap() cold noreturn nounwind
