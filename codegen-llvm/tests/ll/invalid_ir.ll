; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the LLVM assembly does not parse

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  %a = add i32 %b, 1
  ret void
}
