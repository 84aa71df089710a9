; Floating-point intrinsics to nearest: LLVM folds the calls. NaN is the GPU's own (PTX ISA, "Floating Point
; Instructions").
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: store volatile float 2.000000e+00, ptr addrspace(1) @out0
; CHECK: store volatile float 0x7FFFFFFFE0000000, ptr addrspace(1) @out1
; CHECK: store volatile float -0.000000e+00, ptr addrspace(1) @out2
; CHECK: store volatile double 3.000000e+00, ptr addrspace(1) @out3
; CHECK: store volatile float -3.000000e+00, ptr addrspace(1) @out4
; CHECK: store volatile half 0xH3C00, ptr addrspace(1) @out5
; CHECK: store volatile float 3.000000e+00, ptr addrspace(1) @out6
; CHECK: store volatile float 1.000000e+00, ptr addrspace(1) @out7
; CHECK: store volatile float 3.000000e+00, ptr addrspace(1) @out8
; CHECK: store volatile double 2.500000e-01, ptr addrspace(1) @out9
; CHECK: store volatile float 2.500000e-01, ptr addrspace(1) @out10
; CHECK: store volatile float 2.500000e-01, ptr addrspace(1) @out11
; CHECK: store volatile double 7.000000e+00, ptr addrspace(1) @out12
; CHECK: store volatile float 0.000000e+00, ptr addrspace(1) @out13
; CHECK: store volatile half 0xH0000, ptr addrspace(1) @out14
; CHECK: store volatile <2 x half> splat (half 0xH4000), ptr addrspace(1) @out15
; CHECK: store volatile double 4.000000e+00, ptr addrspace(1) @out16
; CHECK: store volatile float 4.000000e+00, ptr addrspace(1) @out17
; CHECK: store volatile double 2.500000e-01, ptr addrspace(1) @out18
; CHECK: store volatile double 2.500000e-01, ptr addrspace(1) @out19
; CHECK: store volatile float 5.000000e-01, ptr addrspace(1) @out20
; CHECK: store volatile float 2.000000e+00, ptr addrspace(1) @out21
; CHECK: store volatile double 4.000000e+00, ptr addrspace(1) @out22
; CHECK: store volatile double -2.000000e+00, ptr addrspace(1) @out23
; CHECK: store volatile float -1.000000e+00, ptr addrspace(1) @out24
; CHECK: store volatile float -1.000000e+00, ptr addrspace(1) @out25
; CHECK: store volatile double 1.000000e+00, ptr addrspace(1) @out26
; CHECK: store volatile float 0.000000e+00, ptr addrspace(1) @out27
; CHECK: store volatile float 2.000000e+00, ptr addrspace(1) @out28
; CHECK: store volatile float 8.000000e+00, ptr addrspace(1) @out29
; CHECK: store volatile float 3.000000e+00, ptr addrspace(1) @out30
; CHECK: store volatile float 1.000000e+00, ptr addrspace(1) @out31

target triple = "nvptx64-nvidia-cuda"

@out0 = addrspace(1) global float zeroinitializer
@out1 = addrspace(1) global float zeroinitializer
@out2 = addrspace(1) global float zeroinitializer
@out3 = addrspace(1) global double zeroinitializer
@out4 = addrspace(1) global float zeroinitializer
@out5 = addrspace(1) global half zeroinitializer
@out6 = addrspace(1) global float zeroinitializer
@out7 = addrspace(1) global float zeroinitializer
@out8 = addrspace(1) global float zeroinitializer
@out9 = addrspace(1) global double zeroinitializer
@out10 = addrspace(1) global float zeroinitializer
@out11 = addrspace(1) global float zeroinitializer
@out12 = addrspace(1) global double zeroinitializer
@out13 = addrspace(1) global float zeroinitializer
@out14 = addrspace(1) global half zeroinitializer
@out15 = addrspace(1) global <2 x half> zeroinitializer
@out16 = addrspace(1) global double zeroinitializer
@out17 = addrspace(1) global float zeroinitializer
@out18 = addrspace(1) global double zeroinitializer
@out19 = addrspace(1) global double zeroinitializer
@out20 = addrspace(1) global float zeroinitializer
@out21 = addrspace(1) global float zeroinitializer
@out22 = addrspace(1) global double zeroinitializer
@out23 = addrspace(1) global double zeroinitializer
@out24 = addrspace(1) global float zeroinitializer
@out25 = addrspace(1) global float zeroinitializer
@out26 = addrspace(1) global double zeroinitializer
@out27 = addrspace(1) global float zeroinitializer
@out28 = addrspace(1) global float zeroinitializer
@out29 = addrspace(1) global float zeroinitializer
@out30 = addrspace(1) global float zeroinitializer
@out31 = addrspace(1) global float zeroinitializer

