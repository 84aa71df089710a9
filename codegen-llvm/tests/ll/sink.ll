; Loops whose results only thread 0 uses behind a guard move behind it. Others stay before it.
; RUN: omptarget-codegen vgpu %s --verify-each --print-after sink -o /dev/null 2>&1 | FileCheck %s
; CHECK: define ptx_kernel void @stored(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.all
; CHECK: br i1 {{.*}}, label %entry, label %join
; CHECK: entry:
; CHECK: %array = load ptr
; CHECK: br label %loop
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: guard:
; CHECK: %found = phi
; CHECK: %mean = sdiv
; CHECK: br label %guarded
; CHECK: define ptx_kernel void @two_under_a_condition(
; CHECK: br i1 {{.*}}, label {{.*}}, label %join
; CHECK: %any = icmp
; CHECK: br i1 %any, label %loop, label %between
; CHECK: br i1 %small, label %guard, label %again
; CHECK: guard:
; CHECK: br label %guarded
; CHECK: join:
; CHECK: phi i64 [ 0, %0 ], [ 1, %guarded ]
; CHECK: define ptx_kernel void @entered_again(
; CHECK: phi i64 [ 0, %entry ], [ %counted, %join ]
; CHECK: br i1 {{.*}}, label %iteration, label %join
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br label %guarded
; CHECK: define ptx_kernel void @used_by_all(
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br i1 %master, label %guarded, label %join
; CHECK: define ptx_kernel void @decides(
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br i1 %master, label %guarded, label %join
; CHECK: define ptx_kernel void @writes(
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br i1 %master, label %guarded, label %join
; CHECK: define ptx_kernel void @polls(
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br i1 %master, label %guarded, label %join
; CHECK: define ptx_kernel void @synchronises(
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br i1 %master, label %guarded, label %join
; CHECK: define ptx_kernel void @written_between(
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br i1 %master, label %guarded, label %join
; CHECK: define ptx_kernel void @of_the_programs_own(
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: br i1 %master, label %guarded, label %join

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@stored_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@two_under_a_condition_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@entered_again_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@used_by_all_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@decides_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@writes_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@polls_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@synchronises_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@written_between_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@of_the_programs_own_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)

; The address is needed by the loop only, the quotient behind the guard only.
define ptx_kernel void @stored(ptr %where, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %array = load ptr, ptr %where
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  %x = load i64, ptr %place
  %more = add i64 %sum, %x
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %guard, label %loop
guard:
  %found = phi i64 [ %more, %loop ]
  %mean = sdiv i64 %found, %n
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %mean, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

define ptx_kernel void @two_under_a_condition(ptr %array, ptr %to, i64 %n) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %entry
entry:
  %any = icmp ne i64 %n, 0
  br i1 %any, label %loop, label %between
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  %x = load i64, ptr %place
  %more = add i64 %sum, %x
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %between, label %loop
between:
  %first = phi i64 [ 0, %entry ], [ %more, %loop ]
  br label %again
again:
  %k = phi i64 [ %first, %between ], [ %half, %again ]
  %half = lshr i64 %k, 1
  %at = getelementptr i64, ptr %array, i64 %half
  %y = load i64, ptr %at
  %small = icmp ult i64 %y, %first
  br i1 %small, label %guard, label %again
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %half, ptr %to
  br label %join
join:
  %kept = phi i64 [ 0, %guard ], [ 1, %guarded ]
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  store i64 %kept, ptr %array
  ret void
}

; In a loop of all threads.
define ptx_kernel void @entered_again(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %iteration
iteration:
  %count = phi i64 [ 0, %entry ], [ %counted, %join ]
  br label %loop
loop:
  %i = phi i64 [ 0, %iteration ], [ %next, %loop ]
  %sum = phi i64 [ 0, %iteration ], [ %more, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  %x = load i64, ptr %place
  %more = add i64 %sum, %x
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %guard, label %loop
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %more, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %counted = add i64 %count, 1
  %done = icmp eq i64 %counted, %n
  br i1 %done, label %end, label %iteration
end:
  ret void
}

define ptx_kernel void @used_by_all(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  %x = load i64, ptr %place
  %next = add i64 %i, %x
  %last = icmp eq i64 %next, %n
  br i1 %last, label %guard, label %loop
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %i, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %own = getelementptr i64, ptr %array, i64 %i
  store i64 %i, ptr %own
  ret void
}

define ptx_kernel void @decides(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  %x = load i64, ptr %place
  %next = add i64 %i, %x
  %last = icmp eq i64 %next, %n
  br i1 %last, label %guard, label %loop
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 0, ptr %to
  br label %join
join:
  %result = phi i64 [ %i, %guard ], [ 0, %guarded ]
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  store i64 %result, ptr %array
  ret void
}

define ptx_kernel void @writes(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  store i64 %i, ptr %place
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %guard, label %loop
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %i, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

define ptx_kernel void @polls(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %loop
loop:
  %x = load volatile i64, ptr %array
  %last = icmp eq i64 %x, %n
  br i1 %last, label %guard, label %loop
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %x, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

define ptx_kernel void @synchronises(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %loop
loop:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %x = load i64, ptr %array
  %last = icmp eq i64 %x, %n
  br i1 %last, label %guard, label %loop
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %x, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

; What the loop reads is no longer there behind the guard.
define ptx_kernel void @written_between(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  %x = load i64, ptr %place
  %next = add i64 %i, %x
  %last = icmp eq i64 %next, %n
  br i1 %last, label %guard, label %loop
guard:
  store i64 0, ptr %array
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %i, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

define ptx_kernel void @of_the_programs_own(ptr %array, ptr %to, i64 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %master = icmp eq i32 %thread, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %array, i64 %i
  %x = load i64, ptr %place
  %next = add i64 %i, %x
  %last = icmp eq i64 %next, %n
  br i1 %last, label %guard, label %loop
guard:
  br i1 %master, label %guarded, label %join
guarded:
  store i64 %i, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}
