; Variable arguments are lowered by NVPTX's convention, a packed buffer, before the host's would apply.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s --implicit-check-not='...' \
; RUN:   --implicit-check-not='va_start' --implicit-check-not='va_arg'
; CHECK: define internal{{.*}}i32 @sum(
; CHECK: alloca

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
define i32 @sum(i32 %n, ...) noinline {
  %list = alloca ptr
  call void @llvm.va_start.p0(ptr %list)
  %at = load ptr, ptr %list
  %v = load i32, ptr %at
  call void @llvm.va_end.p0(ptr %list)
  %s = add i32 %v, %n
  ret i32 %s
}
define ptx_kernel void @k(ptr %p, i32 %x) {
  %s = call i32 (i32, ...) @sum(i32 1, i32 %x, double 2.0)
  store volatile i32 %s, ptr %p
  ret void
}
