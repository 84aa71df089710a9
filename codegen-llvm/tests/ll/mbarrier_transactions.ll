; Transaction counts of another block's barrier are refused: a cluster has one block.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the virtual GPU does not know the intrinsic
; CHECK-SAME: `llvm.nvvm.mbarrier.expect.tx.scope.cluster.space.cluster`, used in function `k`

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.mbarrier.expect.tx.scope.cluster.space.cluster(ptr addrspace(7), i32)
define ptx_kernel void @k(ptr addrspace(7) %p) {
  call void @llvm.nvvm.mbarrier.expect.tx.scope.cluster.space.cluster(ptr addrspace(7) %p, i32 32)
  ret void
}
