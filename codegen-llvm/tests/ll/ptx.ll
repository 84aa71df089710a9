; PTX is for the architecture asked for, not for the one in the image. Constructors become kernels.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s --check-prefix=PTX
; PTX: .target sm_90
; PTX: .visible .entry k(
; PTX: bar.sync
; PTX: .entry nvptx$device$init
; RUN: omptarget-codegen ptx --arch sm_75 -O0 %s 2>&1 | FileCheck %s --check-prefix=O0
; O0: .target sm_75

target triple = "nvptx64-nvidia-cuda"
@out = addrspace(1) global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]
declare void @llvm.nvvm.barrier0()
define internal void @start() {
  store i32 1, ptr addrspace(1) @out
  ret void
}
define ptx_kernel void @k() "target-cpu"="sm_80" "target-features"="+ptx71,+sm_80" {
  store i32 2, ptr addrspace(1) @out
  call void @llvm.nvvm.barrier0()
  store i32 3, ptr addrspace(1) @out
  ret void
}
