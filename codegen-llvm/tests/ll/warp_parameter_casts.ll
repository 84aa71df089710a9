; Lanes that come on different paths convert one parameter: its value is the same for all, and the row needs no gather.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v3 --emit-llvm %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.row
; CHECK-NOT: masked.gather
; CHECK: load <32 x float>
; CHECK-NOT: masked.gather

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @row(ptr %in, ptr %out, i64 %first) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is_first = icmp eq i32 %tid, 0
  br i1 %is_first, label %note, label %all
note:
  %noted = trunc i64 %first to i32
  %place = getelementptr i32, ptr %out, i64 1024
  store i32 %noted, ptr %place
  br label %all
all:
  %begin = trunc i64 %first to i32
  %at = add nsw i32 %begin, %tid
  %wide = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %value = load float, ptr %from
  %to = getelementptr float, ptr %out, i32 %tid
  store float %value, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
