; RUN: ptx --arch sm_90 %s
; ERROR: the image's target triple is `x86_64-unknown-linux-gnu`, PTX needs nvptx64

target triple = "x86_64-unknown-linux-gnu"
define void @k() {
  ret void
}
