; The device's C library: output, heap, assertions, traps.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: call i32 @vgpu_vprintf(ptr{{.*}}, ptr{{.*}}@format, ptr{{.*}}, i32 8)
; CHECK: call ptr @vgpu_malloc(ptr{{.*}}, i64 64)
; CHECK: call ptr @vgpu_realloc(ptr{{.*}}, ptr{{.*}}, i64 96)
; CHECK: call void @vgpu_free(ptr{{.*}}, ptr
; CHECK: call{{.*}}ptr @vgpu_malloc(ptr{{.*}}, i64 24)
; CHECK: call void @vgpu_assert_fail(ptr{{.*}}, i32 1, ptr{{.*}}@format, ptr{{.*}}@format, i32 42, ptr{{.*}}@format)
; CHECK: call void @vgpu_trap(ptr{{.*}}, i32 2)
; CHECK: call void @vgpu_exit(ptr

target triple = "nvptx64-nvidia-cuda"
@format = private constant [4 x i8] c"%d\0A\00"
declare i32 @vprintf(ptr, ptr)
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare ptr @_Znwm(i64)
declare void @__assert_fail(ptr, ptr, i32, ptr)
declare void @llvm.trap()
declare void @llvm.nvvm.exit()

define ptx_kernel void @k(i32 %c) {
  %args = alloca { i32 }
  store i32 %c, ptr %args
  %n = call i32 @vprintf(ptr @format, ptr %args)
  %p = call ptr @malloc(i64 64)
  store volatile i32 1, ptr %p
  %r = call ptr @realloc(ptr %p, i64 96)
  store volatile i32 1, ptr %r
  call void @free(ptr %r)
  %q = call ptr @_Znwm(i64 24)
  store volatile i32 1, ptr %q
  switch i32 %c, label %leave [ i32 0, label %fail
                                i32 1, label %stop ]
fail:
  call void @__assert_fail(ptr @format, ptr @format, i32 42, ptr @format)
  unreachable
stop:
  call void @llvm.trap()
  unreachable
leave:
  call void @llvm.nvvm.exit()
  unreachable
}
