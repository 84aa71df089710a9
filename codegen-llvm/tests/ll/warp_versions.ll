; A block that not all lanes may run has a version for all lanes, whose loads and stores have no mask, and a masked one.
; Two lanes answer for all where a counter is compared with a bound.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.scale(
; CHECK-NOT: icmp {{.*}} <32 x
; CHECK: add {{.*}} 31
; CHECK: load <32 x float>
; CHECK: store <32 x float>
; CHECK: icmp {{.*}} <32 x i32>
; CHECK: @llvm.masked.load.v32f32
; CHECK: @llvm.masked.store.v32f32
;
; A comparison of another block is asked of all lanes.
; CHECK: define hidden void @vgpu.warp.elsewhere(
; CHECK: store <32 x float>
;
; After a branch that divides them, lanes that meet go on in the version for all.
; CHECK: define hidden void @vgpu.warp.meet(
; CHECK: load <32 x float>
; CHECK: store <32 x float>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @scale(ptr %y, i32 %n, i32 %step) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ %tid, %entry ], [ %next, %body ]
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %wide = zext nneg i32 %i to i64
  %p = getelementptr float, ptr %y, i64 %wide
  %v = load float, ptr %p
  %w = fmul float %v, 2.0
  store float %w, ptr %p
  %next = add nsw i32 %i, %step
  br label %head
end:
  ret void
}
define ptx_kernel void @elsewhere(ptr %y, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %p = getelementptr float, ptr %y, i64 %i
  %moved = add i32 %tid, %n
  %inside = icmp slt i32 %moved, %m
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop.end ]
  %next = add i32 %k, 1
  br i1 %inside, label %body, label %loop.end
body:
  %v = load volatile float, ptr %p
  %w = fmul float %v, 2.0
  store float %w, ptr %p
  br label %loop.end
loop.end:
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @meet(ptr %y, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %p = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %negative = fcmp olt float %v, 0.0
  br i1 %negative, label %change, label %after
change:
  %w = fdiv float 1.0, %v
  br label %after
after:
  %x = phi float [ %v, %entry ], [ %w, %change ]
  store float %x, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
