; An intrinsic that the virtual GPU does not know is refused by name and place.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the virtual GPU does not know the intrinsic `llvm.amdgcn.queue.ptr`, used in function `k`

target triple = "amdgcn-amd-amdhsa"

declare ptr addrspace(4) @llvm.amdgcn.queue.ptr()

define amdgpu_kernel void @k(ptr %out) {
  %q = call ptr addrspace(4) @llvm.amdgcn.queue.ptr()
  store ptr addrspace(4) %q, ptr %out
  ret void
}
