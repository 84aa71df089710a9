; A lane computes the address of its own element from an index as narrow as the program has it. Lanes fetch eight
; indices, then do eight operations: a load behind a store to an address that the CPU does not know yet may wait for it.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --emit-llvm %s 2>&1 | FileCheck %s
; CHECK-LABEL: define hidden void @vgpu.warp.histogram
; CHECK-NOT: x ptr>
; CHECK-NOT: <32 x i64>
; CHECK: icmp eq <32 x i16>
; CHECK-COUNT-8: load volatile i16
; CHECK-NOT: {{extractelement|load volatile i16}}
; CHECK-COUNT-8: atomicrmw add
; CHECK-COUNT-8: load volatile i16
; CHECK-NOT: {{extractelement|load volatile i16}}
; CHECK-COUNT-8: atomicrmw add

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @histogram(ptr %pixels, ptr %bins) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tid64 = zext i32 %tid to i64
  %from = getelementptr i16, ptr %pixels, i64 %tid64
  %pixel = load i16, ptr %from
  %bin = zext i16 %pixel to i64
  %to = getelementptr i32, ptr %bins, i64 %bin
  %1 = atomicrmw add ptr %to, i32 1 monotonic
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
