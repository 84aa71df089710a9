; Launch bounds by attribute and by annotation, as `inspect` reports them.
; RUN: omptarget-codegen inspect %s 2>&1 | FileCheck %s
; CHECK: "name": "attribute"
; CHECK: "max_threads": 128
; CHECK: "name": "notes"
; CHECK: "max_threads": 64
; CHECK: "name": "unbounded"
; CHECK: "max_threads": null

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @attribute() "nvvm.maxntid"="32,4" {
  ret void
}
define void @notes() {
  ret void
}
define ptx_kernel void @unbounded() {
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @notes, !"kernel", i32 1}
!1 = !{ptr @notes, !"maxntidx", i32 16, !"maxntidy", i32 4}
