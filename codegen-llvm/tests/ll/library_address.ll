; A table of virtual functions mentions what a pure one calls. Its place is not known there.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: @table = {{.*}}__cxa_pure_virtual.address
; CHECK: call void @vgpu_trap(ptr {{.*}}, i32 0)

target triple = "nvptx64-nvidia-cuda"
@table = global [1 x ptr] [ptr @__cxa_pure_virtual]
declare void @__cxa_pure_virtual()
define ptx_kernel void @k(ptr %p) {
  %f = load ptr, ptr @table
  store ptr %f, ptr %p
  ret void
}
