; Inline assembly that does something is an error with its place.
; RUN: vgpu %s
; ERROR: cannot run the inline AMDGCN assembly `v_mov_b32 $0, $1` in function `k`

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr %out, i32 %x) {
  %v = call i32 asm "v_mov_b32 $0, $1", "=v,v"(i32 %x)
  store i32 %v, ptr %out
  ret void
}
