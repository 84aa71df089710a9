; An AMDGCN image's kernels, with their launch bounds.
; RUN: omptarget-codegen inspect %s 2>&1 | FileCheck %s
; CHECK: "triple": "amdgcn-amd-amdhsa"
; CHECK: "cpu": "gfx90a"
; CHECK: "warp_size": 64
; CHECK: "name": "k"
; CHECK: "mode": "spmd"
; CHECK: "max_threads": 256

target triple = "amdgcn-amd-amdhsa"

@k_kernel_environment = weak_odr protected addrspace(1) constant { { i8, i8, i8, i32, i32, i32, i32, i32, i32 }, ptr, ptr } { { i8, i8, i8, i32, i32, i32, i32, i32, i32 } { i8 0, i8 0, i8 2, i32 1, i32 256, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }

define amdgpu_kernel void @k(ptr %x) #0 {
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
