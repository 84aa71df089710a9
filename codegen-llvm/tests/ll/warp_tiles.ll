; In blocks of whole warps, tiles of 16 columns lie in runs of 16 elements: loads and stores of vectors with 16 elements,
; and one element for 16 lanes. The number of threads of the block is a multiple of the warp, so a loop that counts on by
; it keeps that.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 %s 2>&1 | FileCheck %s --check-prefix=IR
; IR-LABEL: define hidden void @vgpu.warp.tile(
; IR-NOT: masked
; The row's element, one for each half of the warp.
; IR: load float, ptr
; IR: load float, ptr
; The columns, the same for both halves.
; IR: load <16 x float>
; IR: fmul <32 x float>
; IR: store <16 x float>
; IR: store <16 x float>
; IR-NOT: masked
; IR: call void @vgpu_warp_barrier
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 %s 2>&1 | FileCheck %s --check-prefix=INDEX
; A 32-bit index may wrap before it is extended: a scalar question, then runs, else a gather.
; INDEX-LABEL: define hidden void @vgpu.warp.narrow(
; INDEX: icmp
; INDEX: load <16 x float>
; INDEX: load <16 x float>
; INDEX: gather
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 %s 2>&1 | FileCheck %s --check-prefix=ANY
; Without a bound the last warp may lack threads. Its version has a mask for each run.
; ANY-LABEL: define hidden void @vgpu.warp.unbounded(
; ANY: store <16 x float>
; ANY: masked.store.v16f32
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s --check-prefix=WARP
; WARP: "warp":{"Present":{"symbol":"vgpu.warp.tile","width":32,"fiber":true,"workers":false,"partial":false,"max_threads":256,"regions":[[#]]}}
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @tile(ptr %in, ptr %out) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %loop
loop:
  %i = phi i32 [ %tid, %0 ], [ %next, %loop ]
  %row = lshr i32 %i, 4
  %column = and i32 %i, 15
  %row64 = zext i32 %row to i64
  %column64 = zext i32 %column to i64
  %left = getelementptr float, ptr %in, i64 %row64
  %a = load float, ptr %left
  %right = getelementptr float, ptr %in, i64 %column64
  %b = load float, ptr %right
  %product = fmul float %a, %b
  %pitch = mul i64 %row64, 20
  %at = add i64 %pitch, %column64
  %p = getelementptr float, ptr %out, i64 %at
  store float %product, ptr %p
  %next = add nuw nsw i32 %i, %threads
  %more = icmp ult i32 %next, 1024
  br i1 %more, label %loop, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

define ptx_kernel void @narrow(ptr %in, ptr %out, i32 %first) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %tid, 4
  %column = and i32 %tid, 15
  %pitch = mul i32 %row, 20
  %from = add i32 %pitch, %first
  %at = add i32 %from, %column
  %index = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %index
  %v = load float, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %i = zext i32 %tid to i64
  %q = getelementptr float, ptr %out, i64 %i
  store float %v, ptr %q
  ret void
}

define ptx_kernel void @unbounded(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %tid, 4
  %column = and i32 %tid, 15
  %pitch = mul i32 %row, 20
  %at = add i32 %pitch, %column
  %index = zext i32 %at to i64
  %p = getelementptr float, ptr %out, i64 %index
  store float 1.0, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
attributes #0 = { "nvvm.maxntid"="256" }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; How far rows lie apart is known at run time: a test asks whether each is consecutive. Then a row is one access.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MATRIX
; MATRIX-LABEL: define hidden void @vgpu.warp.matrix(
; MATRIX: icmp {{ne|eq}} <32 x i32>
; MATRIX: load <16 x float>
; MATRIX: load <16 x float>
; MATRIX: store <16 x float>
; MATRIX: store <16 x float>
; MATRIX: masked.gather
; MATRIX: masked.scatter
define ptx_kernel void @matrix(ptr %in, ptr %out, i32 %pitch) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = lshr i32 %tid, 4
  %column = and i32 %tid, 15
  %before = mul i32 %row, %pitch
  %at = add i32 %before, %column
  %at64 = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %at64
  %value = load float, ptr %from
  %twice = fmul float %value, 2.0
  %to = getelementptr float, ptr %out, i64 %at64
  store float %twice, ptr %to
  ret void
}
