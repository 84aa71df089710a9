; A cold function that only computes with numbers stays scalar: a warp form calls it for each lane. One that changes
; memory of its own is written for all lanes, as any other function is.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 | FileCheck %s
; CHECK-LABEL: define {{.*}}@vgpu.cold.rare(
; CHECK-LABEL: define hidden void @vgpu.warp.calls(
; CHECK-DAG: call {{.*}}{ i32, double } @vgpu.cold.rare(double
; CHECK-DAG: atomicrmw add ptr @count
; CHECK-NOT: vgpu.cold.counts
target triple = "nvptx64-nvidia-cuda"

@digits = private constant [4 x i32] [i32 3, i32 1, i32 4, i32 1]
@count = global i32 0

define internal { i32, double } @rare(double %x) cold noinline {
  %digits = alloca [4 x i32]
  call void @llvm.memcpy.p0.p0.i64(ptr %digits, ptr @digits, i64 16, i1 false)
  %number = fptosi double %x to i64
  %place = and i64 %number, 3
  %at = getelementptr i32, ptr %digits, i64 %place
  %digit = load i32, ptr %at
  %half = fmul double %x, 5.0e-1
  %a = insertvalue { i32, double } poison, i32 %digit, 0
  %b = insertvalue { i32, double } %a, double %half, 1
  ret { i32, double } %b
}
define internal void @counts(i32 %by) cold noinline {
  %old = atomicrmw add ptr @count, i32 %by monotonic
  ret void
}
define ptx_kernel void @calls(ptr %values, i32 %by) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr double, ptr %values, i64 %i
  %x = load double, ptr %at
  %large = fcmp ogt double %x, 1.0e6
  br i1 %large, label %slow, label %end
slow:
  %pair = call { i32, double } @rare(double %x)
  %digit = extractvalue { i32, double } %pair, 0
  %half = extractvalue { i32, double } %pair, 1
  %whole = sitofp i32 %digit to double
  %sum = fadd double %whole, %half
  store double %sum, ptr %at
  call void @counts(i32 %digit)
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
