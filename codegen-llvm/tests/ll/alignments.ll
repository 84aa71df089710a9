; A structure that is aligned to 32 bytes, in storage that is aligned to 16: no access counts on more.
; RUN: omptarget-codegen vgpu --emit-llvm --print-after alignments %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define {{.*}} @sums(
; CHECK-SAME: align 16 %shared
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 16 %own, ptr align 16 %shared, i64 32, i1 false)
; CHECK: store <4 x double> zeroinitializer, ptr %shared, align 16
; CHECK: atomicrmw fadd ptr %shared, double 1.000000e+00 monotonic, align 16
; CHECK: store i8 1, ptr %shared, align 8
define ptx_kernel void @sums(ptr align 32 %shared) {
  %own = alloca <4 x double>, align 32
  call void @llvm.memcpy.p0.p0.i64(ptr align 32 %own, ptr align 32 %shared, i64 32, i1 false)
  store <4 x double> zeroinitializer, ptr %shared, align 32
  %old = atomicrmw fadd ptr %shared, double 1.0 monotonic, align 32
  store i8 1, ptr %shared, align 8
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
