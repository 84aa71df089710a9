; What clang 22 calls and the device runtime of LLVM 19 does not have yet for AMD GPUs (bench/README.md): `parallel`
; without its last parameter; and what ROCm's device library defines, the version of code objects.
target triple = "amdgcn-amd-amdhsa"

@__oclc_ABI_version = hidden addrspace(4) constant i32 600

declare void @__kmpc_parallel_51(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64)

define hidden void @__kmpc_parallel_60(ptr %location, i32 %thread, i32 %condition, i32 %threads, i32 %bind, ptr %function, ptr %wrapper, ptr %arguments, i64 %count, i32 %strict) alwaysinline {
  call void @__kmpc_parallel_51(ptr %location, i32 %thread, i32 %condition, i32 %threads, i32 %bind, ptr %function, ptr %wrapper, ptr %arguments, i64 %count)
  ret void
}
