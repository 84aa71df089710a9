; clang's device link has placed the kernel's shared variable at 4. The optimiser must not align it to 8 for the 8 bytes that
; are loaded: the back end would give up.
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a --print-after release-placed %s -o %t.so 2>&1 | FileCheck %s
; CHECK: @llvm.amdgcn.kernel.k.lds = {{.*}}, align 4, !absolute_symbol

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32"
target triple = "amdgcn-amd-amdhsa"
%pair = type { i32, i32 }
@llvm.amdgcn.kernel.k.lds = internal addrspace(3) global %pair poison, align 4, !absolute_symbol !1

define protected amdgpu_kernel void @k(ptr addrspace(1) %to, i64 %value) #0 {
  %thread = call i32 @llvm.amdgcn.workitem.id.x()
  %number = zext i32 %thread to i64
  %own = add i64 %value, %number
  store i64 %own, ptr addrspace(3) @llvm.amdgcn.kernel.k.lds, align 4
  call void @llvm.amdgcn.s.barrier()
  %back = load i64, ptr addrspace(3) @llvm.amdgcn.kernel.k.lds, align 4
  store i64 %back, ptr addrspace(1) %to
  ret void
}
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "amdgpu-lds-size"="12" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 4, i32 5}
