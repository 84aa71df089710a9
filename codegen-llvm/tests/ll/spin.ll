; Loops that wait on memory let other threads run. Loops that end by themselves have no call.
; RUN: omptarget-codegen vgpu --emit-llvm -O1 --no-window-check %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: define internal{{.*}}@polls(
; IR: load volatile i32
; IR: call void @vgpu_spin(ptr
; IR: define internal{{.*}}@locks(
; IR: cmpxchg
; IR: call void @vgpu_spin(ptr
; IR: define internal{{.*}}@flushes(
; IR: call void @vgpu_spin(ptr
; IR: define internal{{.*}}@calls(
; IR: call void @vgpu_spin(ptr
; IR: define internal{{.*}}@counts(
; IR: atomicrmw
; IR: define internal{{.*}}@sleeps(
; IR: call void @vgpu_yield(ptr{{.*}}, i32 1)
; Four of the six loops wait, so four sites besides the one of nanosleep and entry 0.
; RUN: omptarget-codegen vgpu -O1 --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "sites":[{
; MANIFEST-SAME: "function":""},{
; MANIFEST-SAME: "function":"sleeps"},{
; MANIFEST-SAME: "function":"polls"},{
; MANIFEST-SAME: "function":"locks"},{
; MANIFEST-SAME: "function":"flushes"},{
; MANIFEST-SAME: "function":"calls"}]

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.nanosleep(i32)
define void @polls(ptr %flag) noinline {
  br label %iteration
iteration:
  %v = load volatile i32, ptr %flag
  %end = icmp ne i32 %v, 0
  br i1 %end, label %done, label %iteration
done:
  ret void
}
define void @locks(ptr %lock) noinline {
  br label %iteration
iteration:
  %pair = cmpxchg ptr %lock, i32 0, i32 1 acquire monotonic
  %end = extractvalue { i32, i1 } %pair, 1
  br i1 %end, label %done, label %iteration
done:
  ret void
}
define void @flushes(ptr %flag) noinline {
  br label %iteration
iteration:
  fence seq_cst
  %v = load i32, ptr %flag
  %end = icmp ne i32 %v, 0
  br i1 %end, label %done, label %iteration
done:
  ret void
}
define i1 @test(ptr %flag) noinline {
  %v = load atomic i32, ptr %flag acquire, align 4
  %end = icmp ne i32 %v, 0
  ret i1 %end
}
define void @calls(ptr %flag) noinline {
  br label %iteration
iteration:
  %end = call i1 @test(ptr %flag)
  br i1 %end, label %done, label %iteration
done:
  ret void
}
define void @counts(ptr %histogram, i32 %n) noinline {
  br label %iteration
iteration:
  %i = phi i32 [ 0, %0 ], [ %next, %iteration ]
  %old = atomicrmw add ptr %histogram, i32 1 monotonic
  %next = add i32 %i, 1
  %end = icmp sge i32 %next, %n
  br i1 %end, label %done, label %iteration
done:
  ret void
}
define void @sleeps(ptr %flag) noinline {
  br label %iteration
iteration:
  call void @llvm.nvvm.nanosleep(i32 10)
  %v = load volatile i32, ptr %flag
  %end = icmp ne i32 %v, 0
  br i1 %end, label %done, label %iteration
done:
  ret void
}
define ptx_kernel void @k(ptr %p, i32 %n) {
  call void @polls(ptr %p)
  call void @locks(ptr %p)
  call void @flushes(ptr %p)
  call void @calls(ptr %p)
  call void @counts(ptr %p, i32 %n)
  call void @sleeps(ptr %p)
  ret void
}
