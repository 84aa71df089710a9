; Kernels with more than 4 KiB of parameters need PTX 8.1, others nothing newer than their architecture.
; RUN: omptarget-codegen ptx --arch sm_80 %s 2>&1 | FileCheck %s
; CHECK: .version 8.1
; RUN: omptarget-codegen ptx --arch sm_100 %s 2>&1 | FileCheck %s --check-prefix=NEWER
; NEWER: .version 8.6

target triple = "nvptx64-nvidia-cuda"
%large = type { [2000 x i32] }
define ptx_kernel void @k(ptr byval(%large) %parameter, ptr %out) {
  %value = load i32, ptr %parameter
  store i32 %value, ptr %out
  ret void
}
