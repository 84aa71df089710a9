; Rounding to numbers of 16 bits is done with integers, on every CPU. Atomic operations become loops in the back end,
; which calls a function for it.
; RUN: omptarget-codegen vgpu --cpu x86-64-v3 %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"compute"
; MANIFEST: "name":"add"
; RUN: omptarget-codegen vgpu --host aarch64 --cpu armv8-a %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; RUN: omptarget-codegen vgpu --print-after brain-floats %s -o /dev/null 2>&1 | FileCheck %s
; CHECK-LABEL: define {{.*}}@compute
; CHECK-NOT: fptrunc {{.*}} to {{.*}}bfloat
; CHECK: fadd contract float
; CHECK: select <2 x i1>
; CHECK: uitofp i32 %{{.*}} to double
; CHECK: @llvm.sqrt.f32
; What only copies bits stays.
; CHECK: @llvm.fabs.bf16
; CHECK-LABEL: define {{.*}}@add
; CHECK: atomicrmw fadd
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @compute(ptr %x, <2 x float> %pair, double %wide, i32 %number) {
  %a = load bfloat, ptr %x
  %b = fptrunc double %wide to bfloat
  %sum = fadd contract bfloat %a, %b
  store volatile bfloat %sum, ptr %x
  %both = fptrunc <2 x float> %pair to <2 x bfloat>
  store volatile <2 x bfloat> %both, ptr %x
  %count = uitofp i32 %number to bfloat
  store volatile bfloat %count, ptr %x
  %root = call bfloat @llvm.sqrt.bf16(bfloat %a)
  store volatile bfloat %root, ptr %x
  %size = call bfloat @llvm.fabs.bf16(bfloat %a)
  store volatile bfloat %size, ptr %x
  ret void
}

define ptx_kernel void @add(ptr %x, float %y) {
  %old = atomicrmw fadd ptr %x, bfloat 1.0 monotonic
  store bfloat %old, ptr %x
  ret void
}
