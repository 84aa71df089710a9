; Side effects happen lane by lane, on behalf of the lane; what all lanes add to one location is reduced first.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='@vgpu_spin'
; CHECK: define hidden void @vgpu.warp.count
; CHECK: @llvm.vector.reduce.add.v32i32
; CHECK: atomicrmw add ptr
; CHECK: define hidden void @vgpu.warp.total
; CHECK: call reassoc float @llvm.vector.reduce.fadd.v32f32(float -0.0{{.*}}, <32 x float>
; CHECK: define hidden void @vgpu.warp.spread
; CHECK-COUNT-32: atomicrmw fadd ptr
; CHECK: define hidden void @vgpu.warp.allocate
; CHECK: call void @vgpu_warp_lane(ptr {{.*}} %0, i32 {{.*}})
; CHECK: call ptr @vgpu_malloc(ptr {{.*}} %0, i64 {{.*}})
; CHECK: define hidden void @vgpu.warp.divide
; CHECK: fdiv <32 x double>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @count(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr %out, i32 %tid monotonic
  ret void
}
define ptx_kernel void @total(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %term = uitofp i32 %tid to float
  %old = atomicrmw fadd ptr %out, float %term monotonic
  ret void
}
define ptx_kernel void @spread(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bin = and i32 %tid, 7
  %i = zext i32 %bin to i64
  %at = getelementptr float, ptr %out, i64 %i
  %old = atomicrmw fadd ptr %at, float 1.0 monotonic
  ret void
}
define ptx_kernel void @allocate(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %block = call ptr @malloc(i64 %i)
  %at = getelementptr ptr, ptr %out, i64 %i
  store ptr %block, ptr %at
  ret void
}
define ptx_kernel void @divide(ptr %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %d = load i32, ptr %at
  %zero = icmp eq i32 %d, 0
  br i1 %zero, label %end, label %some
some:
  %q = sdiv i32 %n, %d
  store i32 %q, ptr %at
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @malloc(i64)
