; A loop's body keeps the declaration of a noalias scope, so that unrolled copies of the body get a scope each. Without
; it, accesses of two iterations would be taken for accesses that never overlap.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.scoped
; CHECK: call void @llvm.experimental.noalias.scope.decl
; CHECK: }
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @scoped(ptr %out, ptr %in, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %iteration
iteration:
  %n = phi i32 [ 0, %entry ], [ %more, %iteration ]
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  %index = zext i32 %n to i64
  %at = getelementptr float, ptr %in, i64 %index
  %v = load float, ptr %at, !alias.scope !0
  %scaled = fmul float %v, 2.0
  %to = getelementptr float, ptr %out, i64 %index
  store float %scaled, ptr %to, !noalias !0
  %more = add i32 %n, 1
  %again = icmp slt i32 %more, %count
  br i1 %again, label %iteration, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.experimental.noalias.scope.decl(metadata)
!0 = !{!1}
!1 = distinct !{!1, !2, !"scoped: in"}
!2 = distinct !{!2, !"scoped"}
