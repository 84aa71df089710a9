; A loop that lanes leave one by one continues until none is left; one with the same bound for all stays a plain loop.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.divergent
; CHECK: icmp slt <32 x i32>
; CHECK: bitcast <32 x i1> {{.*}} to i32
; CHECK: phi <32 x i1>
; CHECK: icmp slt <32 x i32>
; CHECK: bitcast <32 x i1> {{.*}} to i32
; CHECK: store <32 x i32>
; CHECK: define hidden void @vgpu.warp.together
; CHECK: phi <32 x float>
; CHECK: load float, ptr
; CHECK: store <32 x float>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @divergent(ptr %out, ptr %limits) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %limits, i64 %i
  %limit = load i32, ptr %at
  br label %iteration
iteration:
  %n = phi i32 [ 1, %entry ], [ %more, %iteration ]
  %twice = shl i32 %n, 1
  %more = add i32 %twice, %tid
  %again = icmp slt i32 %more, %limit
  br i1 %again, label %iteration, label %end
end:
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %more, ptr %to
  ret void
}
define ptx_kernel void @together(ptr %out, ptr %in, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %start = uitofp i32 %tid to float
  br label %iteration
iteration:
  %n = phi i32 [ 0, %entry ], [ %more, %iteration ]
  %sum = phi float [ %start, %entry ], [ %next, %iteration ]
  %index = zext i32 %n to i64
  %at = getelementptr float, ptr %in, i64 %index
  %v = load float, ptr %at
  %product = fmul float %v, %sum
  %next = fadd float %product, 1.0
  %more = add i32 %n, 1
  %again = icmp slt i32 %more, %count
  br i1 %again, label %iteration, label %end
end:
  %to = getelementptr float, ptr %out, i64 %i
  store float %next, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
