; Whether 64-bit values that count up over the lanes are below a bound is asked in bytes on CPUs without AVX-512: how many
; lanes are below it, and how many after the values have wrapped.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='icmp ult <32 x i64>'
; CHECK: define hidden void @vgpu.warp.bounded
; CHECK: icmp {{.*}} <32 x i8>
; CHECK: icmp {{.*}} <32 x i8>
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v4 %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=MASKS --implicit-check-not='icmp {{[a-z]*}} <32 x i8>'
; MASKS: define hidden void @vgpu.warp.bounded
; MASKS: icmp {{[a-z]*}} <32 x i64>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @bounded(ptr %out, i64 %first, i64 %bound) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %n = add i64 %first, %i
  %below = icmp ult i64 %n, %bound
  %value = select i1 %below, i32 1, i32 2
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %value, ptr %to
  ret void
}
