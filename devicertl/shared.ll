; Shared memory, of NVIDIA and AMD GPUs alike (address space 3): Rust cannot place a variable there.
; scripts/build-device puts this file behind arch-nvptx.ll or arch-amdgcn.ll; every function is inlined.
;
; One symbol per variable of `for_each_shared_variable` (src/team/shared.rs), so that a kernel is charged only for
; those it uses. `poison`: hardware does not initialise shared memory.
;
; Access types (TBAA): a thread's nest word is its own; no other thread touches it. The barriers of NVIDIA GPUs
; say they access "omnipotent char", the nest words have a type beside that one: so a nest word the
; optimiser knows stays known across barriers, and SPMD kernels fold their state away.

@omptarget.work_function = internal addrspace(3) global ptr poison, align 8
@omptarget.references = internal addrspace(3) global ptr poison, align 8
@omptarget.few_references = internal addrspace(3) global [2 x ptr] poison, align 8
@omptarget.reference_list = internal addrspace(3) global [20 x ptr] poison, align 8
@omptarget.many_references = internal addrspace(3) global [64 x ptr] poison, align 8
@omptarget.most_references = internal addrspace(3) global [128 x ptr] poison, align 8
@omptarget.team_shape = internal addrspace(3) global i32 poison, align 4
@omptarget.pushed_threads = internal addrspace(3) global i32 poison, align 4
@omptarget.arrived = internal addrspace(3) global i32 poison, align 4
@omptarget.generation = internal addrspace(3) global i32 poison, align 4
; A pointer, but as a variable of pointer type LLVM would keep what is stored in it, though nobody reads it (for leak
; checkers).
@omptarget.launch_environment = internal addrspace(3) global i64 poison, align 8
@omptarget.team_loop = internal addrspace(3) global [64 x i8] poison, align 8
@omptarget.doacross = internal addrspace(3) global ptr poison, align 8
@omptarget.broadcast = internal addrspace(3) global ptr poison, align 8
@omptarget.last_team = internal addrspace(3) global i32 poison, align 4
@omptarget.dispersed_lanes = internal addrspace(3) global [1024 x i64] poison, align 8
@omptarget.pool = internal addrspace(3) global [256 x i8] poison, align 16
@omptarget.pool_used = internal addrspace(3) global i64 poison, align 8
@omptarget.state = internal addrspace(3) global ptr poison, align 8
@omptarget.nest_seen = internal addrspace(3) global i16 poison, align 2
@omptarget.master_nest = internal addrspace(3) global i16 poison, align 2
@omptarget.nest_words = internal addrspace(3) global ptr poison, align 8
@omptarget.thread_state_slots = internal addrspace(3) global ptr poison, align 8
@omptarget.nest = internal addrspace(3) global [1024 x i16] poison, align 16
@omptarget.thread_states = internal addrspace(3) global [1024 x ptr] poison, align 8
@omptarget.dynamic = external addrspace(3) global [0 x i8], align 16

define ptr @omptarget_shared_work_function() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.work_function to ptr) }
define ptr @omptarget_shared_references() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.references to ptr) }
define ptr @omptarget_shared_few_references() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.few_references to ptr) }
define ptr @omptarget_shared_reference_list() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.reference_list to ptr) }
define ptr @omptarget_shared_many_references() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.many_references to ptr) }
define ptr @omptarget_shared_most_references() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.most_references to ptr) }
define ptr @omptarget_shared_team_shape() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_shape to ptr) }
define ptr @omptarget_shared_pushed_threads() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.pushed_threads to ptr) }
define ptr @omptarget_shared_arrived() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.arrived to ptr) }
define ptr @omptarget_shared_generation() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.generation to ptr) }
define ptr @omptarget_shared_launch_environment() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.launch_environment to ptr) }
define ptr @omptarget_shared_team_loop() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.team_loop to ptr) }
define ptr @omptarget_shared_doacross() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.doacross to ptr) }
define ptr @omptarget_shared_broadcast() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.broadcast to ptr) }
define ptr @omptarget_shared_last_team() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.last_team to ptr) }
define ptr @omptarget_shared_dispersed_lanes() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.dispersed_lanes to ptr) }
define ptr @omptarget_shared_pool() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.pool to ptr) }
define ptr @omptarget_shared_pool_used() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.pool_used to ptr) }
define ptr @omptarget_shared_state() alwaysinline nounwind { ret ptr addrspacecast (ptr addrspace(3) @omptarget.state to ptr) }

