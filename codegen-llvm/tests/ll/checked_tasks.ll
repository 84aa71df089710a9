; With --check=race, what a thread does with explicit tasks is announced, although the functions do nothing that LLVM could
; see: number 1 is the begin of a task, 2 its end, 4 `taskwait`, 0 says that a task was made, 5 is `taskwait depend`.
; RUN: omptarget-codegen vgpu --check=race --print-after access-checks --emit-llvm %s 2>&1 | FileCheck %s
; CHECK-LABEL: define{{.*}}@k(
; CHECK: %task = call ptr @__kmpc_omp_task_alloc(
; CHECK-NEXT: call void @vgpu.check_task(i32 0, ptr %task, i64 3, ptr null)
; CHECK: call void @vgpu.check_task(i32 1, ptr %task, i64 1, ptr %depends)
; CHECK-NEXT: call i32 @__kmpc_omp_task_with_deps(
; CHECK-NEXT: call void @vgpu.check_task(i32 2, ptr null, i64 0, ptr null)
; CHECK: call i32 @__kmpc_omp_taskwait(
; CHECK-NEXT: call void @vgpu.check_task(i32 4, ptr null, i64 0, ptr null)
; CHECK: call void @__kmpc_omp_taskwait_deps_51(
; CHECK-NEXT: call void @vgpu.check_task(i32 5, ptr null, i64 1, ptr %depends)

; Without the check nothing of it is left, nor is it where tasks may end later (`detach`).
; RUN: omptarget-codegen vgpu --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=NONE
; RUN: sed -e 's/;DETACH;//' %s | omptarget-codegen vgpu --check=race --emit-llvm 2>&1 | FileCheck %s --check-prefix=NONE
; NONE-NOT: vgpu_task
; NONE: @k(
; NONE-NOT: vgpu_task

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %x) {
  %depends = alloca [3 x i64]
  store i64 7, ptr %depends
  %task = call ptr @__kmpc_omp_task_alloc(ptr null, i32 0, i32 3, i64 40, i64 8, ptr @entry)
  %a = call i32 @__kmpc_omp_task_with_deps(ptr null, i32 0, ptr %task, i32 1, ptr %depends, i32 0, ptr null)
  %b = call i32 @__kmpc_omp_taskwait(ptr null, i32 0)
  call void @__kmpc_omp_taskwait_deps_51(ptr null, i32 0, i32 1, ptr %depends, i32 0, ptr null, i32 0)
;DETACH;  call void @__kmpc_task_allow_completion_event(ptr null, i32 0, ptr %task)
  ret void
}
define internal i32 @entry(i32 %thread, ptr %task) {
  ret i32 0
}
define ptr @__kmpc_omp_task_alloc(ptr %location, i32 %thread, i32 %flags, i64 %bytes, i64 %shareds, ptr %entry) {
  %task = call ptr @malloc(i64 %bytes)
  store ptr %entry, ptr %task
  ret ptr %task
}
define i32 @__kmpc_omp_task_with_deps(ptr %location, i32 %thread, ptr %task, i32 %count, ptr %depends, i32 %more, ptr %others) {
  %entry = load ptr, ptr %task
  %result = call i32 %entry(i32 %thread, ptr %task)
  ret i32 %result
}
define i32 @__kmpc_omp_taskwait(ptr %location, i32 %thread) alwaysinline memory(none) {
  ret i32 0
}
define void @__kmpc_omp_taskwait_deps_51(ptr %location, i32 %thread, i32 %count, ptr %depends, i32 %more, ptr %others, i32 %nowait) {
  ret void
}
define void @__kmpc_task_allow_completion_event(ptr %location, i32 %thread, ptr %task) {
  store i32 1, ptr %task
  ret void
}
declare ptr @malloc(i64)
