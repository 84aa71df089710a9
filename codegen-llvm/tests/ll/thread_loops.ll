; A kernel whose threads never wait has a loop over the threads of a block. What all threads have in common is computed
; before it, and the kernel's entry is a call for one thread. The context is that of the running thread where a function
; is called that may ask for it, and only there. Threads that wait, even if only for the lanes of their warp, have no
; loop: a warp form need not wait for those.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=IR \
; RUN:   --implicit-check-not='@vgpu.threads.shuffles' --implicit-check-not='@vgpu.threads.exits'
; IR-LABEL: define hidden void @vgpu.entry.shared(ptr %0, ptr %1)
; IR: call void @vgpu.threads.shared(
; IR-LABEL: define internal {{.*}}void @shared(
; IR: subgroups:
; IR: sdiv i32
; IR: head:
; IR-NOT: sdiv
; IR-NOT: store i32 {{.*}}, ptr %0
; IR: store i32 {{.*}}, ptr %at
; IR: br i1 {{.*}}, label %head, label %further
; IR-LABEL: define hidden void @vgpu.threads.shared(ptr %0, ptr %1, i64 %2)
; IR: call {{.*}}void @shared(
; IR-LABEL: define internal {{.*}}void @allocates(
; IR: store i32 {{.*}}, ptr %0
; IR: call ptr @vgpu_malloc(ptr {{.*}}%0,
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @shared(ptr %out, i32 %a, i32 %b) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = or i32 %b, 1
  %quotient = sdiv i32 %a, %odd
  %at = getelementptr i32, ptr %out, i32 %tid
  %old = load volatile i32, ptr %at
  %sum = add i32 %old, %quotient
  store i32 %sum, ptr %at
  ret void
}
define ptx_kernel void @shuffles(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %out, i32 %tid
  %own = load i32, ptr %at
  %other = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %own, i32 1, i32 31)
  store i32 %other, ptr %at
  ret void
}
define ptx_kernel void @exits(ptr %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %over = icmp sge i32 %tid, %n
  br i1 %over, label %exit, label %go
exit:
  call void @llvm.nvvm.exit()
  unreachable
go:
  %at = getelementptr i32, ptr %out, i32 %tid
  store i32 1, ptr %at
  ret void
}
define ptx_kernel void @allocates(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr ptr, ptr %out, i32 %tid
  %new = call ptr @malloc(i64 8)
  store ptr %new, ptr %at
  ret void
}
declare ptr @malloc(i64)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.exit()
