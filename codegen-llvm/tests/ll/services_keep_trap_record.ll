; An image for AMD GPUs has a trap record if it has the device services, and keeps it. Others have none.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; RUN: sed -e s/amdgcn-amd-amdhsa/nvptx64-nvidia-cuda/ -e s/amdgpu_kernel/ptx_kernel/ %s | omptarget-codegen vgpu --emit-llvm --no-window-check 2>&1 | FileCheck %s --check-prefix=WITHOUT
; CHECK: load volatile ptr, {{.*}}@__omptarget_trap_record
; WITHOUT-NOT: load volatile ptr, {{.*}}@__omptarget_trap_record

target triple = "amdgcn-amd-amdhsa"
@__omptarget_trap_record = protected addrspace(1) global ptr null
define amdgpu_kernel void @k(ptr %out) {
  %record = load volatile ptr, ptr addrspace(1) @__omptarget_trap_record
  store ptr %record, ptr %out
  ret void
}
