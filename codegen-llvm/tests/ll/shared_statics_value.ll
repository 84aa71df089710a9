; Shared memory has no contents when a block starts, so a shared variable cannot have an initial value.
; RUN: not omptarget-codegen vgpu -o /dev/null %s 2>&1 | FileCheck %s
; RUN: not omptarget-codegen ptx --arch sm_80 %s 2>&1 | FileCheck %s
; CHECK: shared variable `total` has an initial value: shared memory has none when a block starts

target triple = "nvptx64-nvidia-cuda"
@total = internal global i32 0, section ".omptarget.shared"

define ptx_kernel void @kernel(ptr %out) {
  %read = load volatile i32, ptr @total
  store i32 %read, ptr %out
  ret void
}
