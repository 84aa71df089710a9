; Inline assembly that does something is an error with its place.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: cannot run the inline AMDGCN assembly `v_mov_b32 $0, $1` in function `k`

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr %out, i32 %x) {
  %v = call i32 asm "v_mov_b32 $0, $1", "=v,v"(i32 %x)
  store i32 %v, ptr %out
  ret void
}
