; A frame that no thread's stack can hold is refused.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: stack frame size (1048448) exceeds limit (261888) in function 'big'

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @big(i64 %i) {
  %a = alloca [1048576 x i8]
  %p = getelementptr i8, ptr %a, i64 %i
  store volatile i8 1, ptr %p
  ret void
}
