; Volatile accesses to shared variables use instructions for shared memory, but for those behind a call. A nest word that
; is only stored again is nobody's (on AMD GPUs every barrier stores it again).
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a --print-after shared-accesses %s -o %t.so 2>&1 | FileCheck %s
; CHECK-NOT: nest_seen
; CHECK: load volatile i32, ptr addrspace(3) @omptarget.team_shape
; CHECK: call fastcc void @other(
; CHECK-NEXT: store volatile i32 0, ptr addrspacecast (ptr addrspace(3) @omptarget.team_shape to ptr)

target triple = "amdgcn-amd-amdhsa"
@omptarget.team_shape = internal addrspace(3) global i32 poison
@omptarget.nest_seen = internal addrspace(3) global i16 poison
@out = protected addrspace(1) global i32 0
@k_kernel_environment = weak_odr protected constant { { i8, i8, i8 } } { { i8, i8, i8 } { i8 0, i8 0, i8 1 } }
declare void @llvm.amdgcn.s.barrier()
define internal void @other(i32 %size) noinline {
  store volatile i32 %size, ptr addrspace(1) @out
  ret void
}
define amdgpu_kernel void @k(i32 %n) {
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %show, label %barrier
show:
  store i16 2, ptr addrspace(3) @omptarget.nest_seen
  br label %barrier
barrier:
  %nest = load i16, ptr addrspace(3) @omptarget.nest_seen
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store i16 %nest, ptr addrspace(3) @omptarget.nest_seen
  %size = load volatile i32, ptr addrspacecast (ptr addrspace(3) @omptarget.team_shape to ptr)
  call void @other(i32 %size)
  store volatile i32 0, ptr addrspacecast (ptr addrspace(3) @omptarget.team_shape to ptr)
  ret void
}
