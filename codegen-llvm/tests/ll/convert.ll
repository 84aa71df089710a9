; Conversions: rounding, saturation, NaN (PTX ISA, "cvt").
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: store volatile i32 -2, ptr addrspace(1) @out0
; CHECK: store volatile i32 2, ptr addrspace(1) @out1
; CHECK: store volatile i32 -3, ptr addrspace(1) @out2
; CHECK: store volatile i32 3, ptr addrspace(1) @out3
; CHECK: store volatile i32 2147483647, ptr addrspace(1) @out4
; CHECK: store volatile i32 -2147483648, ptr addrspace(1) @out5
; CHECK: store volatile i32 0, ptr addrspace(1) @out6
; CHECK: store volatile i32 4, ptr addrspace(1) @out7
; CHECK: store volatile i32 0, ptr addrspace(1) @out8
; CHECK: store volatile i32 -294967296, ptr addrspace(1) @out9
; CHECK: store volatile i64 -9223372036854775808, ptr addrspace(1) @out10
; CHECK: store volatile i64 -1, ptr addrspace(1) @out11
; CHECK: store volatile i64 -2, ptr addrspace(1) @out12
; CHECK: store volatile double -7.000000e+00, ptr addrspace(1) @out13
; CHECK: store volatile float 0x41F0000000000000, ptr addrspace(1) @out14
; CHECK: store volatile double 0x43F0000000000000, ptr addrspace(1) @out15
; CHECK: store volatile float 0x3FB99999A0000000, ptr addrspace(1) @out16
; CHECK: store volatile double 1.000000e+00, ptr addrspace(1) @out17
; CHECK: store volatile i32 1072693248, ptr addrspace(1) @out18
; CHECK: store volatile i32 7, ptr addrspace(1) @out19
; CHECK: store volatile i16 15360, ptr addrspace(1) @out20

target triple = "nvptx64-nvidia-cuda"

@out0 = addrspace(1) global i32 zeroinitializer
@out1 = addrspace(1) global i32 zeroinitializer
@out2 = addrspace(1) global i32 zeroinitializer
@out3 = addrspace(1) global i32 zeroinitializer
@out4 = addrspace(1) global i32 zeroinitializer
@out5 = addrspace(1) global i32 zeroinitializer
@out6 = addrspace(1) global i32 zeroinitializer
@out7 = addrspace(1) global i32 zeroinitializer
@out8 = addrspace(1) global i32 zeroinitializer
@out9 = addrspace(1) global i32 zeroinitializer
@out10 = addrspace(1) global i64 zeroinitializer
@out11 = addrspace(1) global i64 zeroinitializer
@out12 = addrspace(1) global i64 zeroinitializer
@out13 = addrspace(1) global double zeroinitializer
@out14 = addrspace(1) global float zeroinitializer
@out15 = addrspace(1) global double zeroinitializer
@out16 = addrspace(1) global float zeroinitializer
@out17 = addrspace(1) global double zeroinitializer
@out18 = addrspace(1) global i32 zeroinitializer
@out19 = addrspace(1) global i32 zeroinitializer
@out20 = addrspace(1) global i16 zeroinitializer

declare i32 @llvm.nvvm.d2i.rz(double)
declare i32 @llvm.nvvm.d2i.rn(double)
declare i32 @llvm.nvvm.d2i.rm(double)
declare i32 @llvm.nvvm.d2i.rp(double)
declare i32 @llvm.nvvm.f2i.rz(float)
declare i32 @llvm.nvvm.f2i.rn.ftz(float)
declare i32 @llvm.nvvm.f2ui.rz(float)
declare i32 @llvm.nvvm.d2ui.rz(double)
declare i64 @llvm.nvvm.f2ll.rz(float)
declare i64 @llvm.nvvm.d2ull.rz(double)
declare i64 @llvm.nvvm.d2ll.rm(double)
declare double @llvm.nvvm.i2d.rz(i32)
declare float @llvm.nvvm.ui2f.rn(i32)
declare double @llvm.nvvm.ull2d.rn(i64)
declare float @llvm.nvvm.d2f.rn(double)
declare double @llvm.nvvm.lohi.i2d(i32, i32)
declare i32 @llvm.nvvm.d2i.hi(double)
declare i32 @llvm.nvvm.d2i.lo(double)
declare i16 @llvm.nvvm.f2h.rn(float)

define ptx_kernel void @k() {
  %r0 = call i32 @llvm.nvvm.d2i.rz(double -2.5)
  store volatile i32 %r0, ptr addrspace(1) @out0
  %r1 = call i32 @llvm.nvvm.d2i.rn(double 2.5)
  store volatile i32 %r1, ptr addrspace(1) @out1
  %r2 = call i32 @llvm.nvvm.d2i.rm(double -2.5)
  store volatile i32 %r2, ptr addrspace(1) @out2
  %r3 = call i32 @llvm.nvvm.d2i.rp(double 2.25)
  store volatile i32 %r3, ptr addrspace(1) @out3
  %r4 = call i32 @llvm.nvvm.d2i.rz(double 1.0e20)
  store volatile i32 %r4, ptr addrspace(1) @out4
  %r5 = call i32 @llvm.nvvm.d2i.rz(double 0x7FF8000000000000)
  store volatile i32 %r5, ptr addrspace(1) @out5
  %r6 = call i32 @llvm.nvvm.f2i.rz(float 0x7FF8000000000000)
  store volatile i32 %r6, ptr addrspace(1) @out6
  %r7 = call i32 @llvm.nvvm.f2i.rn.ftz(float 3.5)
  store volatile i32 %r7, ptr addrspace(1) @out7
  %r8 = call i32 @llvm.nvvm.f2ui.rz(float -1.0)
  store volatile i32 %r8, ptr addrspace(1) @out8
  %r9 = call i32 @llvm.nvvm.d2ui.rz(double 4.0e9)
  store volatile i32 %r9, ptr addrspace(1) @out9
  %r10 = call i64 @llvm.nvvm.f2ll.rz(float 0x7FF8000000000000)
  store volatile i64 %r10, ptr addrspace(1) @out10
  %r11 = call i64 @llvm.nvvm.d2ull.rz(double 1.0e30)
  store volatile i64 %r11, ptr addrspace(1) @out11
  %r12 = call i64 @llvm.nvvm.d2ll.rm(double -1.5)
  store volatile i64 %r12, ptr addrspace(1) @out12
  %r13 = call double @llvm.nvvm.i2d.rz(i32 -7)
  store volatile double %r13, ptr addrspace(1) @out13
  %r14 = call float @llvm.nvvm.ui2f.rn(i32 -1)
  store volatile float %r14, ptr addrspace(1) @out14
  %r15 = call double @llvm.nvvm.ull2d.rn(i64 -1)
  store volatile double %r15, ptr addrspace(1) @out15
  %r16 = call float @llvm.nvvm.d2f.rn(double 0.1)
  store volatile float %r16, ptr addrspace(1) @out16
  %r17 = call double @llvm.nvvm.lohi.i2d(i32 0, i32 1072693248)
  store volatile double %r17, ptr addrspace(1) @out17
  %r18 = call i32 @llvm.nvvm.d2i.hi(double 1.0)
  store volatile i32 %r18, ptr addrspace(1) @out18
  %r19 = call i32 @llvm.nvvm.d2i.lo(double 0x3FF0000000000007)
  store volatile i32 %r19, ptr addrspace(1) @out19
  %r20 = call i16 @llvm.nvvm.f2h.rn(float 1.0)
  store volatile i16 %r20, ptr addrspace(1) @out20
  ret void
}
