; Statics that a kernel in Rust marks by their section lie in shared memory, and so does the dynamic part.
; RUN: omptarget-codegen ptx --arch sm_80 %s | FileCheck %s --check-prefix=PTX
; PTX: .extern .shared .align 16 .b8 __omptarget_dynamic_shared[];
; PTX: .entry kernel
; PTX: .shared .align 16 .b8 tile[1024];
; PTX: st.shared.b32
; PTX: ld.shared.b32
; PTX: st.shared.b32 {{.*}}[__omptarget_dynamic_shared]
; RUN: omptarget-codegen vgpu --print-after shared -o /dev/null %s 2>&1 | FileCheck %s --implicit-check-not=@tile \
; RUN:   --implicit-check-not=@__omptarget_dynamic_shared
; CHECK: define{{.*}}@kernel(
; CHECK-DAG: call ptr @vgpu.shared_base()
; CHECK-DAG: call ptr @vgpu.dynamic_shared()

target triple = "nvptx64-nvidia-cuda"
@tile = internal global [1024 x i8] undef, section ".omptarget.shared", align 16
@unused = internal global [1024 x i8] undef, section ".omptarget.shared", align 16
@__omptarget_dynamic_shared = external global [0 x i8], align 16
@llvm.used = appending global [2 x ptr] [ptr @tile, ptr @unused], section "llvm.metadata"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

define ptx_kernel void @kernel(ptr %out, i64 %i, i32 %value) {
  %slot = getelementptr i32, ptr @tile, i64 %i
  store i32 %value, ptr %slot
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = getelementptr i32, ptr @tile, i64 7
  %read = load i32, ptr %other
  store i32 %read, ptr @__omptarget_dynamic_shared
  store i32 %read, ptr %out
  ret void
}
