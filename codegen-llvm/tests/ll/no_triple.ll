; RUN: vgpu %s
; ERROR: the image has no target triple

define void @k() {
  ret void
}
