; Neighbours of an element share its stride test: that of the index, not of each address.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='ptrtoint <32 x ptr>'
; CHECK: define hidden void @vgpu.warp.three
; CHECK: load <32 x float>
; CHECK: load <32 x float>
; CHECK: load <32 x float>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @three(ptr %out, ptr %in, ptr %index) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i64, ptr %index, i64 %i
  %j = load i64, ptr %at
  %from = getelementptr float, ptr %in, i64 %j
  %left = getelementptr i8, ptr %from, i64 -4
  %right = getelementptr i8, ptr %from, i64 4
  %a = load float, ptr %left
  %b = load float, ptr %from
  %c = load float, ptr %right
  %ab = fadd float %a, %b
  %abc = fadd float %ab, %c
  %to = getelementptr float, ptr %out, i64 %i
  store float %abc, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