; What the optimiser knows of a thread's nest word. All threads write one variable, and nobody reads it for its value:
; `is_known` is true only where the optimiser has replaced the read by a constant.
define i16 @omptarget_arch_nest_seen() alwaysinline nounwind {
  %value = load i16, ptr addrspace(3) @omptarget.nest_seen, align 2, !tbaa !0
  ret i16 %value
}

define void @omptarget_arch_nest_show(i16 %value) alwaysinline nounwind {
  store i16 %value, ptr addrspace(3) @omptarget.nest_seen, align 2, !tbaa !0
  ret void
}

define i1 @omptarget_arch_is_known(i16 %value) alwaysinline nounwind {
  %known = call i1 @llvm.is.constant.i16(i16 %value)
  ret i1 %known
}

; Bytes from a pointer to the end of the object that it points into; -1 where the optimiser does not see the object.
define i64 @omptarget_arch_object_size(ptr %object) alwaysinline nounwind {
  %size = call i64 @llvm.objectsize.i64.p0(ptr %object, i1 false, i1 true, i1 false)
  ret i64 %size
}

; SPMD kernels: where the arrays with an entry per thread are. All threads write the same. The arrays are only reached
; through these two, so that generic kernels are not charged for them. (Generic pointers: those of shared memory have
; another size on every target, the virtual GPU included.)
define void @omptarget_arch_spmd_begin() alwaysinline nounwind {
  store ptr addrspacecast (ptr addrspace(3) @omptarget.nest to ptr), ptr addrspace(3) @omptarget.nest_words, align 8, !tbaa !0
  store ptr addrspacecast (ptr addrspace(3) @omptarget.thread_states to ptr), ptr addrspace(3) @omptarget.thread_state_slots, align 8, !tbaa !0
  ret void
}

; Generic kernels have no such arrays. (Without a second value, openmp-opt would take the first one for the variables'
; contents in every kernel, and all would be charged for the arrays.)
define void @omptarget_arch_generic_begin() alwaysinline nounwind {
  store ptr null, ptr addrspace(3) @omptarget.nest_words, align 8, !tbaa !0
  store ptr null, ptr addrspace(3) @omptarget.thread_state_slots, align 8, !tbaa !0
  ret void
}

define i16 @omptarget_arch_nest_load(i32 %thread) alwaysinline nounwind {
  %generic = load ptr, ptr addrspace(3) @omptarget.nest_words, align 8, !tbaa !0
  %words = addrspacecast ptr %generic to ptr addrspace(3)
  %index = zext i32 %thread to i64
  %word = getelementptr inbounds [1024 x i16], ptr addrspace(3) %words, i64 0, i64 %index
  %value = load i16, ptr addrspace(3) %word, align 2, !tbaa !0
  ret i16 %value
}

define void @omptarget_arch_nest_store(i32 %thread, i16 %value) alwaysinline nounwind {
  %generic = load ptr, ptr addrspace(3) @omptarget.nest_words, align 8, !tbaa !0
  %words = addrspacecast ptr %generic to ptr addrspace(3)
  %index = zext i32 %thread to i64
  %word = getelementptr inbounds [1024 x i16], ptr addrspace(3) %words, i64 0, i64 %index
  store i16 %value, ptr addrspace(3) %word, align 2, !tbaa !0
  ret void
}

define ptr @omptarget_arch_thread_state_slots() alwaysinline nounwind {
  %slots = load ptr, ptr addrspace(3) @omptarget.thread_state_slots, align 8, !tbaa !0
  ret ptr %slots
}

