; A trap in the middle of a function does not keep LLVM from the blocks after it, whose additions are made of two.
; Without lanes in it, the trap is jumped over.
; RUN: omptarget-codegen amdgcn --mcpu=gfx1100 %s -o %t.co && llvm-objdump -d %t.co | FileCheck %s
; RUN: omptarget-codegen amdgcn --mcpu=gfx11-generic %s -o %t.generic.co
; RUN: omptarget-codegen amdgcn --mcpu=gfx1030 -O0 %s -o %t.other.co && llvm-objdump -d %t.other.co | FileCheck %s --check-prefix=OTHER
; CHECK: s_cbranch_execz
; CHECK: s_trap 2
; CHECK: s_sendmsg sendmsg(MSG_INTERRUPT)
; CHECK: s_sethalt 5
; OTHER: s_trap 2
; OTHER-NOT: s_sendmsg

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.trap()
define protected amdgpu_kernel void @k(ptr addrspace(1) %p, i64 %n) #0 {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %wide = zext i32 %lane to i64
  br label %loop
loop:
  %i = phi i64 [ %wide, %0 ], [ %next, %more ]
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %i
  %value = load volatile i64, ptr addrspace(1) %at
  %bad = icmp eq i64 %value, 7
  br i1 %bad, label %fail, label %more
fail:
  call void @llvm.trap()
  unreachable
more:
  %sum = add i64 %value, %n
  store volatile i64 %sum, ptr addrspace(1) %at
  %next = add i64 %i, %value
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
attributes #0 = { "target-features"="+wavefrontsize32" }
