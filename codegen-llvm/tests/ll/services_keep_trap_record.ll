; An image with AMD's device services keeps its trap record, which the plugin provides. Others have none.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; RUN: sed s/__omptarget_printf_buffer/another/ %s | omptarget-codegen vgpu --emit-llvm --no-window-check 2>&1 | FileCheck %s --check-prefix=WITHOUT
; CHECK: load volatile ptr, {{.*}}@__omptarget_trap_record
; WITHOUT-NOT: load volatile ptr, {{.*}}@__omptarget_trap_record

target triple = "amdgcn-amd-amdhsa"
@__omptarget_printf_buffer = protected addrspace(1) global [4 x i64] zeroinitializer
@__omptarget_trap_record = protected addrspace(1) global ptr null
define amdgpu_kernel void @k(ptr %out) {
  %record = load volatile ptr, ptr addrspace(1) @__omptarget_trap_record
  store ptr %record, ptr %out
  ret void
}
