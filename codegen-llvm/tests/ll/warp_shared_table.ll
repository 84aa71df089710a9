; A table of shared addresses, which LLVM names like variables of its own, is part of a kernel's warp form.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --emit-llvm %s 2>&1 | FileCheck %s
; CHECK: @llvm.amdgcn.lds.offset.table
; CHECK: define {{.*}}vgpu.warp

target triple = "amdgcn-amd-amdhsa"
@llvm.amdgcn.lds.offset.table = internal addrspace(4) constant [2 x i32] [i32 8, i32 24]
define amdgpu_kernel void @k(ptr %out, i64 %row) {
  %at = getelementptr [2 x i32], ptr addrspace(4) @llvm.amdgcn.lds.offset.table, i64 0, i64 %row
  %offset = load i32, ptr addrspace(4) %at
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %place = getelementptr i32, ptr %out, i32 %item
  store i32 %offset, ptr %place
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
