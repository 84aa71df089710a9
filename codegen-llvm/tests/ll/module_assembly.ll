; RUN: vgpu %s
; ERROR: the image has module-level PTX assembly

target triple = "nvptx64-nvidia-cuda"
module asm ".global .u32 x;"
define ptx_kernel void @k() {
  ret void
}
