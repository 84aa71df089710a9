; Integer intrinsics: LLVM folds the calls, so the constants are the semantics (PTX ISA).
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: store volatile i32 -1, ptr addrspace(1) @out0
; CHECK: store volatile i32 2, ptr addrspace(1) @out1
; CHECK: store volatile i64 -1, ptr addrspace(1) @out2
; CHECK: store volatile i64 4, ptr addrspace(1) @out3
; CHECK: store volatile i16 -2, ptr addrspace(1) @out4
; CHECK: store volatile i16 1, ptr addrspace(1) @out5
; CHECK: store volatile i32 -7, ptr addrspace(1) @out6
; CHECK: store volatile i32 6, ptr addrspace(1) @out7
; CHECK: store volatile i32 18, ptr addrspace(1) @out8
; CHECK: store volatile i32 -8, ptr addrspace(1) @out9
; CHECK: store volatile i64 3, ptr addrspace(1) @out10
; CHECK: store volatile i32 2002072320, ptr addrspace(1) @out11
; CHECK: store volatile i32 -252645121, ptr addrspace(1) @out12
; CHECK: store volatile i32 1144201745, ptr addrspace(1) @out13
; CHECK: store volatile i32 1432778496, ptr addrspace(1) @out14
; CHECK: store volatile i32 572662306, ptr addrspace(1) @out15
; CHECK: store volatile i32 857874978, ptr addrspace(1) @out16
; CHECK: store volatile i32 286331136, ptr addrspace(1) @out17
; CHECK: store volatile i32 857879330, ptr addrspace(1) @out18
; CHECK: store volatile i32 101, ptr addrspace(1) @out19
; CHECK: store volatile i32 1537, ptr addrspace(1) @out20
; CHECK: store volatile i32 0, ptr addrspace(1) @out21
; CHECK: store volatile i32 7, ptr addrspace(1) @out22
; CHECK: store volatile i32 2, ptr addrspace(1) @out23
; CHECK: store volatile i32 4, ptr addrspace(1) @out24
; CHECK: store volatile i32 -1, ptr addrspace(1) @out25
; CHECK: store volatile i32 -120, ptr addrspace(1) @out26
; CHECK: store volatile i32 -3, ptr addrspace(1) @out27
; CHECK: store volatile i32 15, ptr addrspace(1) @out28
; CHECK: store volatile i32 -1, ptr addrspace(1) @out29
; CHECK: store volatile i32 0, ptr addrspace(1) @out30
; CHECK: store volatile i32 4080, ptr addrspace(1) @out31
; CHECK: store volatile i32 -16, ptr addrspace(1) @out32
; CHECK: store volatile i32 0, ptr addrspace(1) @out33
; CHECK: store volatile i32 4, ptr addrspace(1) @out34
; CHECK: store volatile i32 27, ptr addrspace(1) @out35
; CHECK: store volatile i32 -1, ptr addrspace(1) @out36
; CHECK: store volatile i32 0, ptr addrspace(1) @out37
; CHECK: store volatile i32 7, ptr addrspace(1) @out38
; CHECK: store volatile i32 31, ptr addrspace(1) @out39
; CHECK: store volatile i32 -1, ptr addrspace(1) @out40
; CHECK: store volatile i32 1, ptr addrspace(1) @out41
; CHECK: store volatile i32 -2147483648, ptr addrspace(1) @out42

target triple = "nvptx64-nvidia-cuda"

