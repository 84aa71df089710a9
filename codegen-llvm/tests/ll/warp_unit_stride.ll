; Consecutive elements are masked unit-stride accesses; one address for all lanes is one load.
; RUN: vgpu --warp-forms --emit-llvm -O1 %s
; CHECK: define hidden void @vgpu.warp.scale(ptr %0, ptr … %1, i64 %2)
; CHECK: trunc i64 %2 to i32
; CHECK: load float, ptr
; CHECK: @llvm.masked.load.v32f32
; CHECK: fmul <32 x float>
; CHECK: @llvm.masked.store.v32f32
; NOT: masked.gather
; NOT: masked.scatter
; NOT: llvm.prefetch
; RUN: vgpu --warp-forms %s
; CHECK: "warp":{"Present":{"symbol":"vgpu.warp.scale","width":32,"fiber":false,"workers":false,"max_threads":1024}}
; RUN: vgpu %s
; CHECK: "warp":{"Absent":"no warp form was asked for"}
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
