; mbarrier objects count down, then flip the phase.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: store volatile i64 33554464, ptr %
; CHECK: load volatile i64, ptr %
; CHECK: store volatile i64
; A loop that tests the barrier lets the others run.
; CHECK: call void @vgpu_spin(ptr
; CHECK: call void @vgpu_yield(ptr

target triple = "nvptx64-nvidia-cuda"
@barrier = internal addrspace(3) global i64 undef, align 8
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)

define ptx_kernel void @k(ptr %p) {
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @barrier, i32 32)
  %state = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @barrier)
  br label %wait
wait:
  %done = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @barrier, i64 %state)
  br i1 %done, label %next, label %wait
next:
  %r = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @barrier, i32 0)
  store volatile i1 %r, ptr %p
  ret void
}
