; All forms of barriers, under old and new names. Each call has a call site of its own.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: call void @vgpu_barrier(ptr{{.*}}, i32 1, i32 0, i32 0)
; CHECK: call void @vgpu_barrier(ptr{{.*}}, i32 2, i32 3, i32 0)
; CHECK: call void @vgpu_barrier(ptr{{.*}}, i32 3, i32 3, i32 64)
; CHECK: call void @vgpu_barrier(ptr{{.*}}, i32 4, i32 4, i32 0)
; CHECK: call void @vgpu_barrier(ptr{{.*}}, i32 5, i32 5, i32 96)
; CHECK: call void @vgpu_barrier_arrive(ptr{{.*}}, i32 6, i32 6, i32 64)
; CHECK: call i32 @vgpu_barrier_reduce(ptr{{.*}}, i32 7, i32 0, i32 0, i32 0, i32 1)
; CHECK: call i32 @vgpu_barrier_reduce(ptr{{.*}}, i32 8, i32 0, i32 0, i32 1, i32 1)
; CHECK: call i32 @vgpu_barrier_reduce(ptr{{.*}}, i32 9, i32 2, i32 64, i32 2, i32 0)
; CHECK: call void @vgpu_syncwarp(ptr{{.*}}, i32 10, i64 4294967295)
; CHECK: call void @vgpu_yield(ptr{{.*}}, i32 11)

target triple = "nvptx64-nvidia-cuda"

@out6 = addrspace(1) global i32 zeroinitializer
@out7 = addrspace(1) global i1 zeroinitializer
@out8 = addrspace(1) global i1 zeroinitializer

declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.barrier.sync(i32)
declare void @llvm.nvvm.barrier.sync.cnt(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare i32 @llvm.nvvm.barrier0.popc(i32)
declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.or.count(i32, i32, i1)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.nanosleep(i32)

define ptx_kernel void @k() {
  call void @llvm.nvvm.barrier0()
  call void @llvm.nvvm.barrier.sync(i32 3)
  call void @llvm.nvvm.barrier.sync.cnt(i32 3, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 4)
  call void @llvm.nvvm.barrier.cta.sync.count(i32 5, i32 96)
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 6, i32 64)
  %r6 = call i32 @llvm.nvvm.barrier0.popc(i32 7)
  store volatile i32 %r6, ptr addrspace(1) @out6
  %r7 = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 true)
  store volatile i1 %r7, ptr addrspace(1) @out7
  %r8 = call i1 @llvm.nvvm.barrier.cta.red.or.count(i32 2, i32 64, i1 false)
  store volatile i1 %r8, ptr addrspace(1) @out8
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @llvm.nvvm.nanosleep(i32 100)
  ret void
}
