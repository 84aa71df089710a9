; A weak reference to nothing is null.
; RUN: vgpu --emit-llvm --no-window-check %s
; CHECK: store volatile ptr null, ptr
; NOT: @hook

target triple = "nvptx64-nvidia-cuda"
declare extern_weak void @hook()
define ptx_kernel void @k(ptr %p) {
  store volatile ptr @hook, ptr %p
  ret void
}
