; RUN: not omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s
; CHECK: the image's target triple is `x86_64-unknown-linux-gnu`, PTX needs nvptx64

target triple = "x86_64-unknown-linux-gnu"
define void @k() {
  ret void
}
