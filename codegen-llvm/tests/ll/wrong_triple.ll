; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the image has target triple spirv64-intel; the virtual GPU runs nvptx64 and amdgcn images

target triple = "spirv64-intel"
define spir_kernel void @k() {
  ret void
}
