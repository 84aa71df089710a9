; A parameter takes as many 8-byte words as it needs. A structure's words are parameters, which the kernel stores to a
; variable of its own, although its attributes say that it reads no memory. A large structure becomes a copy on the
; thread's stack instead.
; RUN: omptarget-codegen vgpu --print-after entries -O0 -o /dev/null %s 2>&1 | FileCheck %s
; CHECK: define internal void @large(i32 %a, ptr %b) #[[KERNEL:[0-9]+]]
; CHECK: define internal void @k(i32 %a, i64 %0, i64 %1, i8 signext %c) #[[KERNEL]]
; CHECK-NEXT: [[COPY:%[0-9]+]] = alloca [2 x i64], align 16
; CHECK: store i64 %0, ptr
; CHECK: [[SECOND:%[0-9]+]] = getelementptr i8, ptr [[COPY]], i64 8
; CHECK: store i64 %1, ptr [[SECOND]]
; CHECK: load i64, ptr [[COPY]]
; CHECK: define {{.*}} void @vgpu.entry.large(ptr %0, ptr %1)
; CHECK: getelementptr i8, ptr %1, i64 8
; CHECK: alloca { i64, [128 x i64] }, align 16
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 16 {{.*}}, ptr align 8 {{.*}}, i64 1032
; CHECK: define {{.*}} void @vgpu.entry.k(ptr %0, ptr %1)
; CHECK: load i32, ptr
; CHECK: getelementptr i8, ptr %1, i64 8
; CHECK: load i64, ptr
; CHECK: getelementptr i8, ptr %1, i64 16
; CHECK: load i64, ptr
; CHECK: getelementptr i8, ptr %1, i64 24
; CHECK: load i8, ptr
; CHECK: attributes #[[KERNEL]] = { noinline nounwind "probe-stack"

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @large(i32 %a, ptr byval({ i64, [128 x i64] }) %b) memory(argmem: write) {
  %value = load i64, ptr %b
  store i64 %value, ptr %b
  ret void
}

define ptx_kernel void @k(i32 %a, ptr byval({ i64, i64 }) %b, i8 signext %c) memory(argmem: write) {
  %value = load i64, ptr %b
  store i64 %value, ptr %b
  ret void
}
