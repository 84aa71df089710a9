; Consecutive atomic additions, with loads of their operands in between, are one loop over the lanes, in which a lane
; loads and adds its own. All lanes are active: so LLVM unrolls small ones. A load with other users, too, is done for all
; lanes where it is and ends the group: an addition before it may have changed the element. `exchange` has an old value
; that is used.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --emit-llvm %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.rows
; CHECK: @llvm.masked.gather
; CHECK: store <32 x ptr>
; CHECK: phi i64
; CHECK: atomicrmw add ptr
; CHECK: load i32
; CHECK: atomicrmw add ptr
; CHECK: load i32
; CHECK: atomicrmw add ptr
; CHECK: br i1
; CHECK: define hidden void @vgpu.warp.used
; CHECK-COUNT-32: atomicrmw add ptr
; CHECK: @llvm.masked.gather
; CHECK-COUNT-32: atomicrmw add ptr
; CHECK: define hidden void @vgpu.warp.exchange
; CHECK-COUNT-32: atomicrmw add ptr
; CHECK: phi i{{32|64}}
; CHECK: atomicrmw xchg ptr

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @rows(ptr %sums, ptr %values, ptr %labels) {
  %row = call ptr @row(ptr %sums, ptr %labels)
  %from = call ptr @row(ptr %values, ptr %labels)
  %first = load i32, ptr %from
  %1 = atomicrmw add ptr %row, i32 %first monotonic
  %at1 = getelementptr i8, ptr %row, i64 4
  %from1 = getelementptr i8, ptr %from, i64 4
  %second = load i32, ptr %from1
  %2 = atomicrmw add ptr %at1, i32 %second monotonic
  %at2 = getelementptr i8, ptr %row, i64 8
  %from2 = getelementptr i8, ptr %from, i64 8
  %third = load i32, ptr %from2
  %3 = atomicrmw add ptr %at2, i32 %third monotonic
  ret void
}
define ptx_kernel void @used(ptr %sums, ptr %values, ptr %labels) {
  %row = call ptr @row(ptr %sums, ptr %labels)
  %1 = atomicrmw add ptr %row, i32 1 monotonic
  %at1 = getelementptr i8, ptr %row, i64 4
  %second = load i32, ptr %values
  %seen = load i32, ptr %at1
  %more = add i32 %seen, %second
  %2 = atomicrmw add ptr %at1, i32 %more monotonic
  ret void
}
define ptx_kernel void @exchange(ptr %sums, ptr %values, ptr %labels) {
  %row = call ptr @row(ptr %sums, ptr %labels)
  %1 = atomicrmw add ptr %row, i32 1 monotonic
  %at1 = getelementptr i8, ptr %row, i64 4
  %old = atomicrmw xchg ptr %at1, i32 2 monotonic
  %at2 = getelementptr i8, ptr %row, i64 8
  store i32 %old, ptr %at2
  ret void
}

define internal ptr @row(ptr %base, ptr %labels) alwaysinline {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %labels, i32 %tid
  %label = load i32, ptr %at
  %wide = zext i32 %label to i64
  %row = getelementptr [8 x i32], ptr %base, i64 %wide
  ret ptr %row
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
