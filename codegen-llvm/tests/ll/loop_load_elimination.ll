; A loop that remembers the index of the largest element: the element is carried from iteration to iteration, not loaded
; at that index, also where the loop was unrolled (`unrolled`). It is loaded where something is written in the loop
; (`written`, of doubles), and where the index is another than that of the element (`other`, of halves).
; RUN: omptarget-codegen vgpu --no-window-check --cpu x86-64-v4 --emit-llvm %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='phi double' --implicit-check-not='phi half'
; CHECK: void @largest(
; CHECK: load float
; CHECK: phi float
; CHECK: load float
; CHECK: fcmp ogt float
; CHECK: br i1
; CHECK: void @unrolled(
; CHECK: load i32
; CHECK: phi i32
; CHECK: load i32
; CHECK: smax
; CHECK: load i32
; CHECK: smax
; CHECK: br i1

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @largest(ptr %values, ptr %result) {
  br label %iteration
iteration:
  %i = phi i32 [ 1, %0 ], [ %next, %iteration ]
  %best = phi i32 [ 0, %0 ], [ %best1, %iteration ]
  %wide = zext nneg i32 %i to i64
  %at = getelementptr inbounds float, ptr %values, i64 %wide
  %here = load float, ptr %at
  %widebest = zext nneg i32 %best to i64
  %atbest = getelementptr inbounds float, ptr %values, i64 %widebest
  %most = load float, ptr %atbest
  %more = fcmp ogt float %here, %most
  %next = add nuw nsw i32 %i, 1
  %best1 = select i1 %more, i32 %i, i32 %best
  %done = icmp eq i32 %next, 100
  br i1 %done, label %end, label %iteration
end:
  store i32 %best1, ptr %result
  ret void
}
define ptx_kernel void @unrolled(ptr %values, ptr %result) {
  br label %iteration
iteration:
  %i = phi i32 [ 1, %0 ], [ %next, %iteration ]
  %best = phi i32 [ 0, %0 ], [ %best2, %iteration ]
  %wide = zext nneg i32 %i to i64
  %at = getelementptr inbounds i32, ptr %values, i64 %wide
  %here = load i32, ptr %at
  %widebest = zext nneg i32 %best to i64
  %atbest = getelementptr inbounds i32, ptr %values, i64 %widebest
  %most = load i32, ptr %atbest
  %more = icmp sgt i32 %here, %most
  %best1 = select i1 %more, i32 %i, i32 %best
  %i1 = add nuw nsw i32 %i, 1
  %wide1 = zext nneg i32 %i1 to i64
  %at1 = getelementptr inbounds i32, ptr %values, i64 %wide1
  %here1 = load i32, ptr %at1
  %widebest1 = zext nneg i32 %best1 to i64
  %atbest1 = getelementptr inbounds i32, ptr %values, i64 %widebest1
  %most1 = load i32, ptr %atbest1
  %more1 = icmp sgt i32 %here1, %most1
  %best2 = select i1 %more1, i32 %i1, i32 %best1
  %next = add nuw nsw i32 %i, 2
  %done = icmp eq i32 %next, 101
  br i1 %done, label %end, label %iteration
end:
  store i32 %best2, ptr %result
  ret void
}
define ptx_kernel void @written(ptr %values, ptr %result) {
  br label %iteration
iteration:
  %i = phi i32 [ 1, %0 ], [ %next, %iteration ]
  %best = phi i32 [ 0, %0 ], [ %best1, %iteration ]
  %wide = zext nneg i32 %i to i64
  %at = getelementptr inbounds double, ptr %values, i64 %wide
  %here = load double, ptr %at
  %widebest = zext nneg i32 %best to i64
  %atbest = getelementptr inbounds double, ptr %values, i64 %widebest
  %most = load double, ptr %atbest
  %more = fcmp ogt double %here, %most
  store double %here, ptr %result
  %next = add nuw nsw i32 %i, 1
  %best1 = select i1 %more, i32 %i, i32 %best
  %done = icmp eq i32 %next, 100
  br i1 %done, label %end, label %iteration
end:
  store i32 %best1, ptr %result
  ret void
}
define ptx_kernel void @other(ptr %values, ptr %result) {
  br label %iteration
iteration:
  %i = phi i32 [ 1, %0 ], [ %next, %iteration ]
  %best = phi i32 [ 0, %0 ], [ %best1, %iteration ]
  %wide = zext nneg i32 %i to i64
  %at = getelementptr inbounds half, ptr %values, i64 %wide
  %here = load half, ptr %at
  %widebest = zext nneg i32 %best to i64
  %atbest = getelementptr inbounds half, ptr %values, i64 %widebest
  %most = load half, ptr %atbest
  %more = fcmp ogt half %here, %most
  %next = add nuw nsw i32 %i, 1
  %best1 = select i1 %more, i32 %next, i32 %best
  %done = icmp eq i32 %next, 100
  br i1 %done, label %end, label %iteration
end:
  store i32 %best1, ptr %result
  ret void
}
