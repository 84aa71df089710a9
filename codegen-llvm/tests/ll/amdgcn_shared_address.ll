; An address in shared memory differs from block to block: only its offset may be in an initializer.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the address of shared variable `v` is in the initializer of `p`: it differs from block to block

target triple = "amdgcn-amd-amdhsa"
@v = internal addrspace(3) global i32 poison
@p = addrspace(1) global ptr addrspacecast (ptr addrspace(3) @v to ptr)

define amdgpu_kernel void @k() {
  store volatile i32 1, ptr addrspace(3) @v
  ret void
}
