; RUN: vgpu %s
; ERROR: the virtual GPU does not know the intrinsic `llvm.nvvm.tcgen05.wait.ld`, used in function `k` (compile with -g for the line)

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.tcgen05.wait.ld()
define ptx_kernel void @k() {
  call void @llvm.nvvm.tcgen05.wait.ld()
  ret void
}
