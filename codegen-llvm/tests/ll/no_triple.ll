; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: the image has no target triple

define void @k() {
  ret void
}
