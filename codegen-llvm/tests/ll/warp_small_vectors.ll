; Registers of two halves: casts of integers to small vectors and back have a warp form, through scalars.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"pairs"
; MANIFEST-SAME: "warp":{"Present"
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: define hidden void @vgpu.warp.pairs
; IR: call <32 x bfloat> @llvm.fma.v32bf16
; IR: call <32 x bfloat> @llvm.fma.v32bf16
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat>, <2 x bfloat>, <2 x bfloat>)

define ptx_kernel void @pairs(ptr %x) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %x, i32 %tid
  %bits = load i32, ptr %place
  %pair = bitcast i32 %bits to <2 x bfloat>
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %square = call <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat> %pair, <2 x bfloat> %pair, <2 x bfloat> %pair)
  %result = bitcast <2 x bfloat> %square to i32
  %odd = xor i32 %result, 7
  store i32 %odd, ptr %place
  ret void
}
