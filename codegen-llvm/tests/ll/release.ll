; An image that another release of the device runtime is linked into: the compiler says so, and compiles it.
; RUN: omptarget-codegen inspect %s | FileCheck %s --check-prefix=INSPECT
; RUN: omptarget-codegen vgpu -o /dev/null %s 2>&1 | FileCheck %s
; RUN: omptarget-codegen ptx --arch=sm_80 -o /dev/null %s 2>&1 | FileCheck %s
; INSPECT: "runtime_release": "0.0.1"
; CHECK: warning: the image's device runtime is of omptarget 0.0.1, this is {{.*}}: link the program again

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @nothing() {
  ret void
}

!llvm.ident = !{!0, !1}
!0 = !{!"clang version 22.1.8"}
!1 = !{!"omptarget 0.0.1 device runtime"}
