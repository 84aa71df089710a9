; A program's own definition of a library function stays.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --implicit-check-not='vgpu_malloc'
; CHECK: @pool

target triple = "nvptx64-nvidia-cuda"
@pool = addrspace(1) global [64 x i8] zeroinitializer
define ptr @malloc(i64 %n) noinline {
  ret ptr addrspacecast (ptr addrspace(1) @pool to ptr)
}
define ptx_kernel void @k(ptr %p) {
  %q = call ptr @malloc(i64 8)
  store volatile ptr %q, ptr %p
  ret void
}
