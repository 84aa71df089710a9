; Shuffles, with and without member mask and predicate.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: call i64 @vgpu_shfl(ptr{{.*}}, i32 1, i64 4294967295, i32 0, i32 9, i32 1, i32 31)
; CHECK: call i64 @vgpu_shfl(ptr{{.*}}, i32 2, i64 4294967295, i32 1, i32 9, i32 1, i32 31)
; CHECK: call i64 @vgpu_shfl(ptr{{.*}}, i32 3, i64 4294967295, i32 2, i32 9, i32 1, i32 31)
; CHECK: call i64 @vgpu_shfl(ptr{{.*}}, i32 4, i64 4294967295, i32 3, i32 9, i32 1, i32 31)
; CHECK: call i64 @vgpu_shfl(ptr{{.*}}, i32 5, i64 15, i32 3, i32 1065353216, i32 0, i32 31)
; CHECK: call i64 @vgpu_shfl(ptr{{.*}}, i32 6, i64 4294967295, i32 0, i32 9, i32 1, i32 0)
; CHECK: call i64 @vgpu_activemask(ptr{{.*}}, i32 8)
; CHECK: call i64 @vgpu_shfl(ptr{{.*}}, i32 7, i64 %mask{{.*}}, i32 1, i32 9, i32 1, i32 31)

target triple = "nvptx64-nvidia-cuda"

@out0 = addrspace(1) global i32 zeroinitializer
@out1 = addrspace(1) global i32 zeroinitializer
@out2 = addrspace(1) global i32 zeroinitializer
@out3 = addrspace(1) global i32 zeroinitializer
@out4 = addrspace(1) global float zeroinitializer
@out5 = addrspace(1) global { i32, i1 } zeroinitializer
@out6 = addrspace(1) global i32 zeroinitializer

declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.down.i32(i32, i32, i32)

define ptx_kernel void @k() {
  %r0 = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 9, i32 1, i32 31)
  store volatile i32 %r0, ptr addrspace(1) @out0
  %r1 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 9, i32 1, i32 31)
  store volatile i32 %r1, ptr addrspace(1) @out1
  %r2 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 9, i32 1, i32 31)
  store volatile i32 %r2, ptr addrspace(1) @out2
  %r3 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 9, i32 1, i32 31)
  store volatile i32 %r3, ptr addrspace(1) @out3
  %r4 = call float @llvm.nvvm.shfl.sync.idx.f32(i32 15, float 1.0, i32 0, i32 31)
  store volatile float %r4, ptr addrspace(1) @out4
  %r5 = call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 9, i32 1, i32 0)
  store volatile { i32, i1 } %r5, ptr addrspace(1) @out5
  %r6 = call i32 @llvm.nvvm.shfl.down.i32(i32 9, i32 1, i32 31)
  store volatile i32 %r6, ptr addrspace(1) @out6
  ret void
}
