; LLVM's SLP vectoriser makes vectors of a kernel's scalars, but not of those of its warp form
; (docs/decisions/0054-no-slp-in-warp-forms.md).
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 | FileCheck %s
; CHECK-LABEL: define hidden void @vgpu.warp.pairs(
; CHECK-NOT: <2 x double>
; CHECK-LABEL: define {{.*}}@pairs(
; CHECK: fadd <2 x double>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @pairs(ptr noalias %in, ptr noalias %out, double %more) {
  %second = getelementptr double, ptr %in, i64 1
  %a = load double, ptr %in
  %b = load double, ptr %second
  %c = fadd double %a, %more
  %d = fadd double %b, %more
  %other = getelementptr double, ptr %out, i64 1
  store double %c, ptr %out
  store double %d, ptr %other
  ret void
}
