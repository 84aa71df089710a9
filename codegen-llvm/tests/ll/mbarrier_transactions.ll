; Transaction counts, which need the asynchronous copy engine, are refused.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the virtual GPU does not know the intrinsic
; CHECK-SAME: `llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta`, used in function `k`

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
define ptx_kernel void @k(ptr addrspace(3) %p) {
  call void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3) %p, i32 32)
  ret void
}
