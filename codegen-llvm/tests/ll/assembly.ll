; Inline PTX of one common instruction; empty assembly.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: getelementptr i8, ptr %{{.*}}, i64 48
; CHECK: fence seq_cst
; CHECK: call void @vgpu_barrier(ptr{{.*}}, i32 1, i32 1, i32 64)
; CHECK: call i64 @vgpu_globaltimer(
; CHECK: asm sideeffect "", "=x,0,~{memory}"(float
; CHECK: asm sideeffect "", "~{memory}"()

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, float %f) {
  %lane = call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"()
  store volatile i32 %lane, ptr %p
  call void asm sideeffect "membar.gl;", "~{memory}"()
  call void asm sideeffect "bar.sync 1, $0;", "r"(i32 64)
  %t = call i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"()
  store volatile i64 %t, ptr %p
  %g = call float asm sideeffect "", "=f,0,~{memory}"(float %f)
  store volatile float %g, ptr %p
  call void asm sideeffect "", "~{memory}"()
  ret void
}
