; Support functions that the back end would call, and the engine does not have, are refused.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: device code needs `__multf3`, support the virtual GPU does not have

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  %a = load fp128, ptr %p
  %b = fmul fp128 %a, %a
  store fp128 %b, ptr %p
  ret void
}
