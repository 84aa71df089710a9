; Visible variables are external and hidden, and in the manifest. A writable internal variable must not become a local
; of the kernel. Unused functions go.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=IR \
; RUN:   --implicit-check-not='protected' --implicit-check-not='comdat' --implicit-check-not='@unused'
; IR: @visible = hidden{{.*}}addrspace(1) global i32 7
; IR: @counter = hidden{{.*}}addrspace(1) global i32 0
; IR: @kept = hidden{{.*}}constant i64 3
; RUN: omptarget-codegen vgpu %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "globals":[{"name":"visible","symbol":"visible","size":4},{"name":"kept","symbol":"kept","size":8}]

target triple = "nvptx64-nvidia-cuda"
$visible = comdat any
@visible = weak_odr protected addrspace(1) global i32 7, comdat
@counter = internal addrspace(1) global i32 0
@kept = protected constant i64 3
@llvm.used = appending global [1 x ptr] [ptr @unused], section "llvm.metadata"
define void @unused() {
  ret void
}
define ptx_kernel void @k(ptr %p) norecurse {
  %v = load i32, ptr addrspace(1) @counter
  %next = add i32 %v, 1
  store i32 %next, ptr addrspace(1) @counter
  store i32 %v, ptr %p
  ret void
}
