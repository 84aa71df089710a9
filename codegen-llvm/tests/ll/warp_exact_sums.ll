; Rows whose number comes from memory, and a loop along each: the index counts up from 0, so that a sum with any number
; does not wrap within the lanes, and the elements are consecutive.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v3 --emit-llvm %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.rows
; CHECK-NOT: masked.gather
; CHECK: ret void

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @rows(ptr %number, ptr %in, ptr %out, i32 %length) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %which = getelementptr i32, ptr %number, i32 %block
  %row = load i32, ptr %which
  %begin = mul nsw i32 %row, %length
  br label %loop
loop:
  %column = phi i32 [ %tid, %0 ], [ %next, %loop ]
  %at = add nsw i32 %begin, %column
  %wide = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %value = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %wide
  store float %value, ptr %to
  %next = add nuw nsw i32 %column, 256
  %more = icmp slt i32 %next, %length
  br i1 %more, label %loop, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
