; A weak reference to an undefined symbol is null.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --implicit-check-not='@hook'
; CHECK: store volatile ptr null, ptr

target triple = "nvptx64-nvidia-cuda"
declare extern_weak void @hook()
define ptx_kernel void @k(ptr %p) {
  store volatile ptr @hook, ptr %p
  ret void
}
