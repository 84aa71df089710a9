; Conversions to integers are saturated in vectors, too: x86 has no instruction that does, LLVM converts one by one.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: define {{.*}} @vgpu.warp.kernel(
; CHECK: fcmp ogt <32 x float> %[[X:.*]], splat (float 0xC1E0000000000000)
; CHECK: fptosi <32 x float> {{.*}} to <32 x i32>
; CHECK: fcmp oge <32 x float> %[[X]], splat (float 0x41E0000000000000)
; CHECK: select <32 x i1> {{.*}}, <32 x i32> splat (i32 2147483647)
; CHECK: fcmp uno <32 x float> %[[X]], {{.*}}
; CHECK-NOT: call {{.*}} @llvm.fptosi.sat
; CHECK: define

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @kernel(ptr %in, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr float, ptr %in, i32 %tid
  %to = getelementptr i32, ptr %out, i32 %tid
  %x = load float, ptr %from
  %r = fptosi float %x to i32
  store i32 %r, ptr %to
  ret void
}
