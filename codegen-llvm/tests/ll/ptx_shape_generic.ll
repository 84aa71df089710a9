; Blocks of generic kernels extend along y: they read it, as do functions that other kernels call, too.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s --implicit-check-not='%tid.z'
; CHECK: thread()
; CHECK: %tid.y
; CHECK: .entry generic(
; CHECK: %tid.y
; CHECK: .entry spmd(

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@spmd_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
define internal i32 @thread() noinline {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %y
}
define ptx_kernel void @generic(ptr %out) {
  %thread = call i32 @thread()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %sum = add i32 %y, %thread
  store i32 %sum, ptr %out
  ret void
}
define ptx_kernel void @spmd(ptr %out) {
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %thread = call i32 @thread()
  %sum = add i32 %z, %thread
  store i32 %sum, ptr %out
  ret void
}
