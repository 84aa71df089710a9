; One thread per element; then a shuffle, shared memory, a barrier: everything together, at every level.
; RUN: omptarget-codegen vgpu -O0 %s 2>&1 | FileCheck %s --check-prefix=O0
; O0: {"name":"saxpy","symbol":"vgpu.entry.saxpy","parameters":[{"offset":0,"size":4},
; O0-SAME: {"offset":4,"size":4},{"offset":8,"size":8},{"offset":16,"size":8}],"max_threads":256,"static_shared":128
; RUN: omptarget-codegen vgpu -O1 --verify-each %s 2>&1 | FileCheck %s --check-prefix=O1
; O1: "static_shared":128
; RUN: omptarget-codegen vgpu -O3 --verify-each %s 2>&1 | FileCheck %s --check-prefix=O3
; O3: "static_shared":128
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

@partial = internal addrspace(3) global [32 x float] undef, align 4
@calls = addrspace(1) global i32 0, align 4
@dynamic = external addrspace(3) global [0 x i8], align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier0()
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)

define ptx_kernel void @saxpy(i32 %n, float %a, ptr %x, ptr addrspace(1) %y) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %cta = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %cta, %ntid
  %i = add i32 %base, %tid
  %in = icmp slt i32 %i, %n
  br i1 %in, label %work, label %done
work:
  %i64 = sext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %i64
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i64
  %vx = load float, ptr %px
  %vy = load float, ptr addrspace(1) %py
  %m = fmul float %a, %vx
  %s = fadd float %m, %vy
  store float %s, ptr addrspace(1) %py
  br label %done
done:
  %z = phi float [ 0.0, %0 ], [ %s, %work ]
  %o = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %z, i32 1, i32 31)
  %lane = and i32 %tid, 31
  %slot = getelementptr [32 x float], ptr addrspacecast (ptr addrspace(3) @partial to ptr), i32 0, i32 %lane
  store float %o, ptr %slot
  store float %o, ptr addrspace(3) @dynamic
  call void @llvm.nvvm.barrier0()
  %old = atomicrmw add ptr addrspace(1) @calls, i32 1 monotonic
  %b = load float, ptr addrspace(3) getelementptr ([32 x float], ptr addrspace(3) @partial, i32 0, i32 3)
  store float %b, ptr addrspace(1) %y
  ret void
}
attributes #0 = { "nvvm.maxntid"="256" "target-cpu"="sm_80" }
