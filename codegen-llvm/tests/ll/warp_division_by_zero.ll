; Where a uniform divisor may be 0, the division that the CPU reports stays.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.k(
; CHECK: load volatile
; CHECK: sdiv i32
; CHECK: load volatile
; CHECK: urem i32
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %d) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %p = getelementptr i32, ptr %out, i64 %i
  %x = load i32, ptr %p
  %q = sdiv i32 %x, %d
  %r = urem i32 %q, %d
  store i32 %r, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
