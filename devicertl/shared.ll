; Shared memory, of NVIDIA and AMD GPUs alike (address space 3): Rust cannot place a variable there. scripts/build-device
; puts this file behind arch-nvptx.ll or arch-amdgcn.ll; every function is inlined.
;
; One symbol per variable of `for_each_shared_variable` (src/arch/mod.rs), so that a kernel is charged only for
; those it uses. `poison`: hardware does not initialise shared memory.
;
; Access types (TBAA): a thread's nest word is its own; no other thread touches it. The barriers of NVIDIA GPUs
; say they access "omnipotent char", the nest words have a type beside that one: so a nest word the
; optimiser knows stays known across barriers, and SPMD kernels fold their state away.

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
@omptarget.dispersed_lanes = internal addrspace(3) global [1024 x i64] poison, align 8
@omptarget.stack = internal addrspace(3) global [6144 x i8] poison, align 16
@omptarget.stack_master = internal addrspace(3) global [8 x i8] poison, align 4
@omptarget.stack_common = internal addrspace(3) global [2048 x i8] poison, align 4
@omptarget.stack_threads = internal addrspace(3) global [2048 x i8] poison, align 4
@omptarget.private = internal addrspace(3) global [1024 x ptr] poison, align 8
@omptarget.nest = internal addrspace(3) global [1024 x i16] poison, align 16
@omptarget.dynamic = external addrspace(3) global [0 x i8], align 16

define ptr @omptarget_shared_work_function() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.work_function to ptr) }
define ptr @omptarget_shared_references() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.references to ptr) }
define ptr @omptarget_shared_reference_list() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.reference_list to ptr) }
define ptr @omptarget_shared_team_size() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_size to ptr) }
define ptr @omptarget_shared_team_level() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_level to ptr) }
define ptr @omptarget_shared_pushed_threads() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.pushed_threads to ptr) }
define ptr @omptarget_shared_arrived() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.arrived to ptr) }
define ptr @omptarget_shared_generation() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.generation to ptr) }
define ptr @omptarget_shared_icvs() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.icvs to ptr) }
define ptr @omptarget_shared_launch_environment() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.launch_environment to ptr) }
define ptr @omptarget_shared_team_loop() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_loop to ptr) }
define ptr @omptarget_shared_broadcast() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.broadcast to ptr) }
define ptr @omptarget_shared_last_team() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.last_team to ptr) }
define ptr @omptarget_shared_dispersed_lanes() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.dispersed_lanes to ptr) }
define ptr @omptarget_shared_stack() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack to ptr) }
define ptr @omptarget_shared_stack_master() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack_master to ptr) }
define ptr @omptarget_shared_stack_common() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack_common to ptr) }
define ptr @omptarget_shared_stack_threads() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.stack_threads to ptr) }
define ptr @omptarget_shared_private() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.private to ptr) }

define i16 @omptarget_arch_nest_load(i32 %thread) alwaysinline nounwind {
  %index = zext i32 %thread to i64
  %word = getelementptr inbounds [1024 x i16], ptr addrspace(3) @omptarget.nest, i64 0, i64 %index
  %value = load i16, ptr addrspace(3) %word, align 2, !tbaa !0
  ret i16 %value
}

define void @omptarget_arch_nest_store(i32 %thread, i16 %value) alwaysinline nounwind {
  %index = zext i32 %thread to i64
  %word = getelementptr inbounds [1024 x i16], ptr addrspace(3) @omptarget.nest, i64 0, i64 %index
  store i16 %value, ptr addrspace(3) %word, align 2, !tbaa !0
  ret void
}

define ptr @omptarget_arch_dynamic_shared() alwaysinline nounwind {
  ret ptr addrspacecast (ptr addrspace(3) @omptarget.dynamic to ptr)
}

!0 = !{!1, !1, i64 0}
!1 = !{!"omptarget nest word", !4, i64 0}
!2 = !{!3, !3, i64 0}
!3 = !{!"omnipotent char", !4, i64 0}
!4 = !{!"Simple C/C++ TBAA"}
