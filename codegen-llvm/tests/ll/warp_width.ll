; A subgroup is part of a row of the block: kernels that use several dimensions have subgroups that fit into short rows.
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s
; CHECK: "warp":{"Present":{"symbol":"vgpu.warp.plane","width":16,"fiber":false,"workers":false,"partial":false,"max_threads":1024,"loops":true}},"threads":"vgpu.threads.plane"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @plane(ptr %y) {
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %before = shl i32 %row, 4
  %number = add i32 %before, %column
  %i = zext i32 %number to i64
  %p = getelementptr i32, ptr %y, i64 %i
  store i32 %row, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
