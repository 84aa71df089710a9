; A shared variable's address differs from block to block, so it cannot initialise another.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the address of shared variable `tile` is in the initializer of `pointer`

target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [8 x i32] undef
@pointer = addrspace(1) global ptr addrspacecast (ptr addrspace(3) @tile to ptr)
define ptx_kernel void @k() {
  %p = load volatile ptr, ptr addrspace(1) @pointer
  ret void
}
