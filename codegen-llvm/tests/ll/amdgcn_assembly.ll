; Empty inline assembly only restrains the compiler, and stays.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: call i32 asm sideeffect "", "=r,0"(i32 %

target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr %out, i32 %x) {
  %v = call i32 asm sideeffect "", "=v,0"(i32 %x)
  store i32 %v, ptr %out
  ret void
}
