; What Rust has no words for on AMD GPUs, besides shared.ll. scripts/build-device links this into the device runtime
; and inlines every function of it; nothing here survives as a call.
;
; Implicit arguments: offsets of code object version 5 and later ("AMDGPU Back-end User Guide", Code Object V5
; Hidden Kernel Arguments).

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

; Not 0 on devices whose lanes make progress each on its own, like the virtual GPU's. Volatile, because the optimiser
; does not see who writes it before the first launch.
@__omptarget_independent_lanes = protected addrspace(1) global i32 0

define i32 @omptarget_arch_independent_lanes() #0 {
  %value = load volatile i32, ptr addrspace(1) @__omptarget_independent_lanes, align 4
  ret i32 %value
}

; As in arch-nvptx.ll.
define i32 @omptarget_arch_warp_by_warp() #0 {
  %value = call i32 asm "s_mov_b32 $0, 0 ; warp by warp", "=s"() #5
  ret i32 %value
}

define i32 @omptarget_arch_wave_size() #0 {
  %value = call i32 @llvm.amdgcn.wavefrontsize()
  ret i32 %value
}

define i32 @omptarget_arch_thread_x() #0 {
  %value = call range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  ret i32 %value
}

define i32 @omptarget_arch_thread_y() #0 {
  %value = call range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.y()
  ret i32 %value
}

; hidden_group_size_x
define i32 @omptarget_arch_threads_x() #0 {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr inbounds i8, ptr addrspace(4) %arguments, i64 12
  %size = load i16, ptr addrspace(4) %field, align 4, !invariant.load !5, !noundef !5, !range !6
  %value = zext i16 %size to i32
  ret i32 %value
}

; hidden_group_size_y
define i32 @omptarget_arch_threads_y() #0 {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr inbounds i8, ptr addrspace(4) %arguments, i64 14
  %size = load i16, ptr addrspace(4) %field, align 2, !invariant.load !5, !noundef !5, !range !6
  %value = zext i16 %size to i32
  ret i32 %value
}

define i32 @omptarget_arch_block() #0 {
  %value = call i32 @llvm.amdgcn.workgroup.id.x()
  ret i32 %value
}

; hidden_block_count_x
define i32 @omptarget_arch_blocks() #0 {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %value = load i32, ptr addrspace(4) %arguments, align 4, !invariant.load !5, !noundef !5
  ret i32 %value
}

define i32 @omptarget_arch_thread_z() #0 {
  %value = call i32 @llvm.amdgcn.workitem.id.z()
  ret i32 %value
}

define i32 @omptarget_arch_block_y() #0 {
  %value = call i32 @llvm.amdgcn.workgroup.id.y()
  ret i32 %value
}

define i32 @omptarget_arch_block_z() #0 {
  %value = call i32 @llvm.amdgcn.workgroup.id.z()
  ret i32 %value
}

; hidden_group_size_z
define i32 @omptarget_arch_threads_z() #0 {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr inbounds i8, ptr addrspace(4) %arguments, i64 16
  %size = load i16, ptr addrspace(4) %field, align 4, !invariant.load !5, !noundef !5, !range !6
  %value = zext i16 %size to i32
  ret i32 %value
}

; hidden_block_count_y
define i32 @omptarget_arch_blocks_y() #0 {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr inbounds i8, ptr addrspace(4) %arguments, i64 4
  %value = load i32, ptr addrspace(4) %field, align 4, !invariant.load !5, !noundef !5
  ret i32 %value
}

; hidden_block_count_z
define i32 @omptarget_arch_blocks_z() #0 {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr inbounds i8, ptr addrspace(4) %arguments, i64 8
  %value = load i32, ptr addrspace(4) %field, align 4, !invariant.load !5, !noundef !5
  ret i32 %value
}

define i64 @omptarget_arch_ballot(i1 %predicate) #1 {
  %lanes = call i64 @llvm.amdgcn.ballot.i64(i1 %predicate) #2
  ret i64 %lanes
}

; Blocks that are resident together have numbers near to each other: they serve as well as the numbers of compute units,
; which every generation of GPUs keeps in another register.
define i32 @omptarget_arch_processor() #0 {
  %value = call i32 @llvm.amdgcn.workgroup.id.x()
  ret i32 %value
}

define i1 @omptarget_arch_is_own(ptr %object) #0 {
  %own = call i1 @llvm.amdgcn.is.private(ptr %object)
  ret i1 %own
}

; hidden_dynamic_lds_size
define i32 @omptarget_arch_dynamic_shared_size() #0 {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr inbounds i8, ptr addrspace(4) %arguments, i64 120
  %value = load i32, ptr addrspace(4) %field, align 4, !invariant.load !5, !noundef !5
  ret i32 %value
}

; The barrier waits, the fences order memory.
define void @omptarget_arch_block_barrier() #1 {
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier() #2
  fence syncscope("workgroup") acquire
  ret void
}

; Not an instruction: nothing is moved across it.
define void @omptarget_arch_sync_wave() #1 {
  fence syncscope("wavefront") release
  call void @llvm.amdgcn.wave.barrier() #2
  fence syncscope("wavefront") acquire
  ret void
}

; Of 64-bit masks, wave32 uses the lower half.
define i64 @omptarget_arch_active_lanes() #1 {
  %lanes = call i64 @llvm.amdgcn.ballot.i64(i1 true) #2
  ret i64 %lanes
}

define i32 @omptarget_arch_permute(i32 %address, i32 %value) #1 {
  %result = call i32 @llvm.amdgcn.ds.bpermute(i32 %address, i32 %value) #2
  ret i32 %result
}

define void @omptarget_arch_fence_block() #0 {
  fence syncscope("workgroup") acq_rel
  ret void
}

define void @omptarget_arch_fence_device() #0 {
  fence syncscope("agent") acq_rel
  ret void
}

define void @omptarget_arch_fence_system() #0 {
  fence seq_cst
  ret void
}

; 64 clocks or more.
define void @omptarget_arch_pause() #0 {
  call void @llvm.amdgcn.s.sleep(i32 1)
  ret void
}

define i64 @omptarget_arch_ticks() #0 {
  %value = call i64 @llvm.readsteadycounter()
  ret i64 %value
}

define void @omptarget_arch_trap() #3 {
  call void @llvm.trap()
  unreachable
}

declare i32 @llvm.amdgcn.wavefrontsize()
declare i1 @llvm.amdgcn.is.private(ptr)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare void @llvm.amdgcn.s.barrier() #4
declare void @llvm.amdgcn.wave.barrier() #4
declare i64 @llvm.amdgcn.ballot.i64(i1) #4
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) #4
declare void @llvm.amdgcn.s.sleep(i32)
declare i64 @llvm.readsteadycounter()
declare void @llvm.trap()

attributes #0 = { alwaysinline nounwind }
attributes #1 = { alwaysinline convergent nounwind }
attributes #2 = { convergent }
attributes #3 = { alwaysinline noreturn nounwind }
attributes #4 = { convergent nounwind }
attributes #5 = { nounwind willreturn memory(none) }

!5 = !{}
!6 = !{i16 1, i16 1025}
