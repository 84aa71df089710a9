; An image with LLVM's device runtime: its environment is there, our trap record is not. Its generic kernels extend
; along x, and no register is folded.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s
; CHECK: .entry generic(
; CHECK: %tid.x
; CHECK: %ntid.x

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@__omp_rtl_device_environment = protected addrspace(1) global [48 x i8] zeroinitializer
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define ptx_kernel void @generic(ptr %out) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %sum = add i32 %threads, %thread
  store i32 %sum, ptr %out
  ret void
}
