; Parameters travel as 8-byte values.
; RUN: vgpu %s
; ERROR: parameter 1 of kernel `k` has the type byval structure; kernels take pointers and numbers of up to 64 bits

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(i32 %a, ptr byval({ i64, i64 }) %b) {
  ret void
}
