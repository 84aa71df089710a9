; A form that never waits has a loop over the subgroups of a block, and one over blocks around it. What is the same for
; all of them is outside.
; RUN: omptarget-codegen vgpu --warp-forms --cpu x86-64-v3 --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; RUN: omptarget-codegen vgpu --warp-forms --cpu x86-64-v3 --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=WINDOW
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; RUN: omptarget-codegen vgpu --warp-forms -O1 --no-window-check %s 2>&1 | FileCheck %s --check-prefix=O1
target triple = "nvptx64-nvidia-cuda"

; The numbers of the subgroup go to the engine, and to the context only where somebody reads it.
; CHECK-LABEL: define hidden void @vgpu.warp.doubled(
; CHECK: %[[FACTOR:.*]] = load float
; CHECK: shufflevector <32 x float>
; CHECK: br label
; CHECK: %[[BLOCK:.*]] = phi i32
; CHECK: store i32 %[[BLOCK]]
; CHECK: %[[FIRST:.*]] = phi i32
; CHECK: store i16
; CHECK: store i16
; CHECK-NOT: store i32
; CHECK: load <32 x float>
; CHECK: store <32 x float>
; CHECK: add i32 %[[FIRST]], 32
; CHECK: load volatile i8
; CHECK: br i1
; CHECK: add i32 %[[BLOCK]], 1
; CHECK: br i1
; CHECK: ret void
; CHECK: }
; Where an access fails, and only there, the thread's index is computed for the message.
; WINDOW-LABEL: define hidden void @vgpu.warp.doubled(
; WINDOW: urem i32
; WINDOW: store i32
; MANIFEST: "loops":true
; O1-NOT: "loops"
define ptx_kernel void @doubled(ptr %from, ptr %to, float %factor) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = zext i32 %tid to i64
  %source = getelementptr float, ptr %from, i64 %at
  %value = load float, ptr %source
  %product = fmul float %value, %factor
  %place = getelementptr float, ptr %to, i64 %at
  store float %product, ptr %place
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
attributes #0 = { "nvvm.maxntid"="128" }
