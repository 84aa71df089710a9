; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the image has module-level PTX assembly

target triple = "nvptx64-nvidia-cuda"
module asm ".global .u32 x;"
define ptx_kernel void @k() {
  ret void
}
