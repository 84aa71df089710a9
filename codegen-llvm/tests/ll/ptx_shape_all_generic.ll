; Where all kernels are generic, registers are folded in all functions, also in those called through pointers. Only a
; kernel itself tests whether the block's extent along x is 1.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s --implicit-check-not='%tid.x' \
; RUN:   --implicit-check-not='%ntid.y'
; CHECK: region(
; CHECK: .entry generic(
; CHECK: %ntid.x

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@chosen = global ptr @region
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
define internal void @region(ptr %out) noinline {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %thread = add i32 %x, %y
  store i32 %thread, ptr %out
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %spmd = icmp eq i32 %threads, 1
  br i1 %spmd, label %never, label %done
never:
  %wide = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %wide, ptr %out
  br label %done
done:
  ret void
}
define ptx_kernel void @generic(ptr %out) {
  %wide = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %wide, ptr %out
  %function = load ptr, ptr @chosen
  call void %function(ptr %out)
  ret void
}
