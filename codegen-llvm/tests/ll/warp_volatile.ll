; Volatile accesses of all lanes are vector instructions between fences for the compiler. No load is dropped. Atomic ones
; are done lane by lane.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.exchange
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK: store <32 x i32>
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK: load <32 x i32>
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK: load <32 x i32>
; CHECK: define hidden void @vgpu.warp.relaxed
; CHECK: load atomic i32
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] poison, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

define ptx_kernel void @exchange(ptr %out) "nvvm.maxntid"="32" "nvvm.reqntid"="32" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(3) @s, i32 %tid
  %theirs = getelementptr i8, ptr addrspace(3) %mine, i32 64
  store volatile i32 %tid, ptr addrspace(3) %mine, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load volatile i32, ptr addrspace(3) %theirs, align 4
  %b = load volatile i32, ptr addrspace(3) %theirs, align 4
  %sum = add i32 %a, %b
  %place = getelementptr i32, ptr %out, i32 %tid
  store i32 %sum, ptr %place, align 4
  ret void
}
define ptx_kernel void @relaxed(ptr %x) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %x, i32 %tid
  %a = load atomic i32, ptr %place monotonic, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %b = add i32 %a, 1
  store i32 %b, ptr %place, align 4
  ret void
}