@out0 = addrspace(1) global i32 zeroinitializer
@out1 = addrspace(1) global i32 zeroinitializer
@out2 = addrspace(1) global i64 zeroinitializer
@out3 = addrspace(1) global i64 zeroinitializer
@out4 = addrspace(1) global i16 zeroinitializer
@out5 = addrspace(1) global i16 zeroinitializer
@out6 = addrspace(1) global i32 zeroinitializer
@out7 = addrspace(1) global i32 zeroinitializer
@out8 = addrspace(1) global i32 zeroinitializer
@out9 = addrspace(1) global i32 zeroinitializer
@out10 = addrspace(1) global i64 zeroinitializer
@out11 = addrspace(1) global i32 zeroinitializer
@out12 = addrspace(1) global i32 zeroinitializer
@out13 = addrspace(1) global i32 zeroinitializer
@out14 = addrspace(1) global i32 zeroinitializer
@out15 = addrspace(1) global i32 zeroinitializer
@out16 = addrspace(1) global i32 zeroinitializer
@out17 = addrspace(1) global i32 zeroinitializer
@out18 = addrspace(1) global i32 zeroinitializer
@out19 = addrspace(1) global i32 zeroinitializer
@out20 = addrspace(1) global i32 zeroinitializer
@out21 = addrspace(1) global i32 zeroinitializer
@out22 = addrspace(1) global i32 zeroinitializer
@out23 = addrspace(1) global i32 zeroinitializer
@out24 = addrspace(1) global i32 zeroinitializer
@out25 = addrspace(1) global i32 zeroinitializer
@out26 = addrspace(1) global i32 zeroinitializer
@out27 = addrspace(1) global i32 zeroinitializer
@out28 = addrspace(1) global i32 zeroinitializer
@out29 = addrspace(1) global i32 zeroinitializer
@out30 = addrspace(1) global i32 zeroinitializer
@out31 = addrspace(1) global i32 zeroinitializer
@out32 = addrspace(1) global i32 zeroinitializer
@out33 = addrspace(1) global i32 zeroinitializer
@out34 = addrspace(1) global i32 zeroinitializer
@out35 = addrspace(1) global i32 zeroinitializer
@out36 = addrspace(1) global i32 zeroinitializer
@out37 = addrspace(1) global i32 zeroinitializer
@out38 = addrspace(1) global i32 zeroinitializer
@out39 = addrspace(1) global i32 zeroinitializer
@out40 = addrspace(1) global i32 zeroinitializer
@out41 = addrspace(1) global i32 zeroinitializer
@out42 = addrspace(1) global i32 zeroinitializer

declare i32 @llvm.nvvm.mulhi.i(i32, i32)
declare i32 @llvm.nvvm.mulhi.ui(i32, i32)
declare i64 @llvm.nvvm.mulhi.ll(i64, i64)
declare i64 @llvm.nvvm.mulhi.ull(i64, i64)
declare i16 @llvm.nvvm.mulhi.s(i16, i16)
declare i16 @llvm.nvvm.mulhi.us(i16, i16)
declare i32 @llvm.nvvm.mul24.i(i32, i32)
declare i32 @llvm.nvvm.mul24.ui(i32, i32)
declare i32 @llvm.nvvm.sad.i(i32, i32, i32)
declare i32 @llvm.nvvm.sad.ui(i32, i32, i32)
declare i64 @llvm.nvvm.sad.ll(i64, i64, i64)
declare i32 @llvm.nvvm.prmt(i32, i32, i32)
declare i32 @llvm.nvvm.prmt.f4e(i32, i32, i32)
declare i32 @llvm.nvvm.prmt.b4e(i32, i32, i32)
declare i32 @llvm.nvvm.prmt.rc8(i32, i32)
declare i32 @llvm.nvvm.prmt.ecl(i32, i32)
declare i32 @llvm.nvvm.prmt.ecr(i32, i32)
declare i32 @llvm.nvvm.prmt.rc16(i32, i32)
declare i32 @llvm.nvvm.idp4a.s.s(i32, i32, i32)
declare i32 @llvm.nvvm.idp4a.u.u(i32, i32, i32)
declare i32 @llvm.nvvm.idp2a.s.u(i32, i32, i1, i32)
declare i32 @llvm.nvvm.idp2a.u.s(i32, i32, i1, i32)
declare i32 @llvm.nvvm.fns(i32, i32, i32)
declare i32 @llvm.nvvm.sext.wrap(i32, i32)
declare i32 @llvm.nvvm.sext.clamp(i32, i32)
declare i32 @llvm.nvvm.zext.wrap(i32, i32)
declare i32 @llvm.nvvm.zext.clamp(i32, i32)
declare i32 @llvm.nvvm.bmsk.wrap(i32, i32)
declare i32 @llvm.nvvm.bmsk.clamp(i32, i32)
declare i32 @llvm.nvvm.flo.u.i32(i32, i1)
declare i32 @llvm.nvvm.flo.s.i32(i32, i1)
declare i32 @llvm.nvvm.flo.s.i64(i64, i1)
declare i32 @llvm.nvvm.fshl.clamp.i32(i32, i32, i32)
declare i32 @llvm.nvvm.fshr.clamp.i32(i32, i32, i32)

