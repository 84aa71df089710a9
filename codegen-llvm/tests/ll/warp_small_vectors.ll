; Registers of two halves: casts of integers to small vectors and back have a warp form, through scalars. Any CPU rounds
; to them with integers.
; RUN: omptarget-codegen vgpu --warp-forms --cpu x86-64-v3 --no-window-check %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"pairs"
; MANIFEST-SAME: "warp":{"Present"
; MANIFEST-SAME: "name":"sums"
; MANIFEST-SAME: "warp":{"Present"
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: define hidden void @vgpu.warp.pairs
; IR: fmul <32 x double>
; IR: fmul <32 x double>
; Sums and the like of their elements are those of scalars.
; IR: define hidden void @vgpu.warp.sums
; IR-NOT: vector.reduce
; IR: add <32 x i16>
; IR: @llvm.smax.v32i16
; IR: fadd nnan <32 x float>
; IR: @llvm.maxnum.v32f32
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

define ptx_kernel void @sums(ptr %x) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr <2 x i16>, ptr %x, i32 %tid
  %pair = load <2 x i16>, ptr %place
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %sum = call i16 @llvm.vector.reduce.add.v2i16(<2 x i16> %pair)
  %largest = call i16 @llvm.vector.reduce.smax.v2i16(<2 x i16> %pair)
  %difference = xor i16 %sum, %largest
  %floats = sitofp <2 x i16> %pair to <2 x float>
  %start = sitofp i16 %difference to float
  %float = call nnan float @llvm.vector.reduce.fadd.v2f32(float %start, <2 x float> %floats)
  %most = call float @llvm.vector.reduce.fmax.v2f32(<2 x float> %floats)
  %both = fmul float %float, %most
  %bits = bitcast float %both to i32
  store i32 %bits, ptr %place
  ret void
}
declare i16 @llvm.vector.reduce.add.v2i16(<2 x i16>)
declare i16 @llvm.vector.reduce.smax.v2i16(<2 x i16>)
declare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)
declare float @llvm.vector.reduce.fmax.v2f32(<2 x float>)
