; Addresses per lane are computed in the unlikely blocks that want them: where elements are not consecutive, or outside
; of device memory.
; RUN: omptarget-codegen vgpu --warp-forms --cpu x86-64-v4 --emit-llvm %s 2>&1 | FileCheck %s
; CHECK-LABEL: define hidden void @vgpu.warp.copy
; CHECK: head:
; CHECK-NOT: <32 x i64>
; CHECK: br i1
; CHECK-COUNT-4: sext <32 x i32>
; CHECK: }

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @copy(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %first) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = add i32 %tid, %first
  %at64 = sext i32 %at to i64
  %from = getelementptr float, ptr addrspace(1) %in, i64 %at64
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %out, i64 %at64
  store float %value, ptr addrspace(1) %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