define ptx_kernel void @k() {
  %r0 = call i32 @llvm.nvvm.mulhi.i(i32 -2, i32 3)
  store volatile i32 %r0, ptr addrspace(1) @out0
  %r1 = call i32 @llvm.nvvm.mulhi.ui(i32 -2, i32 3)
  store volatile i32 %r1, ptr addrspace(1) @out1
  %r2 = call i64 @llvm.nvvm.mulhi.ll(i64 -1, i64 5)
  store volatile i64 %r2, ptr addrspace(1) @out2
  %r3 = call i64 @llvm.nvvm.mulhi.ull(i64 -1, i64 5)
  store volatile i64 %r3, ptr addrspace(1) @out3
  %r4 = call i16 @llvm.nvvm.mulhi.s(i16 -300, i16 300)
  store volatile i16 %r4, ptr addrspace(1) @out4
  %r5 = call i16 @llvm.nvvm.mulhi.us(i16 -1, i16 2)
  store volatile i16 %r5, ptr addrspace(1) @out5
  %r6 = call i32 @llvm.nvvm.mul24.i(i32 16777215, i32 7)
  store volatile i32 %r6, ptr addrspace(1) @out6
  %r7 = call i32 @llvm.nvvm.mul24.ui(i32 16777218, i32 3)
  store volatile i32 %r7, ptr addrspace(1) @out7
  %r8 = call i32 @llvm.nvvm.sad.i(i32 -5, i32 3, i32 10)
  store volatile i32 %r8, ptr addrspace(1) @out8
  %r9 = call i32 @llvm.nvvm.sad.ui(i32 -5, i32 3, i32 0)
  store volatile i32 %r9, ptr addrspace(1) @out9
  %r10 = call i64 @llvm.nvvm.sad.ll(i64 1, i64 -1, i64 1)
  store volatile i64 %r10, ptr addrspace(1) @out10
  %r11 = call i32 @llvm.nvvm.prmt(i32 857870592, i32 2003195204, i32 30000)
  store volatile i32 %r11, ptr addrspace(1) @out11
  %r12 = call i32 @llvm.nvvm.prmt(i32 240, i32 0, i32 8)
  store volatile i32 %r12, ptr addrspace(1) @out12
  %r13 = call i32 @llvm.nvvm.prmt.f4e(i32 857870592, i32 2003195204, i32 1)
  store volatile i32 %r13, ptr addrspace(1) @out13
  %r14 = call i32 @llvm.nvvm.prmt.b4e(i32 857870592, i32 2003195204, i32 0)
  store volatile i32 %r14, ptr addrspace(1) @out14
  %r15 = call i32 @llvm.nvvm.prmt.rc8(i32 857870592, i32 2)
  store volatile i32 %r15, ptr addrspace(1) @out15
  %r16 = call i32 @llvm.nvvm.prmt.ecl(i32 857870592, i32 2)
  store volatile i32 %r16, ptr addrspace(1) @out16
  %r17 = call i32 @llvm.nvvm.prmt.ecr(i32 857870592, i32 1)
  store volatile i32 %r17, ptr addrspace(1) @out17
  %r18 = call i32 @llvm.nvvm.prmt.rc16(i32 857870592, i32 1)
  store volatile i32 %r18, ptr addrspace(1) @out18
  %r19 = call i32 @llvm.nvvm.idp4a.s.s(i32 -16581117, i32 67305985, i32 100)
  store volatile i32 %r19, ptr addrspace(1) @out19
  %r20 = call i32 @llvm.nvvm.idp4a.u.u(i32 -16581117, i32 67305985, i32 0)
  store volatile i32 %r20, ptr addrspace(1) @out20
  %r21 = call i32 @llvm.nvvm.idp2a.s.u(i32 -131069, i32 67305985, i1 false, i32 1)
  store volatile i32 %r21, ptr addrspace(1) @out21
  %r22 = call i32 @llvm.nvvm.idp2a.u.s(i32 131075, i32 -16580095, i1 true, i32 0)
  store volatile i32 %r22, ptr addrspace(1) @out22
  %r23 = call i32 @llvm.nvvm.fns(i32 22, i32 4, i32 -2)
  store volatile i32 %r23, ptr addrspace(1) @out23
  %r24 = call i32 @llvm.nvvm.fns(i32 22, i32 4, i32 0)
  store volatile i32 %r24, ptr addrspace(1) @out24
  %r25 = call i32 @llvm.nvvm.fns(i32 22, i32 3, i32 0)
  store volatile i32 %r25, ptr addrspace(1) @out25
  %r26 = call i32 @llvm.nvvm.sext.wrap(i32 136, i32 8)
  store volatile i32 %r26, ptr addrspace(1) @out26
  %r27 = call i32 @llvm.nvvm.sext.clamp(i32 -3, i32 40)
  store volatile i32 %r27, ptr addrspace(1) @out27
  %r28 = call i32 @llvm.nvvm.zext.wrap(i32 -1, i32 36)
  store volatile i32 %r28, ptr addrspace(1) @out28
  %r29 = call i32 @llvm.nvvm.zext.clamp(i32 -1, i32 36)
  store volatile i32 %r29, ptr addrspace(1) @out29
  %r30 = call i32 @llvm.nvvm.zext.clamp(i32 -1, i32 0)
  store volatile i32 %r30, ptr addrspace(1) @out30
  %r31 = call i32 @llvm.nvvm.bmsk.wrap(i32 4, i32 8)
  store volatile i32 %r31, ptr addrspace(1) @out31
  %r32 = call i32 @llvm.nvvm.bmsk.clamp(i32 4, i32 40)
  store volatile i32 %r32, ptr addrspace(1) @out32
  %r33 = call i32 @llvm.nvvm.bmsk.clamp(i32 40, i32 3)
  store volatile i32 %r33, ptr addrspace(1) @out33
  %r34 = call i32 @llvm.nvvm.flo.u.i32(i32 16, i1 false)
  store volatile i32 %r34, ptr addrspace(1) @out34
  %r35 = call i32 @llvm.nvvm.flo.u.i32(i32 16, i1 true)
  store volatile i32 %r35, ptr addrspace(1) @out35
  %r36 = call i32 @llvm.nvvm.flo.u.i32(i32 0, i1 true)
  store volatile i32 %r36, ptr addrspace(1) @out36
  %r37 = call i32 @llvm.nvvm.flo.s.i32(i32 -2, i1 false)
  store volatile i32 %r37, ptr addrspace(1) @out37
  %r38 = call i32 @llvm.nvvm.flo.s.i64(i64 -256, i1 false)
  store volatile i32 %r38, ptr addrspace(1) @out38
  %r39 = call i32 @llvm.nvvm.fshl.clamp.i32(i32 1, i32 -1, i32 4)
  store volatile i32 %r39, ptr addrspace(1) @out39
  %r40 = call i32 @llvm.nvvm.fshl.clamp.i32(i32 1, i32 -1, i32 99)
  store volatile i32 %r40, ptr addrspace(1) @out40
  %r41 = call i32 @llvm.nvvm.fshr.clamp.i32(i32 1, i32 0, i32 99)
  store volatile i32 %r41, ptr addrspace(1) @out41
  %r42 = call i32 @llvm.nvvm.fshr.clamp.i32(i32 1, i32 0, i32 1)
  store volatile i32 %r42, ptr addrspace(1) @out42
  ret void
}
