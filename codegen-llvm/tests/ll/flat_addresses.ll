; An access through a cast of a flat address does without the cast, so that LLVM makes vectors of the loop.
; RUN: omptarget-codegen vgpu --cpu x86-64-v3 --print-after flat-addresses -o /dev/null %s 2>&1 | FileCheck %s
; RUN: omptarget-codegen vgpu --cpu x86-64-v3 --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=VECTORS
; CHECK: @scale(
; CHECK: load double, ptr %from,
; CHECK: store double %product, ptr %to,
; CHECK: @other(
; CHECK: atomicrmw add ptr %at,
; CHECK: cmpxchg ptr %at,
; CHECK: load volatile i32, ptr addrspace(1) %global,
; VECTORS: @scale(
; VECTORS: fmul <4 x double>

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @scale(ptr %in, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext nneg i32 %i to i64
  %from = getelementptr inbounds double, ptr %in, i64 %wide
  %from1 = addrspacecast ptr %from to ptr addrspace(1)
  %value = load double, ptr addrspace(1) %from1
  %product = fmul double %value, %value
  %to = getelementptr inbounds double, ptr %out, i64 %wide
  %to1 = addrspacecast ptr %to to ptr addrspace(1)
  store double %product, ptr addrspace(1) %to1
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @other(ptr %at, ptr addrspace(1) %global) {
  %at1 = addrspacecast ptr %at to ptr addrspace(1)
  %old = atomicrmw add ptr addrspace(1) %at1, i32 1 monotonic
  %pair = cmpxchg ptr addrspace(1) %at1, i32 1, i32 2 monotonic monotonic
  %value = load volatile i32, ptr addrspace(1) %global
  ret void
}
