; Lanes that add to places of their own: if the first lane's place is that of several, one addition for each place, else
; one for each lane. Operations on shared memory and those whose old value is used stay with the lanes.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.counted(
; CHECK: @llvm.ctpop.i32
; CHECK: @llvm.vector.reduce.add.v32i32
; CHECK: define hidden void @vgpu.warp.shared(
; CHECK-NOT: llvm.vector.reduce
; CHECK: define hidden void @vgpu.warp.taken(
; CHECK-NOT: llvm.vector.reduce
; CHECK: {{^}}attributes
target triple = "nvptx64-nvidia-cuda"
@table = internal addrspace(3) global [64 x i32] undef

define ptx_kernel void @counted(ptr %sums, ptr %keys, ptr %values) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %key.at = getelementptr i32, ptr %keys, i32 %tid
  %key = load i32, ptr %key.at
  %value.at = getelementptr i32, ptr %values, i32 %tid
  %value = load i32, ptr %value.at
  %place = getelementptr i32, ptr %sums, i32 %key
  %old = atomicrmw add ptr %place, i32 %value monotonic
  ret void
}

define ptx_kernel void @shared(ptr %keys) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %key.at = getelementptr i32, ptr %keys, i32 %tid
  %key = load i32, ptr %key.at
  %place = getelementptr i32, ptr addrspace(3) @table, i32 %key
  %old = atomicrmw add ptr addrspace(3) %place, i32 1 monotonic
  ret void
}

define ptx_kernel void @taken(ptr %sums, ptr %keys, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %key.at = getelementptr i32, ptr %keys, i32 %tid
  %key = load i32, ptr %key.at
  %place = getelementptr i32, ptr %sums, i32 %key
  %old = atomicrmw add ptr %place, i32 1 monotonic
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %old, ptr %to
  ret void
}
