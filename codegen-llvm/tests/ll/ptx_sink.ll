; In code that was PTX, a loop whose result only thread 0 uses moves over the barrier before the guard, and behind the
; guard. It stays where other threads do something between the two barriers, where all use the result, where not all
; threads come to the barriers, and in kernels that openmp-opt has not made.
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
; CHECK: define void @in_a_loop(
; CHECK: br label
; CHECK: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: br i1 {{.*}}, label %rows, label %join
; CHECK: guard:
; CHECK-NEXT: br label %guarded
; CHECK: define void @under_a_condition(
; CHECK: guard:
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: br i1 {{.*}}, label %guarded, label %join
; CHECK: define void @of_the_programs_own(
; CHECK: guard:
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK-NEXT: br i1 {{.*}}, label %guarded, label %join
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
; The mode is the third byte, as in PTX.
@searches_kernel_environment = constant [6 x i64] [i64 4295163904, i64 0, i64 0, i64 0, i64 0, i64 0]
@in_a_loop_kernel_environment = constant [6 x i64] [i64 4295163904, i64 0, i64 0, i64 0, i64 0, i64 0]
@under_a_condition_kernel_environment = constant [6 x i64] [i64 4295163904, i64 0, i64 0, i64 0, i64 0, i64 0]
@others_write_kernel_environment = constant [6 x i64] [i64 4295163904, i64 0, i64 0, i64 0, i64 0, i64 0]
@used_by_all_kernel_environment = constant [6 x i64] [i64 4295163904, i64 0, i64 0, i64 0, i64 0, i64 0]
@writes_before_the_guard_kernel_environment = constant [6 x i64] [i64 4295163904, i64 0, i64 0, i64 0, i64 0, i64 0]
@polls_kernel_environment = constant [6 x i64] [i64 4295163904, i64 0, i64 0, i64 0, i64 0, i64 0]
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

; The same, row after row.
define ptx_kernel void @in_a_loop(ptr %array, ptr %to, ptr %each, i32 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %thread, 0
  %many = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = getelementptr i32, ptr %each, i32 %thread
  store i32 %many, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %rows
rows:
  %row = phi i32 [ 0, %entry ], [ %following, %join ]
  br label %search
search:
  br label %loop
loop:
  %i = phi i64 [ 0, %search ], [ %next, %loop ]
  %most = phi float [ 0.0, %search ], [ %greater, %loop ]
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
  %following = add i32 %row, 1
  %ends = icmp eq i32 %following, %n
  br i1 %ends, label %end, label %rows
end:
  ret void
}

; The other threads meet these at other barriers, and write between them.
define ptx_kernel void @under_a_condition(ptr %array, ptr %to, ptr %each) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %thread, 0
  %many = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = getelementptr i32, ptr %each, i32 %thread
  store i32 %many, ptr %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %few = icmp ult i32 %thread, 64
  br i1 %few, label %search, label %elsewhere
elsewhere:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  store i32 0, ptr %array
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
search:
  br label %loop
loop:
  %i = phi i64 [ 0, %search ], [ %next, %loop ]
  %most = phi float [ 0.0, %search ], [ %greater, %loop ]
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

; The program's own code.
define ptx_kernel void @of_the_programs_own(ptr %array, ptr %to, ptr %each) {
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
