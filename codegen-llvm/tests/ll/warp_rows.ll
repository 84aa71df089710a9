; A consecutive number is divided: the first active lane divides for all lanes of its row. Where one row holds the whole
; subgroup, and row by row where it ends within, the quotient is uniform and accesses are at unit stride, without tests.
; Where rows are very short, the lanes divide as floating-point numbers, and an index that varies is tested.
; RUN: omptarget-codegen vgpu --warp-forms --print-after optimise --no-window-check %s -o /dev/null 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='@vgpu.row' --implicit-check-not='@vgpu.warp.first' \
; RUN:   --implicit-check-not='@vgpu.warp.lanes' --implicit-check-not='@vgpu.warp.same'
; CHECK-LABEL: define hidden void @vgpu.warp.collapsed
; CHECK-NOT: fdiv
; CHECK: udiv i64
; CHECK: call <32 x float> @llvm.masked.load.v32f32
; CHECK: br i1 %{{.*}}, label %[[#]], label %[[#]]
; CHECK-DAG: fdiv <32 x double>
; CHECK-DAG: call void @llvm.masked.scatter.v32f32
; A barrier in the body must stay one barrier: no versions, all lanes divide.
; CHECK-LABEL: define hidden void @vgpu.warp.meets
; CHECK-NOT: udiv i64
; CHECK: call void @vgpu_warp_barrier
; CHECK-NOT: udiv i64
; What counts up in steps of its own is in no row.
; CHECK-LABEL: define hidden void @vgpu.warp.steps
; CHECK-NOT: udiv i64 %
; CHECK: fdiv <32 x double>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @collapsed(ptr %in, ptr %out, i64 %columns, i32 %pitch, i64 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext i32 %tid to i64
  br label %loop
loop:
  %x = phi i64 [ %start, %entry ], [ %next, %loop ]
  %row = sdiv i64 %x, %columns
  %begin = mul i64 %row, %columns
  %column = sub i64 %x, %begin
  %i = trunc i64 %row to i32
  %j = trunc i64 %column to i32
  %place = mul i32 %i, %pitch
  %at = add i32 %place, %j
  %index = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %index
  %value = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %index
  store float %value, ptr %to
  %next = add i64 %x, 128
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @meets(ptr %out, i64 %columns, i64 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = zext i32 %tid to i64
  br label %loop
loop:
  %first = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = add i64 %first, %start
  %row = sdiv i64 %x, %columns
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %to = getelementptr i64, ptr %out, i64 %row
  store i64 %x, ptr %to
  %next = add i64 %first, 128
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @steps(ptr %out, i64 %columns) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %x = mul i64 %wide, 3
  %row = udiv i64 %x, %columns
  %to = getelementptr i64, ptr %out, i64 %wide
  store i64 %row, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
