; 128-bit integers are divided by the engine's library. 16-byte atomics are the CPU's.
; RUN: omptarget-codegen vgpu -o /dev/null %s 2>&1 | FileCheck %s --allow-empty
; CHECK-NOT: error

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, i64 %x) {
  %a = load i128, ptr %p
  %w = zext i64 %x to i128
  %q = udiv i128 %a, %w
  store i128 %q, ptr %p
  %h = load half, ptr %p
  %d = fpext half %h to double
  store double %d, ptr %p
  ret void
}
