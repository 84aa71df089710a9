; What one lane runs while the others wait is scalar, and has no version for all lanes.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.first(
; CHECK-NOT: <32 x
; CHECK: store i32
; CHECK-NOT: store i32
;
; The lane is known where the number is. What it computed goes to its place in a vector.
; CHECK: define hidden void @vgpu.warp.third(
; CHECK-DAG: getelementptr i8, ptr {{.*}}, i64 12
; CHECK-DAG: insertelement <32 x i32> {{.*}}, i64 3
; CHECK-DAG: store <32 x i32>
;
; A lane that nobody knows before is the only one of its mask. What it asks for itself may be part of the branch.
; CHECK: define hidden void @vgpu.warp.given(
; CHECK: @llvm.cttz
; CHECK: extractelement
; CHECK: atomicrmw add ptr
; CHECK-NOT: atomicrmw
;
; Lanes that leave a loop one after another are together behind it.
; CHECK: define hidden void @vgpu.warp.one_by_one(
; CHECK: store <32 x i32>
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @first(ptr %to, ptr %from) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp eq i32 %tid, 0
  br i1 %is, label %one, label %end
one:
  %v = load i32, ptr %from
  %w = mul i32 %v, 7
  store i32 %w, ptr %to
  br label %end
end:
  ret void
}
define ptx_kernel void @third(ptr %to, ptr %from) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %from, i32 %tid
  %is = icmp eq i32 %tid, 3
  br i1 %is, label %one, label %end
one:
  %v = load i32, ptr %p
  %w = mul i32 %v, %v
  br label %end
end:
  %x = phi i32 [ %w, %one ], [ %tid, %entry ]
  %q = getelementptr i32, ptr %to, i32 %tid
  store i32 %x, ptr %q
  ret void
}
define ptx_kernel void @given(ptr %to, ptr %from, i32 %which) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %from, i32 %tid
  %v = load i32, ptr %p
  %is = icmp eq i32 %which, %tid
  br i1 %is, label %one, label %end
one:
  %negative = icmp slt i32 %v, 0
  br i1 %negative, label %less, label %end
less:
  %old = atomicrmw add ptr %to, i32 %v monotonic
  %r = getelementptr i32, ptr %to, i32 1
  store i32 %old, ptr %r
  br label %end
end:
  ret void
}
define ptx_kernel void @one_by_one(ptr %to, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %next = add i32 %i, 1
  %is = icmp eq i32 %tid, %i
  br i1 %is, label %mine, label %more
more:
  %again = icmp ult i32 %next, %n
  br i1 %again, label %head, label %end
mine:
  %square = mul i32 %i, %i
  %q = getelementptr i32, ptr %to, i32 %tid
  store i32 %square, ptr %q
  br label %end
end:
  ret void
}
