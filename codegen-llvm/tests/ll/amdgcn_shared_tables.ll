; LLVM lowers AMD's shared memory at link time: to a structure per kernel, and to tables of offsets in a block's shared
; memory, which functions index by the kernel's number. The offsets become constants, the number a field of the context.
; RUN: omptarget-codegen vgpu --print-after segments -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=AFTER-SEGMENTS \
; RUN:   --implicit-check-not='call void @llvm.donothing()' --implicit-check-not='@llvm.amdgcn.kernel'
; AFTER-SEGMENTS: @offsets = internal unnamed_addr addrspace(4) constant [2 x [2 x i32]] {{\[\[}}2 x i32] [i32 64,
; AFTER-SEGMENTS-SAME: i32 68], [2 x i32] [i32 64, i32 poison]]
; AFTER-SEGMENTS: @dynamic.offsets = internal unnamed_addr addrspace(4) constant [2 x i32] [i32 80, i32 poison]
; AFTER-SEGMENTS: define{{.*}}void @f(
; AFTER-SEGMENTS: call i32 @lower.llvm.amdgcn.lds.kernel.id()
; AFTER-SEGMENTS: %{{.*}}= call ptr @vgpu.shared_base()
; AFTER-SEGMENTS: inttoptr i64 %{{.*}}to ptr addrspace(3)
; RUN: omptarget-codegen vgpu --print-after entries -o /dev/null --no-window-check %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=AFTER-ENTRIES
; AFTER-ENTRIES: define hidden void @vgpu.entry.two(
; AFTER-ENTRIES: getelementptr i8, ptr %0, i64 80
; AFTER-ENTRIES: store i32 1, ptr
; RUN: omptarget-codegen vgpu -o /dev/null %s

target datalayout = "e-p:64:64-p3:32:32-p4:64:64-p5:32:32-i64:64-n32:64-S32-A5-G1"
target triple = "amdgcn-amd-amdhsa"

@common = internal addrspace(3) global [16 x i32] poison, align 16
@llvm.amdgcn.kernel.one.lds = internal addrspace(3) global { i32, i32 } poison, align 16
@llvm.amdgcn.kernel.two.lds = internal addrspace(3) global [8 x i32] poison, align 16
@llvm.amdgcn.one.dynlds = external addrspace(3) global [0 x i8], align 1
@offsets = internal addrspace(4) constant [2 x [2 x i32]] [
  [2 x i32] [i32 ptrtoint (ptr addrspace(3) @llvm.amdgcn.kernel.one.lds to i32), i32 ptrtoint (ptr addrspace(3) getelementptr inbounds ({ i32, i32 }, ptr addrspace(3) @llvm.amdgcn.kernel.one.lds, i32 0, i32 1) to i32)],
  [2 x i32] [i32 ptrtoint (ptr addrspace(3) @llvm.amdgcn.kernel.two.lds to i32), i32 poison]]
@dynamic.offsets = internal addrspace(4) constant [2 x i32] [i32 ptrtoint (ptr addrspace(3) @llvm.amdgcn.one.dynlds to i32), i32 poison]

declare i32 @llvm.amdgcn.lds.kernel.id()
declare void @llvm.donothing()

define void @f(i32 %i) noinline {
  %number = call i32 @llvm.amdgcn.lds.kernel.id()
  %c = getelementptr i32, ptr addrspace(3) @common, i32 %i
  store volatile i32 1, ptr addrspace(3) %c
  %row = getelementptr [2 x [2 x i32]], ptr addrspace(4) @offsets, i32 0, i32 %number, i32 %i
  %offset = load i32, ptr addrspace(4) %row
  %p = inttoptr i32 %offset to ptr addrspace(3)
  store volatile i32 2, ptr addrspace(3) %p
  %drow = getelementptr [2 x i32], ptr addrspace(4) @dynamic.offsets, i32 0, i32 %number
  %doffset = load i32, ptr addrspace(4) %drow
  %d = inttoptr i32 %doffset to ptr addrspace(3)
  store volatile i8 3, ptr addrspace(3) %d
  ret void
}

define amdgpu_kernel void @one() !llvm.amdgcn.lds.kernel.id !0 {
  call void @llvm.donothing() [ "ExplicitUse"(ptr addrspace(3) @llvm.amdgcn.kernel.one.lds) ]
  call void @llvm.donothing() [ "ExplicitUse"(ptr addrspace(3) @llvm.amdgcn.one.dynlds) ]
  call void @f(i32 0)
  ret void
}

define amdgpu_kernel void @two() !llvm.amdgcn.lds.kernel.id !1 {
  call void @llvm.donothing() [ "ExplicitUse"(ptr addrspace(3) @llvm.amdgcn.kernel.two.lds) ]
  call void @f(i32 0)
  ret void
}

!0 = !{i32 0}
!1 = !{i32 1}
