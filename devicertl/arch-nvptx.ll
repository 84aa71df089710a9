; What Rust has no words for on NVIDIA GPUs. scripts/build-device links this into the device runtime
; and inlines every function of it; nothing here survives as a call.
;
; Shared memory: one symbol per variable of `for_each_shared_variable` (src/arch/mod.rs), so that a
; kernel is charged only for those it uses. `poison`: hardware does not initialise shared memory.
;
; Access types (TBAA): a thread's nest word is its own; no other thread touches it. The barriers
; below say they access "omnipotent char", the nest words have a type beside that one: so a nest
; word the optimiser knows stays known across barriers, and SPMD kernels fold their state away.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@omptarget.work_function = internal addrspace(3) global ptr poison, align 8
@omptarget.references = internal addrspace(3) global ptr poison, align 8
@omptarget.reference_list = internal addrspace(3) global [20 x ptr] poison, align 8
@omptarget.team_size = internal addrspace(3) global i32 poison, align 4
@omptarget.team_level = internal addrspace(3) global i32 poison, align 4
@omptarget.pushed_threads = internal addrspace(3) global i32 poison, align 4
@omptarget.arrived = internal addrspace(3) global i32 poison, align 4
@omptarget.generation = internal addrspace(3) global i32 poison, align 4
@omptarget.icvs = internal addrspace(3) global [20 x i8] poison, align 4
@omptarget.launch_environment = internal addrspace(3) global ptr poison, align 8
@omptarget.team_loop = internal addrspace(3) global [64 x i8] poison, align 8
@omptarget.broadcast = internal addrspace(3) global ptr poison, align 8
@omptarget.last_team = internal addrspace(3) global i32 poison, align 4
@omptarget.stack = internal addrspace(3) global [6144 x i8] poison, align 16
@omptarget.stack_master = internal addrspace(3) global [8 x i8] poison, align 4
@omptarget.stack_common = internal addrspace(3) global [2048 x i8] poison, align 4
@omptarget.stack_threads = internal addrspace(3) global [2048 x i8] poison, align 4
@omptarget.private = internal addrspace(3) global [1024 x ptr] poison, align 8
@omptarget.nest = internal addrspace(3) global [1024 x i16] poison, align 16
@omptarget.dynamic = external addrspace(3) global [0 x i8], align 16

define ptr @omptarget_shared_work_function() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.work_function to ptr) }
define ptr @omptarget_shared_references() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.references to ptr) }
define ptr @omptarget_shared_reference_list() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.reference_list to ptr) }
define ptr @omptarget_shared_team_size() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_size to ptr) }
define ptr @omptarget_shared_team_level() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_level to ptr) }
define ptr @omptarget_shared_pushed_threads() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.pushed_threads to ptr) }
define ptr @omptarget_shared_arrived() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.arrived to ptr) }
define ptr @omptarget_shared_generation() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.generation to ptr) }
define ptr @omptarget_shared_icvs() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.icvs to ptr) }
define ptr @omptarget_shared_launch_environment() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.launch_environment to ptr) }
define ptr @omptarget_shared_team_loop() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_loop to ptr) }
define ptr @omptarget_shared_broadcast() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.broadcast to ptr) }
define ptr @omptarget_shared_last_team() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.last_team to ptr) }
define ptr @omptarget_shared_stack() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack to ptr) }
define ptr @omptarget_shared_stack_master() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack_master to ptr) }
define ptr @omptarget_shared_stack_common() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack_common to ptr) }
define ptr @omptarget_shared_stack_threads() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack_threads to ptr) }
define ptr @omptarget_shared_private() #0 { ret ptr addrspacecast (ptr addrspace(3) @omptarget.private to ptr) }

define i16 @omptarget_arch_nest_load(i32 %thread) #0 {
  %index = zext i32 %thread to i64
  %word = getelementptr inbounds [1024 x i16], ptr addrspace(3) @omptarget.nest, i64 0, i64 %index
  %value = load i16, ptr addrspace(3) %word, align 2, !tbaa !0
  ret i16 %value
}

define void @omptarget_arch_nest_store(i32 %thread, i16 %value) #0 {
  %index = zext i32 %thread to i64
  %word = getelementptr inbounds [1024 x i16], ptr addrspace(3) @omptarget.nest, i64 0, i64 %index
  store i16 %value, ptr addrspace(3) %word, align 2, !tbaa !0
  ret void
}

define i32 @omptarget_arch_thread_x() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %value
}

define i32 @omptarget_arch_thread_y() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %value
}

define i32 @omptarget_arch_threads_x() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %value
}

define i32 @omptarget_arch_threads_y() #0 {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
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

define i32 @omptarget_arch_shuffle_down(i32 %lanes, i32 %value, i32 %delta, i32 %clamp) #1 {
  %result = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %lanes, i32 %value, i32 %delta, i32 %clamp) #2
  ret i32 %result
}

define void @omptarget_arch_fence_block() #0 {
  fence syncscope("block") acq_rel
  ret void
}

define void @omptarget_arch_fence_device() #0 {
  fence syncscope("device") acq_rel
  ret void
}

define void @omptarget_arch_fence_system() #0 {
  fence seq_cst
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

define ptr @omptarget_arch_dynamic_shared() #0 {
  ret ptr addrspacecast (ptr addrspace(3) @omptarget.dynamic to ptr)
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
declare i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
declare void @llvm.nvvm.barrier.cta.sync.all(i32) #4
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32) #4
declare void @llvm.nvvm.bar.warp.sync(i32) #4
declare i32 @llvm.nvvm.activemask() #4
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32) #4
declare void @llvm.nvvm.nanosleep(i32)
declare void @llvm.trap()

attributes #0 = { alwaysinline nounwind }
attributes #1 = { alwaysinline convergent nounwind }
attributes #2 = { convergent }
attributes #3 = { alwaysinline noreturn nounwind }
attributes #4 = { convergent nounwind }
attributes #5 = { convergent "llvm.assume"="ompx_aligned_barrier" }

!0 = !{!1, !1, i64 0}
!1 = !{!"omptarget nest word", !4, i64 0}
!2 = !{!3, !3, i64 0}
!3 = !{!"omnipotent char", !4, i64 0}
!4 = !{!"Simple C/C++ TBAA"}
