; A barrier is one call for the warp, also after threads have returned.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 --no-window-check %s 2>&1 | FileCheck %s \
; RUN:   --check-prefix=IR
; IR: define hidden void @vgpu.warp.early_return
; IR: call void @vgpu_warp_barrier(ptr {{.*}} %0, i32 {{.*}}, i32 0, i32 0, i64 {{.*}}, i64 0)
; IR: define hidden void @vgpu.warp.counts
; IR: call i32 @vgpu_warp_barrier_reduce(ptr {{.*}} %0, i32 {{.*}}, i32 0, i32 0, i32 0, i64 {{.*}}, i64 0, i64 {{.*}})
; RUN: omptarget-codegen vgpu --warp-forms -O1 --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "warp":{"Present":{"symbol":"vgpu.warp.early_return","width":32,"fiber":true,
; MANIFEST-SAME: "workers":false,"partial":true,"max_threads":1024}}
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @early_return(ptr %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %outside = icmp sge i32 %tid, %n
  br i1 %outside, label %end, label %inside
inside:
  %i = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %tid, ptr %to
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %first = load i32, ptr %out
  store i32 %first, ptr %to
  br label %end
end:
  ret void
}
define ptx_kernel void @counts(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %tid to i1
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.all(i32 0, i1 %odd)
  %i = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %count, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.all(i32, i1)
