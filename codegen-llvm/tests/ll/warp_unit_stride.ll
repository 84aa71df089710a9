; Consecutive elements are loaded and stored as vectors; one address for all lanes is one load.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 %s 2>&1 | FileCheck %s --check-prefix=IR \
; RUN:   --implicit-check-not='masked.gather' --implicit-check-not='masked.scatter' \
; RUN:   --implicit-check-not='llvm.prefetch'
; IR: define hidden void @vgpu.warp.scale(ptr %0, ptr {{.*}} %1, i64 %2)
; IR: load float, ptr
; IR: load <32 x float>
; IR: fmul <32 x float>
; IR: store <32 x float>
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s --check-prefix=WARP
; WARP: "warp":{"Present":{"symbol":"vgpu.warp.scale","width":32,"fiber":false,"workers":false,"partial":false,"max_threads":1024,"loops":true}},"threads":"vgpu.threads.scale"
; RUN: omptarget-codegen vgpu %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "warp":{"Absent":"no warp form was asked for"}
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @scale(ptr %y, ptr %factor) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %f = load float, ptr %factor
  %p = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %w = fmul float %v, %f
  store float %w, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
