; Static shared memory beyond 48 KiB is refused by kernel and variable. A kernel counts what it reaches.
; RUN: not omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s
; CHECK: kernel large has 49160 bytes of static shared memory, more than the 49152 (48 KiB) that a
; CHECK-SAME: block may have on NVIDIA's GPUs; `block` alone takes 40968. Make the arrays

target triple = "nvptx64-nvidia-cuda"
@block = internal addrspace(3) global [40968 x i8] undef
@other = internal addrspace(3) global [8192 x i8] undef
define internal void @fill(i64 %i) noinline {
  %p = getelementptr i8, ptr addrspace(3) @block, i64 %i
  store volatile i8 1, ptr addrspace(3) %p
  ret void
}
define ptx_kernel void @small(i64 %i) {
  call void @fill(i64 %i)
  ret void
}
define ptx_kernel void @large(i64 %i) {
  call void @fill(i64 %i)
  %p = getelementptr i8, ptr addrspace(3) @other, i64 %i
  store volatile i8 1, ptr addrspace(3) %p
  ret void
}