declare float @llvm.nvvm.fmin.f(float, float)
declare float @llvm.nvvm.fmin.nan.f(float, float)
declare double @llvm.nvvm.fmax.d(double, double)
declare float @llvm.nvvm.fmax.xorsign.abs.f(float, float)
declare half @llvm.nvvm.fmin.f16(half, half)
declare float @llvm.nvvm.add.rn.f(float, float)
declare float @llvm.nvvm.add.rn.sat.f(float, float)
declare float @llvm.nvvm.mul.rn.f(float, float)
declare double @llvm.nvvm.div.rn.d(double, double)
declare float @llvm.nvvm.div.approx.f(float, float)
declare float @llvm.nvvm.div.full(float, float)
declare double @llvm.nvvm.fma.rn.d(double, double, double)
declare float @llvm.nvvm.fma.rn.ftz.sat.f(float, float, float)
declare half @llvm.nvvm.fma.rn.relu.f16(half, half, half)
declare <2 x half> @llvm.nvvm.fma.rn.f16x2(<2 x half>, <2 x half>, <2 x half>)
declare double @llvm.nvvm.sqrt.rn.d(double)
declare float @llvm.nvvm.sqrt.approx.ftz.f(float)
declare double @llvm.nvvm.rcp.rn.d(double)
declare double @llvm.nvvm.rcp.approx.ftz.d(double)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare float @llvm.nvvm.round.f(float)
declare double @llvm.nvvm.round.d(double)
declare double @llvm.nvvm.floor.d(double)
declare float @llvm.nvvm.ceil.ftz.f(float)
declare float @llvm.nvvm.trunc.f(float)
declare double @llvm.nvvm.saturate.d(double)
declare float @llvm.nvvm.saturate.f(float)
declare float @llvm.nvvm.fabs.f32(float)
declare float @llvm.nvvm.ex2.approx.f32(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.cos.approx.f(float)

define ptx_kernel void @k() {
  %r0 = call float @llvm.nvvm.fmin.f(float 0x7FF8000000000000, float 2.0)
  store volatile float %r0, ptr addrspace(1) @out0
  %r1 = call float @llvm.nvvm.fmin.nan.f(float 0x7FF8000000000000, float 2.0)
  store volatile float %r1, ptr addrspace(1) @out1
  %r2 = call float @llvm.nvvm.fmin.f(float 0.0, float -0.0)
  store volatile float %r2, ptr addrspace(1) @out2
  %r3 = call double @llvm.nvvm.fmax.d(double 1.0, double 3.0)
  store volatile double %r3, ptr addrspace(1) @out3
  %r4 = call float @llvm.nvvm.fmax.xorsign.abs.f(float -3.0, float 2.0)
  store volatile float %r4, ptr addrspace(1) @out4
  %r5 = call half @llvm.nvvm.fmin.f16(half 1.0, half 2.0)
  store volatile half %r5, ptr addrspace(1) @out5
  %r6 = call float @llvm.nvvm.add.rn.f(float 1.0, float 2.0)
  store volatile float %r6, ptr addrspace(1) @out6
  %r7 = call float @llvm.nvvm.add.rn.sat.f(float 1.0, float 2.0)
  store volatile float %r7, ptr addrspace(1) @out7
  %r8 = call float @llvm.nvvm.mul.rn.f(float 1.5, float 2.0)
  store volatile float %r8, ptr addrspace(1) @out8
  %r9 = call double @llvm.nvvm.div.rn.d(double 1.0, double 4.0)
  store volatile double %r9, ptr addrspace(1) @out9
  %r10 = call float @llvm.nvvm.div.approx.f(float 1.0, float 4.0)
  store volatile float %r10, ptr addrspace(1) @out10
  %r11 = call float @llvm.nvvm.div.full(float 1.0, float 4.0)
  store volatile float %r11, ptr addrspace(1) @out11
  %r12 = call double @llvm.nvvm.fma.rn.d(double 2.0, double 3.0, double 1.0)
  store volatile double %r12, ptr addrspace(1) @out12
  %r13 = call float @llvm.nvvm.fma.rn.ftz.sat.f(float 2.0, float 3.0, float -9.0)
  store volatile float %r13, ptr addrspace(1) @out13
  %r14 = call half @llvm.nvvm.fma.rn.relu.f16(half 1.0, half -2.0, half 0.0)
  store volatile half %r14, ptr addrspace(1) @out14
  %r15 = call <2 x half> @llvm.nvvm.fma.rn.f16x2(<2 x half> splat (half 1.0), <2 x half> splat (half 1.0), <2 x half> splat (half 1.0))
  store volatile <2 x half> %r15, ptr addrspace(1) @out15
  %r16 = call double @llvm.nvvm.sqrt.rn.d(double 16.0)
  store volatile double %r16, ptr addrspace(1) @out16
  %r17 = call float @llvm.nvvm.sqrt.approx.ftz.f(float 16.0)
  store volatile float %r17, ptr addrspace(1) @out17
  %r18 = call double @llvm.nvvm.rcp.rn.d(double 4.0)
  store volatile double %r18, ptr addrspace(1) @out18
  %r19 = call double @llvm.nvvm.rcp.approx.ftz.d(double 4.0)
  store volatile double %r19, ptr addrspace(1) @out19
  %r20 = call float @llvm.nvvm.rsqrt.approx.f(float 4.0)
  store volatile float %r20, ptr addrspace(1) @out20
  %r21 = call float @llvm.nvvm.round.f(float 2.5)
  store volatile float %r21, ptr addrspace(1) @out21
  %r22 = call double @llvm.nvvm.round.d(double 3.5)
  store volatile double %r22, ptr addrspace(1) @out22
  %r23 = call double @llvm.nvvm.floor.d(double -1.5)
  store volatile double %r23, ptr addrspace(1) @out23
  %r24 = call float @llvm.nvvm.ceil.ftz.f(float -1.5)
  store volatile float %r24, ptr addrspace(1) @out24
  %r25 = call float @llvm.nvvm.trunc.f(float -1.5)
  store volatile float %r25, ptr addrspace(1) @out25
  %r26 = call double @llvm.nvvm.saturate.d(double 7.0)
  store volatile double %r26, ptr addrspace(1) @out26
  %r27 = call float @llvm.nvvm.saturate.f(float 0x7FF8000000000000)
  store volatile float %r27, ptr addrspace(1) @out27
  %r28 = call float @llvm.nvvm.fabs.f32(float -2.0)
  store volatile float %r28, ptr addrspace(1) @out28
  %r29 = call float @llvm.nvvm.ex2.approx.f32(float 3.0)
  store volatile float %r29, ptr addrspace(1) @out29
  %r30 = call float @llvm.nvvm.lg2.approx.f(float 8.0)
  store volatile float %r30, ptr addrspace(1) @out30
  %r31 = call float @llvm.nvvm.cos.approx.f(float 0.0)
  store volatile float %r31, ptr addrspace(1) @out31
  ret void
}
