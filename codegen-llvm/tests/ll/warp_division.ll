; Integers are divided as floating-point numbers where these are exact, else lane by lane, which also finds a divisor
; of 0. A constant divisor of 32 bits is left to LLVM.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.narrow
; CHECK-DAG: icmp eq <32 x i32> %{{.*}}, zeroinitializer
; CHECK-DAG: sext <32 x i32> %{{.*}} to <32 x i64>
; CHECK-DAG: fdiv <32 x double>
; CHECK-DAG: call <32 x double> @llvm.trunc.v32f64
; CHECK-DAG: sdiv i32
; CHECK: define hidden void @vgpu.warp.wide
; CHECK-DAG: icmp ugt <32 x i64> %{{.*}}, splat (i64 2251799813685247)
; CHECK-DAG: fdiv <32 x double>
; CHECK-DAG: urem i64
; One divisor for all lanes is one comparison.
; CHECK: define hidden void @vgpu.warp.one_divisor
; CHECK: icmp eq i32 %{{.*}}, 0
; CHECK: fdiv <32 x double>
; CHECK: define hidden void @vgpu.warp.constant
; CHECK-NOT: fdiv
; CHECK: udiv <32 x i32> %{{.*}}, splat (i32 7)
; CHECK-NOT: fdiv
; CHECK: ret void
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @narrow(ptr %x, ptr %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %from = getelementptr i32, ptr %x, i64 %i
  %by = getelementptr i32, ptr %y, i64 %i
  %left = load i32, ptr %from
  %right = load i32, ptr %by
  %q = sdiv i32 %left, %right
  store i32 %q, ptr %from
  ret void
}
define ptx_kernel void @wide(ptr %x, ptr %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %from = getelementptr i64, ptr %x, i64 %i
  %by = getelementptr i64, ptr %y, i64 %i
  %left = load i64, ptr %from
  %right = load i64, ptr %by
  %r = urem i64 %left, %right
  store i64 %r, ptr %from
  ret void
}
define ptx_kernel void @one_divisor(ptr %x, i32 %by) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %from = getelementptr i32, ptr %x, i64 %i
  %left = load i32, ptr %from
  %q = udiv i32 %left, %by
  store i32 %q, ptr %from
  ret void
}
define ptx_kernel void @constant(ptr %x) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %from = getelementptr i32, ptr %x, i64 %i
  %left = load i32, ptr %from
  %q = udiv i32 %left, 7
  store i32 %q, ptr %from
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
