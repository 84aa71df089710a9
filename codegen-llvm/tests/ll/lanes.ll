; The device runtime of AMD GPUs learns that lanes make independent progress.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: @__omptarget_independent_lanes = {{.*}}global i32 1

target triple = "amdgcn-amd-amdhsa"
@__omptarget_independent_lanes = protected addrspace(1) global i32 0
define amdgpu_kernel void @k(ptr %out) {
  %value = load volatile i32, ptr addrspace(1) @__omptarget_independent_lanes
  store i32 %value, ptr %out
  ret void
}