; Generic kernels: the master's own word. No other thread reads or writes it.
define i16 @omptarget_arch_master_nest_load() alwaysinline nounwind {
  %value = load i16, ptr addrspace(3) @omptarget.master_nest, align 2, !tbaa !0
  ret i16 %value
}

define void @omptarget_arch_master_nest_store(i16 %value) alwaysinline nounwind {
  store i16 %value, ptr addrspace(3) @omptarget.master_nest, align 2, !tbaa !0
  ret void
}

; A loop that nobody unrolls (ptxas would, to 250 instructions): volatile, or LLVM makes a memset over bytes of it.
define void @omptarget_arch_fill(ptr %words, i64 %value, i32 %count) alwaysinline nounwind {
entry:
  br label %loop
loop:
  %index = phi i32 [ 0, %entry ], [ %next, %loop ]
  %offset = zext i32 %index to i64
  %word = getelementptr inbounds i64, ptr %words, i64 %offset
  store volatile i64 %value, ptr %word, align 8
  %next = add nuw i32 %index, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %done, !llvm.loop !20
done:
  ret void
}

; Copies pairs of words; at least one. A loop as the one above: two loads at a time, or each would wait for the last.
define void @omptarget_arch_copy_pairs(ptr %to, ptr %from, i32 %count) alwaysinline nounwind {
entry:
  br label %loop
loop:
  %index = phi i32 [ 0, %entry ], [ %next, %loop ]
  %pair = zext i32 %index to i64
  %source = getelementptr inbounds [2 x i64], ptr %from, i64 %pair
  %second.source = getelementptr inbounds i64, ptr %source, i64 1
  %target = getelementptr inbounds [2 x i64], ptr %to, i64 %pair
  %second.target = getelementptr inbounds i64, ptr %target, i64 1
  %first = load i64, ptr %source, align 8
  %second = load i64, ptr %second.source, align 8
  store volatile i64 %first, ptr %target, align 8
  store volatile i64 %second, ptr %second.target, align 8
  %next = add nuw i32 %index, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %done, !llvm.loop !20
done:
  ret void
}

; Copies a region's references to the list that its threads read. In every link the number is known, and the loop is
; unrolled, so that the optimiser sees which of them are constants. Volatile, or LLVM makes a copy of bytes of it.
define void @omptarget_arch_send_references(ptr %list, ptr %references, i64 %count) alwaysinline nounwind {
entry:
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %index = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr inbounds ptr, ptr %references, i64 %index
  %reference = load ptr, ptr %from, align 8
  %to = getelementptr inbounds ptr, ptr %list, i64 %index
  store volatile ptr %reference, ptr %to, align 8
  %next = add nuw i64 %index, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %done, !llvm.loop !22
done:
  ret void
}

define i32 @omptarget_arch_count_up(ptr %counter, i32 %last) alwaysinline nounwind {
  %before = atomicrmw uinc_wrap ptr %counter, i32 %last monotonic, align 4
  ret i32 %before
}

; Unordered: the optimiser drops such loads where their values are not used, and they are no writes for it.
define i32 @omptarget_arch_peek(ptr %word) alwaysinline nounwind {
  %value = load atomic i32, ptr %word unordered, align 4
  ret i32 %value
}

define ptr @omptarget_arch_peek_pointer(ptr %word) alwaysinline nounwind {
  %value = load atomic ptr, ptr %word unordered, align 8
  ret ptr %value
}

define ptr @omptarget_arch_dynamic_shared() alwaysinline nounwind {
  ret ptr addrspacecast (ptr addrspace(3) @omptarget.dynamic to ptr)
}

declare i1 @llvm.is.constant.i16(i16)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)

!0 = !{!1, !1, i64 0}
!1 = !{!"omptarget nest word", !4, i64 0}
!2 = !{!3, !3, i64 0}
!3 = !{!"omnipotent char", !4, i64 0}
!4 = !{!"Simple C/C++ TBAA"}
!20 = distinct !{!20, !21}
!21 = !{!"llvm.loop.unroll.disable"}
!22 = distinct !{!22, !23}
!23 = !{!"llvm.loop.unroll.full"}
