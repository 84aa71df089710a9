; Threads that never wait have a loop also where the kernel has no warp form. Threads that wait have none, nor have those
; that a debugger shows.
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s
; CHECK: "name":"recursive"
; CHECK-SAME: "warp":{"Absent":"a function calls itself, directly or through others"},"threads":"vgpu.threads.recursive"
; CHECK-SAME: "name":"waiting"
; CHECK-SAME: "warp":{"Absent":"a function calls itself, directly or through others"},"refusal":null
; CHECK-SAME: "name":"debugged"
; CHECK-SAME: "warp":{"Absent":"a function calls itself, directly or through others"},"refusal":null
; RUN: omptarget-codegen vgpu %s 2>&1 | FileCheck %s --check-prefix=FIBERS
; FIBERS-NOT: "threads":
; FIBERS: "name":"debugged"
target triple = "nvptx64-nvidia-cuda"

define internal i32 @fibonacci(i32 %n) noinline {
  %ends = icmp ult i32 %n, 2
  br i1 %ends, label %end, label %more
more:
  %one = sub i32 %n, 1
  %two = sub i32 %n, 2
  %a = call i32 @fibonacci(i32 %one)
  %b = call i32 @fibonacci(i32 %two)
  %sum = add i32 %a, %b
  ret i32 %sum
end:
  ret i32 %n
}
define ptx_kernel void @recursive(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %value = call i32 @fibonacci(i32 %tid)
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  store i32 %value, ptr %at
  ret void
}
define ptx_kernel void @waiting(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %value = call i32 @fibonacci(i32 %tid)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  store i32 %value, ptr %at
  ret void
}
define ptx_kernel void @debugged(ptr %out) noinline optnone {
  %value = call i32 @fibonacci(i32 3)
  store i32 %value, ptr %out
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
