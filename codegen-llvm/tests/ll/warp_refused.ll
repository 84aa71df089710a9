; A kernel without a warp form has a reason; the other kernels have their warp forms.
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s
; CHECK: "name":"divergent_barrier"
; CHECK-SAME: "warp":{"Absent":"lanes of one warp may come to different barriers
; CHECK-SAME: in function `divergent_barrier`
; CHECK-SAME: "name":"waiting"
; CHECK-SAME: "warp":{"Absent":"a loop waits on memory that other threads write in function `waiting`
; CHECK-SAME: "name":"pointer"
; CHECK-SAME: "warp":{"Absent":"`again`, which calls itself, perhaps through a pointer, is called in
; CHECK-SAME: function `pointer`
; CHECK-SAME: "name":"elsewhere"
; CHECK-SAME: "warp":{"Absent":"an operation of a warp is used where lanes may be elsewhere
; CHECK-SAME: "name":"plain"
; CHECK-SAME: "warp":{"Present":{
; CHECK-SAME: "name":"own"
; CHECK-SAME: "warp":{"Absent":"it is asked whether an address is a thread's own
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @divergent_barrier(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %tid, 7
  br i1 %low, label %some, label %end
some:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  store i32 1, ptr %out
  br label %end
end:
  %p = getelementptr i32, ptr %out, i32 1
  store i32 2, ptr %p
  ret void
}
define ptx_kernel void @waiting(ptr %flag) {
  br label %iteration
iteration:
  %v = load atomic i32, ptr %flag monotonic, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %end, label %iteration
end:
  ret void
}
@again.pointer = global ptr @again
define ptx_kernel void @pointer(ptr %f) {
  call void @again(ptr %f)
  ret void
}
define internal void @again(ptr %f) {
  call void %f(ptr %f)
  ret void
}
define ptx_kernel void @elsewhere(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %tid, 7
  br i1 %low, label %some, label %end
some:
  %all = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %all, ptr %out
  br label %end
end:
  %p = getelementptr i32, ptr %out, i32 1
  store i32 2, ptr %p
  ret void
}
define ptx_kernel void @plain(ptr %out) {
  store i32 1, ptr %out
  ret void
}
define ptx_kernel void @own(ptr %p) {
  %local = call i1 @llvm.nvvm.isspacep.local(ptr %p)
  %bit = zext i1 %local to i32
  store i32 %bit, ptr %p
  ret void
}
declare i1 @llvm.nvvm.isspacep.local(ptr)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
