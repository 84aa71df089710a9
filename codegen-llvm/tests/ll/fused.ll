; A fused multiply-add is exact on hosts without the instruction, and no call.
; RUN: omptarget-codegen vgpu --cpu x86-64-v2 --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; RUN: omptarget-codegen vgpu --cpu x86-64-v3 --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=V3
target triple = "nvptx64-nvidia-cuda"

; V3: call float @llvm.fma.f32
; CHECK-NOT: @llvm.fma.f32(
; CHECK: fmul double
; CHECK: fadd double
; CHECK: fptrunc double
; CHECK-NOT: @llvm.fma.f32(
; CHECK: call double @llvm.fma.f64
define ptx_kernel void @fused(ptr %x, float %y, float %z, ptr %double) {
  %value = load float, ptr %x
  %sum = call float @llvm.fma.f32(float %value, float %y, float %z)
  store float %sum, ptr %x
  %wide = load double, ptr %double
  %other = call double @llvm.fma.f64(double %wide, double %wide, double 3.0)
  store double %other, ptr %double
  ret void
}

declare float @llvm.fma.f32(float, float, float)
declare double @llvm.fma.f64(double, double, double)
