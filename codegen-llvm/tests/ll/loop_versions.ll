; Loops whose window checks do not change in them are written twice, behind one question: without checks, and with them.
; RUN: omptarget-codegen vgpu --cpu x86-64-v3 --print-after loop-versions -o /dev/null %s 2>&1 | FileCheck %s
; RUN: omptarget-codegen vgpu --cpu x86-64-v3 --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=VECTORS
; RUN: omptarget-codegen vgpu --cpu x86-64-v3 -O1 --print-after loop-versions -o /dev/null %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=O1
; The version without checks comes first. Its loop is one block.
; CHECK: define internal fastcc void @scale(
; CHECK-COUNT-4: freeze i1 %inside
; CHECK-NOT: freeze
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %loop, !prof [[UNLIKELY:!.*]]
; CHECK: loop:
; CHECK-NOT: call
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %loop
; CHECK-COUNT-4: call fastcc void @vgpu.check_exact(
; CHECK: define internal fastcc void @count(
; CHECK: loop:
; CHECK: %[[SUM:.*]] = phi i32 [ %more, %loop ], [ %{{[0-9]+}}, %{{[0-9]+}} ]
; CHECK: store i32 %[[SUM]], ptr %out
; CHECK: ret void
; CHECK: call fastcc void @vgpu.check_exact(
; CHECK: define internal fastcc void @rows(
; CHECK-COUNT-2: freeze i1 %inside
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %row, !prof [[UNLIKELY]]
; CHECK: row:
; CHECK-NOT: call
; CHECK: ret void
; CHECK-COUNT-2: call fastcc void @vgpu.check_exact(
; CHECK: define internal fastcc void @pointers(
; CHECK-NOT: freeze
; CHECK: %base = load ptr
; CHECK: freeze i1 %inside
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %loop, !prof [[UNLIKELY]]
; CHECK: [[UNLIKELY]] = !{!"branch_weights", i32 1, i32 1048575}
; VECTORS: @scale(
; VECTORS: fmul <4 x double>
; O1-NOT: freeze

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @scale(ptr %in, ptr %out, ptr %factors, ptr %offsets, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext nneg i32 %i to i64
  %from = getelementptr inbounds double, ptr %in, i64 %wide
  %value = load double, ptr %from
  %factor.at = getelementptr inbounds double, ptr %factors, i64 %wide
  %factor = load double, ptr %factor.at
  %offset.at = getelementptr inbounds double, ptr %offsets, i64 %wide
  %offset = load double, ptr %offset.at
  %product = fmul double %value, %factor
  %sum = fadd double %product, %offset
  %to = getelementptr inbounds double, ptr %out, i64 %wide
  store double %sum, ptr %to
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; A value that leaves the loop comes from one of the two.
define ptx_kernel void @count(ptr %in, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %wide = zext nneg i32 %i to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %wide
  %value = load i32, ptr %from
  %more = add i32 %sum, %value
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store i32 %more, ptr %out
  ret void
}

; A nest whose checks are the same in all its loops is written twice as a whole.
define ptx_kernel void @rows(ptr %in, ptr %out, i32 %n) {
entry:
  br label %row
row:
  %i = phi i32 [ 0, %entry ], [ %next.row, %stored ]
  %start = mul nuw nsw i32 %i, %n
  br label %loop
loop:
  %j = phi i32 [ 0, %row ], [ %next, %loop ]
  %sum = phi i32 [ 0, %row ], [ %more, %loop ]
  %index = add nuw nsw i32 %start, %j
  %wide = zext nneg i32 %index to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %wide
  %value = load i32, ptr %from
  %more = add i32 %sum, %value
  %next = add nuw nsw i32 %j, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %stored
stored:
  %wide.row = zext nneg i32 %i to i64
  %to = getelementptr inbounds i32, ptr %out, i64 %wide.row
  store i32 %more, ptr %to
  %next.row = add nuw nsw i32 %i, 1
  %again.row = icmp slt i32 %next.row, %n
  br i1 %again.row, label %row, label %end
end:
  ret void
}

; Where an inner loop has a base of its own, it is the one that is written twice.
define ptx_kernel void @pointers(ptr %rows, i32 %n) {
entry:
  br label %row
row:
  %i = phi i32 [ 0, %entry ], [ %next.row, %done ]
  %wide.row = zext nneg i32 %i to i64
  %row.at = getelementptr inbounds ptr, ptr %rows, i64 %wide.row
  %base = load ptr, ptr %row.at
  br label %loop
loop:
  %j = phi i32 [ 0, %row ], [ %next, %loop ]
  %wide = zext nneg i32 %j to i64
  %to = getelementptr inbounds i32, ptr %base, i64 %wide
  store volatile i32 %j, ptr %to
  %next = add nuw nsw i32 %j, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %next.row = add nuw nsw i32 %i, 1
  %again.row = icmp slt i32 %next.row, %n
  br i1 %again.row, label %row, label %end
end:
  ret void
}
