; In code that was PTX, a loop whose result only thread 0 uses moves over the barrier before the guard, and behind the
; guard. It stays where other threads do something between the two barriers, or where all use the result.
; RUN: omptarget-codegen vgpu %s --verify-each --print-after ptx-sink -o /dev/null 2>&1 | FileCheck %s
; CHECK: define void @searches(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: br i1 {{.*}}, label %entry, label %join
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: guard:
; CHECK-NEXT: br label %guarded
; CHECK: guarded:
; CHECK: store float %greater
; CHECK: join:
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK: define void @others_write(
; CHECK: loop:
; CHECK: br i1 %last, label %guard, label %loop
; CHECK: guard:
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: br i1 {{.*}}, label %guarded, label %join
; CHECK: define void @used_by_all(
; CHECK: guard:
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: br i1 {{.*}}, label %guarded, label %join
; CHECK: define void @writes_before_the_guard(
; CHECK: guard:
; CHECK: store
; CHECK: br i1 {{.*}}, label %guarded, label %join
; CHECK: define void @polls(
; CHECK: guard:
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: br i1 {{.*}}, label %guarded, label %join

target triple = "nvptx64-nvidia-cuda"
!omptarget.ptx = !{!0}
!0 = !{i32 1}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)

; Thread 0 searches between the barriers.
define ptx_kernel void @searches(ptr %array, ptr %to, ptr %each) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %thread, 0
  %many = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = getelementptr i32, ptr %each, i32 %thread
  store i32 %many, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi float [ 0.0, %entry ], [ %greater, %loop ]
  %place = getelementptr float, ptr %array, i64 %i
  %x = load float, ptr %place
  %more = fcmp ogt float %x, %most
  %greater = select i1 %more, float %x, float %most
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, 100
  br i1 %last, label %guard, label %loop
guard:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %others, label %join, label %guarded
guarded:
  store float %greater, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

; All threads write to what the loop may read, before the next barrier.
define ptx_kernel void @others_write(ptr %array, ptr %to, ptr %each) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %thread, 0
  %many = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = getelementptr i32, ptr %each, i32 %thread
  store i32 %many, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi float [ 0.0, %entry ], [ %greater, %loop ]
  %place = getelementptr float, ptr %array, i64 %i
  %x = load float, ptr %place
  %more = fcmp ogt float %x, %most
  %greater = select i1 %more, float %x, float %most
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, 100
  br i1 %last, label %guard, label %loop
guard:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %others, label %join, label %guarded
guarded:
  store float %greater, ptr %to
  br label %join
join:
  store i32 0, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

; All threads use the result.
define ptx_kernel void @used_by_all(ptr %array, ptr %to, ptr %each) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %thread, 0
  %many = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = getelementptr i32, ptr %each, i32 %thread
  store i32 %many, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi float [ 0.0, %entry ], [ %greater, %loop ]
  %place = getelementptr float, ptr %array, i64 %i
  %x = load float, ptr %place
  %more = fcmp ogt float %x, %most
  %greater = select i1 %more, float %x, float %most
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, 100
  br i1 %last, label %guard, label %loop
guard:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %others, label %join, label %guarded
guarded:
  store float %greater, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %their = getelementptr float, ptr %each, i32 %thread
  store float %greater, ptr %their
  ret void
}

; All threads write between the loop and the barrier.
define ptx_kernel void @writes_before_the_guard(ptr %array, ptr %to, ptr %each) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %thread, 0
  %many = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = getelementptr i32, ptr %each, i32 %thread
  store i32 %many, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi float [ 0.0, %entry ], [ %greater, %loop ]
  %place = getelementptr float, ptr %array, i64 %i
  %x = load float, ptr %place
  %more = fcmp ogt float %x, %most
  %greater = select i1 %more, float %x, float %most
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, 100
  br i1 %last, label %guard, label %loop
guard:
  store i32 0, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %others, label %join, label %guarded
guarded:
  store float %greater, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

; What others may write at any time is read again.
define ptx_kernel void @polls(ptr %array, ptr %to, ptr %each) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %thread, 0
  %many = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = getelementptr i32, ptr %each, i32 %thread
  store i32 %many, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi float [ 0.0, %entry ], [ %greater, %loop ]
  %place = getelementptr float, ptr %array, i64 %i
  %x = load volatile float, ptr %place
  %more = fcmp ogt float %x, %most
  %greater = select i1 %more, float %x, float %most
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, 100
  br i1 %last, label %guard, label %loop
guard:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br i1 %others, label %join, label %guarded
guarded:
  store float %greater, ptr %to
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}
