; A generic kernel's block has the master's warp besides the threads that its launch bound counts. LLVM must not take
; the master's thread id to be less than the bound.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s --implicit-check-not='%tid.x'
; CHECK: .entry generic(
; CHECK: .maxntid 33
; CHECK: %tid.y
; CHECK: .entry spmd(
; CHECK: .maxntid 1

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1, i32 1, i32 1, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@spmd_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 1, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
define ptx_kernel void @generic(ptr %out) "nvvm.maxntid"="1" {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  store i32 %y, ptr %out
  ret void
}
define ptx_kernel void @spmd(ptr %out) "nvvm.maxntid"="1" {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %x, ptr %out
  ret void
}
