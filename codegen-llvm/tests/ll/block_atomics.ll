; A relaxed atomic operation on the block's shared memory, whose old value nobody uses, becomes a load and a store in
; both forms: the block's threads share one CPU thread. An operation stays if its old value is used, if it orders
; memory, or if it is on other memory.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --emit-llvm %s 2>&1 | FileCheck %s
; CHECK: define internal{{.*}}void @count(
; CHECK: load i32
; CHECK: add
; CHECK: store i32
; CHECK: ret void
; CHECK: define internal{{.*}}void @take(
; CHECK: atomicrmw add
; CHECK: ret void
; CHECK: define internal{{.*}}void @order(
; CHECK: atomicrmw add ptr{{.*}}seq_cst
; CHECK: ret void
; CHECK: define hidden void @vgpu.warp.count(
; CHECK: load i32, ptr addrspace(3)
; CHECK: add i32
; CHECK: store i32
; CHECK: define hidden void @vgpu.warp.take(
; CHECK: atomicrmw add
; CHECK: define internal{{.*}}void @elsewhere(
; CHECK: atomicrmw add ptr{{.*}}monotonic
; CHECK: ret void
target triple = "nvptx64-nvidia-cuda"

@bins = internal addrspace(3) global [64 x i32] undef
@other = addrspace(1) global [64 x i32] zeroinitializer

define ptx_kernel void @count(ptr %in) {
  %at = call ptr addrspace(3) @bin(ptr %in)
  %old = atomicrmw add ptr addrspace(3) %at, i32 1 monotonic
  ret void
}
define ptx_kernel void @take(ptr %in, ptr %out) {
  %at = call ptr addrspace(3) @bin(ptr %in)
  %old = atomicrmw add ptr addrspace(3) %at, i32 1 monotonic
  store i32 %old, ptr %out
  ret void
}
define ptx_kernel void @order(ptr %in) {
  %at = call ptr addrspace(3) @bin(ptr %in)
  %old = atomicrmw add ptr addrspace(3) %at, i32 1 seq_cst
  ret void
}
define ptx_kernel void @elsewhere(ptr %in) {
  %which = load i32, ptr %in
  %i = sext i32 %which to i64
  %at = getelementptr i32, ptr addrspace(1) @other, i64 %i
  %old = atomicrmw add ptr addrspace(1) %at, i32 1 monotonic
  ret void
}
define internal ptr addrspace(3) @bin(ptr %in) alwaysinline {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = sext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %t
  %which = load i32, ptr %from
  %i = sext i32 %which to i64
  %at = getelementptr i32, ptr addrspace(3) @bins, i64 %i
  ret ptr addrspace(3) %at
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
