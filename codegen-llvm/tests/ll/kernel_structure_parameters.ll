; A parameter takes as many 8-byte words as it needs. A structure becomes a copy on the thread's stack, which is filled
; although the kernel's attributes say that it reads no memory.
; RUN: omptarget-codegen vgpu --print-after entries -O0 -o /dev/null %s 2>&1 | FileCheck %s
; CHECK: define internal void @k(i32 %a, ptr %b, i8 %c) #0
; CHECK: define {{.*}} void @vgpu.entry.k(ptr %0, ptr %1)
; CHECK: load i32, ptr
; CHECK: getelementptr i8, ptr %1, i64 8
; CHECK: alloca { i64, i64 }, align 16
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 16 {{.*}}, ptr align 8 {{.*}}, i64 16
; CHECK: getelementptr i8, ptr %1, i64 24
; CHECK: load i8, ptr
; CHECK: attributes #0 = { noinline nounwind "probe-stack"

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(i32 %a, ptr byval({ i64, i64 }) %b, i8 %c) memory(argmem: write) {
  %value = load i64, ptr %b
  store i64 %value, ptr %b
  ret void
}
