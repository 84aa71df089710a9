; Code for a host of another architecture than the compiler's own. There, a division by zero raises no signal.
; RUN: omptarget-codegen vgpu --host aarch64 --emit-llvm --warp-forms --verify-each %s 2>&1 | FileCheck %s
; CHECK: target triple = "aarch64-unknown-linux-gnu"
; CHECK-LABEL: define {{.*}}void @vgpu.check_exact(
; CHECK: asm "mov $0, sp", "=r"()
; CHECK-LABEL: define {{.*}}void @vgpu.warp.divide(
; CHECK: udf
; CHECK-LABEL: define {{.*}}void @divide(
; CHECK: %[[ZERO:.*]] = icmp eq i32 %divisor, 0
; CHECK: br i1 %[[ZERO]], label %[[FAIL:.*]], label
; CHECK: [[FAIL]]:
; CHECK-NEXT: call void asm sideeffect "udf #209", ""()
; CHECK-NEXT: unreachable
; CHECK: sdiv i32 %{{.*}}, %divisor
; RUN: omptarget-codegen vgpu --host aarch64 --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=THREADS
; THREADS-LABEL: define {{.*}}void @constant(
; THREADS: asm "mov $0, sp", "=r"()
; THREADS: asm sideeffect "", "r,w,~{memory}"(
; THREADS-NOT: udf
; THREADS-LABEL: define {{.*}}void @vgpu.entry.divide(
; RUN: omptarget-codegen vgpu --host aarch64 --cpu armv9-a --warp-forms %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"divide"
; RUN: omptarget-codegen vgpu --host x86_64 --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=X86 --implicit-check-not=udf
; X86: target triple = "x86_64-unknown-linux-gnu"
; RUN: not omptarget-codegen vgpu --host aarch64 --cpu x86-64-v3 %s 2>&1 | FileCheck %s --check-prefix=MISMATCH
; MISMATCH: error: x86-64-v3 is no level of aarch64
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @divide(ptr %out, i32 %zero) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %a = load i32, ptr %at
  %divisor = sub i32 %tid, %zero
  %q = sdiv i32 %a, %divisor
  store i32 %q, ptr %at
  ret void
}
define ptx_kernel void @constant(ptr %out, float %f) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %a = load i32, ptr %at
  call void asm sideeffect "", "l,f,~{memory}"(ptr %at, float %f)
  %q = udiv i32 %a, 7
  store i32 %q, ptr %at
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
