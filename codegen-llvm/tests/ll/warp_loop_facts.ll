; Loops are written twice: for what nearly always holds, there without questions for each access, and for the rest.
; RUN: omptarget-codegen vgpu --warp-forms --print-after optimise --no-window-check %s -o /dev/null 2>&1 | FileCheck %s
; 32-bit indices that may wrap: where the bounds are small, lanes access consecutive elements.
; CHECK-LABEL: define hidden void @vgpu.warp.counted
; CHECK-DAG: icmp {{.*}}u{{lt|gt}} i64 %{{.*}}, {{536870912|536870911}}
; CHECK-DAG: load <32 x float>
; CHECK-DAG: store <32 x float>
; The stride of a Fortran array, and the same counter: one question for both.
; CHECK-LABEL: define hidden void @vgpu.warp.described
; CHECK-DAG: icmp {{eq|ne}} i64 %{{.*}}, 4
; CHECK-DAG: icmp {{.*}}u{{lt|gt}} i64 %{{.*}}, {{536870912|536870911}}
; CHECK-DAG: load <32 x float>
; CHECK-DAG: store <32 x float>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @counted(ptr %in, ptr %out, i32 %from, i32 %step, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add i32 %from, %tid
  br label %loop
loop:
  %i = phi i32 [ %start, %entry ], [ %next, %loop ]
  %behind = add i32 %i, 1
  %from.index = zext i32 %behind to i64
  %from.at = getelementptr float, ptr %in, i64 %from.index
  %value = load float, ptr %from.at
  %to.index = zext i32 %i to i64
  %to = getelementptr float, ptr %out, i64 %to.index
  store float %value, ptr %to
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @described(ptr %descriptor, ptr %out, i32 %from, i32 %step, i32 %last) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = add i32 %from, %tid
  %inside = icmp ule i32 %start, %last
  br i1 %inside, label %before, label %end
before:
  %array = load ptr, ptr %descriptor
  %field = getelementptr i8, ptr %descriptor, i64 40
  %stride = load i64, ptr %field
  br label %loop
loop:
  %i = phi i32 [ %start, %before ], [ %next, %loop ]
  %number = add i32 %i, 1
  %index = sext i32 %number to i64
  %zero = add nsw i64 %index, -1
  %place = mul nsw i64 %stride, %zero
  %from.at = getelementptr i8, ptr %array, i64 %place
  %value = load float, ptr %from.at
  %to = getelementptr float, ptr %out, i64 %zero
  store float %value, ptr %to
  %left = sub i32 %last, %i
  %next = add i32 %i, %step
  %over = icmp ult i32 %left, %step
  br i1 %over, label %end, label %loop
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
