; An access lane by lane may store what another one has loaded.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v2 --verify-each --emit-llvm %s 2>&1 \
; RUN:   | FileCheck %s
; CHECK-LABEL: define {{.*}}void @vgpu.warp.chain(
; CHECK: call void @vgpu.lanes.gather.32.i32(
; CHECK: %[[LOADED:.*]] = load <32 x i32>, ptr %[[SLOT:[0-9]+]]
; CHECK: store <32 x i32> %[[LOADED]], ptr %[[SLOT]]
; CHECK: call void @vgpu.lanes.scatter.32.i32(
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @chain(ptr %in, ptr noalias %out, ptr noalias %indices) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %index0 = getelementptr i64, ptr %indices, i64 0
  %base0 = load i64, ptr %index0
  %k0 = mul i64 %base0, %i
  %index1 = getelementptr i64, ptr %indices, i64 1
  %base1 = load i64, ptr %index1
  %k1 = mul i64 %base1, %i
  %index2 = getelementptr i64, ptr %indices, i64 2
  %base2 = load i64, ptr %index2
  %k2 = mul i64 %base2, %i
  %index3 = getelementptr i64, ptr %indices, i64 3
  %base3 = load i64, ptr %index3
  %k3 = mul i64 %base3, %i
  %index4 = getelementptr i64, ptr %indices, i64 4
  %base4 = load i64, ptr %index4
  %k4 = mul i64 %base4, %i
  %index5 = getelementptr i64, ptr %indices, i64 5
  %base5 = load i64, ptr %index5
  %k5 = mul i64 %base5, %i
  %index6 = getelementptr i64, ptr %indices, i64 6
  %base6 = load i64, ptr %index6
  %k6 = mul i64 %base6, %i
  %index7 = getelementptr i64, ptr %indices, i64 7
  %base7 = load i64, ptr %index7
  %k7 = mul i64 %base7, %i
  %index8 = getelementptr i64, ptr %indices, i64 8
  %base8 = load i64, ptr %index8
  %k8 = mul i64 %base8, %i
  %from0 = getelementptr i32, ptr %in, i64 %k0
  %v0 = load i32, ptr %from0
  %to0 = getelementptr i32, ptr %out, i64 %k0
  store i32 %v0, ptr %to0
  %from1 = getelementptr i32, ptr %in, i64 %k1
  %v1 = load i32, ptr %from1
  %to1 = getelementptr i32, ptr %out, i64 %k1
  store i32 %v1, ptr %to1
  %from2 = getelementptr i32, ptr %in, i64 %k2
  %v2 = load i32, ptr %from2
  %to2 = getelementptr i32, ptr %out, i64 %k2
  store i32 %v2, ptr %to2
  %from3 = getelementptr i32, ptr %in, i64 %k3
  %v3 = load i32, ptr %from3
  %to3 = getelementptr i32, ptr %out, i64 %k3
  store i32 %v3, ptr %to3
  %from4 = getelementptr i32, ptr %in, i64 %k4
  %v4 = load i32, ptr %from4
  %to4 = getelementptr i32, ptr %out, i64 %k4
  store i32 %v4, ptr %to4
  %from5 = getelementptr i32, ptr %in, i64 %k5
  %v5 = load i32, ptr %from5
  %to5 = getelementptr i32, ptr %out, i64 %k5
  store i32 %v5, ptr %to5
  %from6 = getelementptr i32, ptr %in, i64 %k6
  %v6 = load i32, ptr %from6
  %to6 = getelementptr i32, ptr %out, i64 %k6
  store i32 %v6, ptr %to6
  %from7 = getelementptr i32, ptr %in, i64 %k7
  %v7 = load i32, ptr %from7
  %to7 = getelementptr i32, ptr %out, i64 %k7
  store i32 %v7, ptr %to7
  %from8 = getelementptr i32, ptr %in, i64 %k8
  %v8 = load i32, ptr %from8
  %to8 = getelementptr i32, ptr %out, i64 %k8
  store i32 %v8, ptr %to8
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
