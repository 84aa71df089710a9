; A kernel with assembly or an intrinsic that the virtual GPU does not have is refused. Its neighbour runs.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK-LABEL: define {{.*}}@multiply(
; CHECK: call void @vgpu_trap(
; CHECK-LABEL: define {{.*}}@load(
; CHECK: call void @vgpu_trap(
; CHECK-LABEL: define {{.*}}@add(
; CHECK-NOT: vgpu_trap
; CHECK: store

target triple = "nvptx64-nvidia-cuda"
declare { i32, i32 } @llvm.nvvm.wgmma.unknown(ptr)

define ptx_kernel void @multiply() {
  call void asm sideeffect "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {};", ""()
  ret void
}

define ptx_kernel void @load(ptr %p) {
  %both = call { i32, i32 } @llvm.nvvm.wgmma.unknown(ptr %p)
  %x = extractvalue { i32, i32 } %both, 0
  store i32 %x, ptr %p
  ret void
}

define ptx_kernel void @add(ptr %p) {
  store i32 1, ptr %p
  ret void
}
