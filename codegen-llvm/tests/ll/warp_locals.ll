; Each lane has its own copy of a local variable; if not all of them fit on the warp's stack, threads run the kernel.
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s
; CHECK: "name":"small"
; CHECK-SAME: "warp":{"Present"
; CHECK-SAME: "name":"large"
; CHECK-SAME: "warp":{"Absent":"with this local variable the lanes' copies take more than 7 MiB in function `large`
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @small(ptr %out, i32 %i) {
  %local = alloca [50000 x i32]
  %at = getelementptr [50000 x i32], ptr %local, i32 0, i32 %i
  store volatile i32 1, ptr %at
  ret void
}
define ptx_kernel void @large(ptr %out, i32 %i) {
  %local = alloca [60000 x i32]
  %at = getelementptr [60000 x i32], ptr %local, i32 0, i32 %i
  store volatile i32 1, ptr %at
  ret void
}
