; Directed rounding: a function of its own switches the CPU's mode, so LLVM cannot reorder other arithmetic into it.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: call{{.*}}float @lower.llvm.nvvm.add.rz.f(
; IR: define internal{{.*}}float @lower.llvm.nvvm.add.rz.f(
; IR: call void @llvm.set.rounding(i32 0)
; IR: @llvm.experimental.constrained.fadd.f32(float{{.*}}, metadata !"round.dynamic", metadata !"fpexcept.ignore")
; IR: call void @llvm.set.rounding(i32 1)
; IR: call void @llvm.set.rounding(i32 2)
; IR: @llvm.experimental.constrained.fma.f64(
; IR: call void @llvm.set.rounding(i32 3)
; IR: @llvm.experimental.constrained.fptrunc.f32.f64(
; IR: @llvm.experimental.constrained.uitofp.f32.i64(
; And the back end takes it.
; RUN: omptarget-codegen vgpu -O2 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=MANIFEST --allow-empty
; MANIFEST-NOT: error

target triple = "nvptx64-nvidia-cuda"

declare float @llvm.nvvm.add.rz.f(float, float)
declare double @llvm.nvvm.fma.rp.d(double, double, double)
declare float @llvm.nvvm.d2f.rm(double)
declare float @llvm.nvvm.ull2f.rz(i64)
declare float @llvm.nvvm.sqrt.rz.f(float)

define ptx_kernel void @k(ptr addrspace(1) %p, float %a, double %b, i64 %n) {
  %s = call float @llvm.nvvm.add.rz.f(float %a, float 1.0)
  store volatile float %s, ptr addrspace(1) %p
  %m = call double @llvm.nvvm.fma.rp.d(double %b, double %b, double %b)
  store volatile double %m, ptr addrspace(1) %p
  %f = call float @llvm.nvvm.d2f.rm(double %b)
  store volatile float %f, ptr addrspace(1) %p
  %u = call float @llvm.nvvm.ull2f.rz(i64 %n)
  store volatile float %u, ptr addrspace(1) %p
  %q = call float @llvm.nvvm.sqrt.rz.f(float %a)
  store volatile float %q, ptr addrspace(1) %p
  ret void
}
