; In code that was PTX, a loop that goes round all threads counts in 64 bits, once, without a mask in its addresses.
; RUN: omptarget-codegen vgpu %s --verify-each --print-after ptx-registers -o /dev/null 2>&1 | FileCheck %s
; CHECK: define void @rows(
; CHECK: loop:
; CHECK: %[[I:.*]] = phi i64
; CHECK-NOT: phi
; CHECK-NOT: and i64
; CHECK-NOT: trunc
; CHECK: add nuw nsw i64 %[[I]], %
; CHECK-NOT: zext
; CHECK: br i1
; CHECK: define void @two_counters(
; CHECK: loop:
; CHECK: %[[J:.*]] = phi i64
; CHECK-NOT: phi
; CHECK: add nuw nsw i64 %[[J]], %
; CHECK: br i1
; CHECK: define void @may_wrap(
; CHECK: loop:
; CHECK: zext {{.*}}i32 %sum

target triple = "nvptx64-nvidia-cuda"
!omptarget.ptx = !{!0}
!0 = !{i32 1}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @llvm.umin.i64(i64, i64)

define ptx_kernel void @rows(ptr %to, i64 %threads) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %number = zext i32 %thread to i64
  %blocks = zext i32 %block to i64
  %before = mul i64 %blocks, 128
  %first = add i64 %before, %number
  %none = icmp ugt i64 %first, 500
  br i1 %none, label %end, label %begin
begin:
  %step = call i64 @llvm.umin.i64(i64 %threads, i64 501)
  %short = trunc i64 %step to i32
  br label %loop
loop:
  %i = phi i64 [ %first, %begin ], [ %next, %loop ]
  %cut = trunc i64 %i to i32
  %row = shl i32 %cut, 5
  %wide = zext i32 %row to i64
  %bytes = shl i64 %wide, 2
  %place = getelementptr i8, ptr %to, i64 %bytes
  store i32 0, ptr %place
  %other = getelementptr i32, ptr %to, i64 %i
  store i32 1, ptr %other
  %sum = add i32 %cut, %short
  %next = zext i32 %sum to i64
  %more = icmp ult i32 %sum, 501
  br i1 %more, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @two_counters(ptr %to, i64 %threads) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %number = zext i32 %thread to i64
  %blocks = zext i32 %block to i64
  %before = mul i64 %blocks, 128
  %first = add i64 %before, %number
  %none = icmp ugt i64 %first, 500
  br i1 %none, label %end, label %begin
begin:
  %step = call i64 @llvm.umin.i64(i64 %threads, i64 501)
  %short = trunc i64 %step to i32
  %from = trunc i64 %first to i32
  br label %loop
loop:
  %i = phi i64 [ %first, %begin ], [ %next, %loop ]
  %cut = phi i32 [ %from, %begin ], [ %sum, %loop ]
  %place = getelementptr i32, ptr %to, i64 %i
  store i32 0, ptr %place
  %sum = add i32 %cut, %short
  %next = zext i32 %sum to i64
  %more = icmp ult i32 %sum, 501
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The sum of a number below 501 and of any step may have a carry.
define ptx_kernel void @may_wrap(ptr %to, i32 %step) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %number = zext i32 %thread to i64
  %blocks = zext i32 %block to i64
  %before = mul i64 %blocks, 128
  %first = add i64 %before, %number
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %cut = trunc i64 %i to i32
  %place = getelementptr i32, ptr %to, i64 %i
  store i32 0, ptr %place
  %sum = add i32 %cut, %step
  %next = zext i32 %sum to i64
  %more = icmp ult i32 %sum, 501
  br i1 %more, label %loop, label %end
end:
  ret void
}
