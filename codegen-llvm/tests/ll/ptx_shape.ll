; Blocks of SPMD kernels extend along x alone: the registers of other dimensions are folded in a kernel and its
; functions.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s --implicit-check-not='%tid.y'
; CHECK: %tid.x
; CHECK: .entry spmd(

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@spmd_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
define internal i32 @thread() noinline {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %thread = add i32 %x, %y
  ret i32 %thread
}
define ptx_kernel void @spmd(ptr %out) {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %thread = call i32 @thread()
  %sum = add i32 %y, %thread
  store i32 %sum, ptr %out
  ret void
}
