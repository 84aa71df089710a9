; What clang 22 calls and the device runtime of LLVM 19 does not have yet (bench/README.md): `parallel` without its last parameter.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @__kmpc_parallel_51(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64)

define hidden void @__kmpc_parallel_60(ptr %location, i32 %thread, i32 %condition, i32 %threads, i32 %bind, ptr %function, ptr %wrapper, ptr %arguments, i64 %count, i32 %strict) alwaysinline {
  call void @__kmpc_parallel_51(ptr %location, i32 %thread, i32 %condition, i32 %threads, i32 %bind, ptr %function, ptr %wrapper, ptr %arguments, i64 %count)
  ret void
}
