; flang lists its shared variables in arrays that keep LLVM from dropping them, and the linker renames one of the arrays.
; They hold addresses that differ from block to block, but no code reads them.
; RUN: omptarget-codegen vgpu --print-after shared -o /dev/null %s 2>&1 | FileCheck %s --implicit-check-not=llvm.used \
; RUN:   --implicit-check-not=llvm.compiler.used
; CHECK: define{{.*}}@kernel(
target triple = "nvptx64-nvidia-cuda"

@scratch = internal addrspace(3) global [64 x i64] undef
@llvm.compiler.used.7 = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(3) @scratch to ptr)], section "llvm.metadata"
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(3) @scratch to ptr)], section "llvm.metadata"

define ptx_kernel void @kernel(ptr %out) {
  %value = load volatile i64, ptr addrspace(3) @scratch
  store i64 %value, ptr %out
  ret void
}
