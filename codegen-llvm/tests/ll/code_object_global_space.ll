; The name of a `critical` region has no address space in clang's code. It is in global memory, and nobody else's.
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a %s -o %t.so && llvm-objdump -d %t.so | FileCheck %s
; CHECK: global_atomic_cmpswap

target triple = "amdgcn-amd-amdhsa"
@"_gomp_critical_user_$var" = common global [8 x i32] zeroinitializer, align 8
define amdgpu_kernel void @k(ptr %out) {
  %pair = cmpxchg ptr @"_gomp_critical_user_$var", i32 0, i32 1 monotonic monotonic
  %before = extractvalue { i32, i1 } %pair, 0
  store i32 %before, ptr %out
  ret void
}
