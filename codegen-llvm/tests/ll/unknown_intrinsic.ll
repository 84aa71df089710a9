; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the virtual GPU does not know the intrinsic `llvm.nvvm.tcgen05.wait.ld`, used in function
; CHECK-SAME: `k` (compile with -g for the line)

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.tcgen05.wait.ld()
define ptx_kernel void @k() {
  call void @llvm.nvvm.tcgen05.wait.ld()
  ret void
}
