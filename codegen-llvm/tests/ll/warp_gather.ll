; A test at run time decides about what may be at unit stride; what cannot be is gathered.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v4 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.permute
; CHECK: load <32 x i64>
; CHECK: load <32 x float>
; CHECK: @llvm.masked.gather.v32f32
; CHECK: define hidden void @vgpu.warp.column
; CHECK: @llvm.masked.gather.v32f32
; CHECK: define hidden void @vgpu.warp.row
; CHECK: load <32 x float>
; Without AVX-512, elements at fixed distances are loaded one by one.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=SINGLE
; SINGLE: define hidden void @vgpu.warp.column
; SINGLE-NOT: gather
; SINGLE: getelementptr {{.*}} i64 1000
; SINGLE: load float
; SINGLE: insertelement <32 x float> {{.*}} i64 31
; SINGLE: define hidden void @vgpu.warp.row
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @permute(ptr %out, ptr %in, ptr %index) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i64, ptr %index, i64 %i
  %j = load i64, ptr %at
  %from = getelementptr float, ptr %in, i64 %j
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}
define ptx_kernel void @column(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %from = getelementptr [8 x float], ptr %in, i64 %i, i64 2
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}
define ptx_kernel void @row(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %from = getelementptr float, ptr %in, i64 %i
  %next = getelementptr i8, ptr %from, i64 4
  %v = load float, ptr %next
  %to = getelementptr float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
