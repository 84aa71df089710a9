; In warp form, barriers of kernels made SPMD go where no two threads have accesses to order: next to another barrier,
; between two pieces of code of thread 0, between reads.
; RUN: omptarget-codegen vgpu --warp-forms --verify-each --print-after warp -o /dev/null %s 2>&1 | FileCheck %s
; CHECK: what warp forms are made of
; CHECK: define hidden void @merges(
; CHECK: br i1 %master, label %first, label %after_third
; CHECK: first:
; CHECK: store i32 1,
; CHECK: store i32 2,
; CHECK: store i32 3,
; CHECK: br label %after_third
; CHECK: call void @vgpu_barrier(
; CHECK: = load i32,
; CHECK: ret void
; CHECK: define hidden void @keeps(
; CHECK: store i32 1,
; CHECK: call void @vgpu_barrier(
; CHECK: store i32 2,
; CHECK: call void @vgpu_barrier(
; CHECK: = load i32,
; CHECK: call void @vgpu_barrier(
; CHECK: store i32 4,
; CHECK: ret void
; CHECK: define hidden void @iterations(
; CHECK: call void @vgpu_barrier(
; CHECK: store i32 1,
; CHECK: call void @vgpu_barrier(
; CHECK: = load i32,
; CHECK: ret void
; CHECK: define hidden void @of_the_programs_own(
; CHECK: call void @vgpu_barrier(
; CHECK: call void @vgpu_barrier(
; CHECK: ret void
; CHECK: define hidden void @places(
; CHECK-NOT: vgpu_barrier
; CHECK: store i32 5, ptr addrspace(3)
; CHECK-NOT: store i16
; CHECK: call void @vgpu_barrier(
; CHECK: = load i32, ptr addrspace(3)
; CHECK-NOT: vgpu_barrier
; CHECK: store volatile i32
; CHECK: call void @vgpu_barrier(
; CHECK-NOT: store i16
; CHECK: = load volatile i32, ptr addrspace(3)
; CHECK-NOT: vgpu_barrier
; CHECK: ret void
; CHECK: define hidden void @unknown_place(
; CHECK: store i32 1,
; CHECK: call void @vgpu_barrier(
; CHECK: = load i32, ptr
; CHECK: ret void
; CHECK: after warp

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@merges_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@keeps_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@turns_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@of_the_programs_own_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@places_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@unknown_place_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@word = internal addrspace(3) global i32 undef, align 4
@each = internal addrspace(3) global [32 x i32] undef, align 4
@unread = internal addrspace(3) global i16 undef, align 2
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)

; No barrier is left between what thread 0 writes: its three pieces of code become one. One is before what all read.
define ptx_kernel void @merges(ptr %a, ptr %b, ptr %c, ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %tid, 0
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %master, label %first, label %after_first
first:
  store i32 1, ptr %a
  br label %after_first
after_first:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %master, label %second, label %after_second
second:
  store i32 2, ptr %b
  br label %after_second
after_second:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %other = icmp ne i32 %tid, 0
  br i1 %other, label %after_third, label %third
third:
  store i32 3, ptr %c
  br label %after_third
after_third:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %x = load i32, ptr %b
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %y = load i32, ptr %a
  %sum = add i32 %x, %y
  %wide = zext i32 %tid to i64
  %place = getelementptr i32, ptr %to, i64 %wide
  store i32 %sum, ptr %place
  ret void
}

; All write, thread 0 writes, all read, another thread writes.
define ptx_kernel void @keeps(ptr %a, ptr %b) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = getelementptr i32, ptr %a, i64 %wide
  store i32 1, ptr %place
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %master = icmp eq i32 %tid, 0
  br i1 %master, label %first, label %after_first
first:
  store i32 2, ptr %b
  br label %after_first
after_first:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %x = load i32, ptr %b
  %own = getelementptr i32, ptr %place, i64 1024
  store i32 %x, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %one = icmp eq i32 %tid, 1
  br i1 %one, label %second, label %after_second
second:
  store i32 4, ptr %b
  br label %after_second
after_second:
  ret void
}

; Thread 0 writes in the next iteration what all have read in this one.
define ptx_kernel void @iterations(ptr %a, ptr %to, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = getelementptr i32, ptr %to, i64 %wide
  %master = icmp eq i32 %tid, 0
  br label %iteration
iteration:
  %i = phi i32 [ 0, %entry ], [ %next, %after ]
  %sum = phi i32 [ 0, %entry ], [ %more, %after ]
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %master, label %write, label %after
write:
  store i32 1, ptr %a
  br label %after
after:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %x = load i32, ptr %a
  %more = add i32 %sum, %x
  %next = add i32 %i, 1
  %goes_on = icmp slt i32 %next, %n
  br i1 %goes_on, label %iteration, label %end
end:
  store i32 %more, ptr %place
  ret void
}

define ptx_kernel void @of_the_programs_own(ptr %a) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  store i32 %tid, ptr %a
  ret void
}

; Barriers stay only between accesses to the same place. All read global memory, thread 0 writes a shared variable, all
; read it, each warp writes a part of an array, and the first threads read those. What nobody reads is not written.
define ptx_kernel void @places(ptr %from, ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %tid to i64
  %master = icmp eq i32 %tid, 0
  %x = load i32, ptr %from
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %master, label %first, label %after_first
first:
  store i32 5, ptr addrspace(3) @word
  br label %after_first
after_first:
  store i16 1, ptr addrspace(3) @unread
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %y = load i32, ptr addrspace(3) @word
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %warp = lshr i32 %tid, 5
  %warp.wide = zext nneg i32 %warp to i64
  %part = getelementptr inbounds nuw i32, ptr addrspace(3) @each, i64 %warp.wide
  store volatile i32 %x, ptr addrspace(3) %part
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  store i16 2, ptr addrspace(3) @unread
  %few = icmp ult i32 %tid, 32
  br i1 %few, label %second, label %after_second
second:
  %own = getelementptr inbounds nuw i32, ptr addrspace(3) @each, i64 %wide
  %z = load volatile i32, ptr addrspace(3) %own
  br label %after_second
after_second:
  %sum = phi i32 [ %y, %after_first ], [ %z, %second ]
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %place = getelementptr i32, ptr %to, i64 %wide
  store i32 %sum, ptr %place
  ret void
}

; A pointer that comes from memory may lead anywhere.
define ptx_kernel void @unknown_place(ptr %list, ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %tid to i64
  %from = load ptr, ptr %list
  %master = icmp eq i32 %tid, 0
  br i1 %master, label %first, label %after_first
first:
  store i32 1, ptr addrspace(3) @word
  br label %after_first
after_first:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %x = load i32, ptr %from
  %place = getelementptr i32, ptr %to, i64 %wide
  store i32 %x, ptr %place
  ret void
}
