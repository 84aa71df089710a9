; What Rust has no words for on NVIDIA GPUs, besides shared.ll. scripts/build-device links this into the device runtime
; and inlines every function of it; nothing here survives as a call.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @omptarget_arch_thread_x() #0 {
  %value = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %value
}

define i32 @omptarget_arch_thread_y() #0 {
  %value = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %value
}

define i32 @omptarget_arch_threads_x() #0 {
  %value = call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %value
}

define i32 @omptarget_arch_threads_y() #0 {
  %value = call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  ret i32 %value
}

define i32 @omptarget_arch_block() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ret i32 %value
}

define i32 @omptarget_arch_blocks() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  ret i32 %value
}

define i32 @omptarget_arch_dynamic_shared_size() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
  ret i32 %value
}

define i32 @omptarget_arch_processor() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  ret i32 %value
}

; Whether a warp executes a whole loop before the next warp begins. Passes answer it (codegen-llvm:
; `device/warp_order.rs`); where none does, the assembly's own answer is right for a GPU.
define i32 @omptarget_arch_warp_by_warp() #0 {
  %value = call i32 asm "mov.u32 $0, 0; // warp by warp", "=r"() #6
  ret i32 %value
}

define i1 @omptarget_arch_is_own(ptr %object) #0 {
  %own = call i1 @llvm.nvvm.isspacep.local(ptr %object)
  ret i1 %own
}

; Barrier 0 is the block's: the pool of waiting workers, and every barrier of a full SPMD block. It is
; not the aligned form, because lanes of one warp may come from different places.
define void @omptarget_arch_block_barrier() #1 {
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) #2, !tbaa !2
  ret void
}

; The same, with openmp-opt told that all threads come to this very call: it removes such barriers where they
; order nothing. Still not the aligned instruction.
define void @omptarget_arch_block_barrier_together() #1 {
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) #5, !tbaa !2
  ret void
}

; The aligned form, for lanes that are together: ptxas puts a slow way beside the other one, twelve instructions.
define void @omptarget_arch_block_barrier_aligned() #1 {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) #2, !tbaa !2
  ret void
}

; Barrier 1 is the team's, when the team is not the whole block.
define void @omptarget_arch_group_barrier(i32 %threads) #1 {
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 %threads) #2, !tbaa !2
  ret void
}

define void @omptarget_arch_sync_warp(i32 %lanes) #1 {
  call void @llvm.nvvm.bar.warp.sync(i32 %lanes) #2, !tbaa !2
  ret void
}

define i32 @omptarget_arch_active_lanes() #1 {
  %lanes = call i32 @llvm.nvvm.activemask() #2
  ret i32 %lanes
}

define i32 @omptarget_arch_thread_z() #0 {
  %value = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  ret i32 %value
}

define i32 @omptarget_arch_threads_z() #0 {
  %value = call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  ret i32 %value
}

define i32 @omptarget_arch_block_y() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  ret i32 %value
}

define i32 @omptarget_arch_block_z() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  ret i32 %value
}

define i32 @omptarget_arch_blocks_y() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  ret i32 %value
}

define i32 @omptarget_arch_blocks_z() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  ret i32 %value
}

define i32 @omptarget_arch_ballot(i32 %lanes, i1 %predicate) #1 {
  %result = call i32 @llvm.nvvm.vote.ballot.sync(i32 %lanes, i1 %predicate) #2
  ret i32 %result
}

define i32 @omptarget_arch_shuffle_down(i32 %lanes, i32 %value, i32 %delta, i32 %clamp) #1 {
  %result = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %lanes, i32 %value, i32 %delta, i32 %clamp) #2
  ret i32 %result
}

; Fences as assembly, because LLVM's own instruction cannot say that it leaves nest words alone.
define void @omptarget_arch_fence_block() #0 {
  call void asm sideeffect "fence.acq_rel.cta;", "~{memory}"(), !tbaa !2
  ret void
}

define void @omptarget_arch_fence_device() #0 {
  call void asm sideeffect "fence.acq_rel.gpu;", "~{memory}"(), !tbaa !2
  ret void
}

define void @omptarget_arch_fence_system() #0 {
  call void asm sideeffect "fence.sc.sys;", "~{memory}"(), !tbaa !2
  ret void
}

define void @omptarget_arch_pause() #0 {
  call void @llvm.nvvm.nanosleep(i32 32)
  ret void
}

define i64 @omptarget_arch_nanoseconds() #0 {
  %value = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  ret i64 %value
}

define void @omptarget_arch_trap() #3 {
  call void @llvm.trap()
  unreachable
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.smid()
declare i1 @llvm.nvvm.isspacep.local(ptr)
declare i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
declare void @llvm.nvvm.barrier.cta.sync.all(i32) #4
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #4
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32) #4
declare void @llvm.nvvm.bar.warp.sync(i32) #4
declare i32 @llvm.nvvm.activemask() #4
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32) #4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #4
declare void @llvm.nvvm.nanosleep(i32)
declare void @llvm.trap()

attributes #0 = { alwaysinline nounwind }
attributes #1 = { alwaysinline convergent nounwind }
attributes #2 = { convergent }
attributes #3 = { alwaysinline noreturn nounwind }
attributes #4 = { convergent nounwind }
attributes #5 = { convergent "llvm.assume"="ompx_aligned_barrier" }
attributes #6 = { nounwind willreturn memory(none) }
