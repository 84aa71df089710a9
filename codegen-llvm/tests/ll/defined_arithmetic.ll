; Shifts by the width or more and conversions out of range are what the GPU's instructions make of them (PTX ISA, "shl",
; "shr", "cvt").
; RUN: omptarget-codegen vgpu --emit-llvm --print-after defined-arithmetic %s 2>&1 | FileCheck %s
; RUN: sed 's/nvptx64-nvidia-cuda/amdgcn-amd-amdhsa/; s/ptx_kernel/amdgpu_kernel/' %s | omptarget-codegen vgpu --emit-llvm \
; RUN:   --print-after defined-arithmetic - 2>&1 | FileCheck %s --check-prefix=AMD

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define {{.*}} @left(
; CHECK: %[[IN:.*]] = icmp ult i32 %count, 32
; CHECK: %[[SHIFTED:.*]] = shl i32 %bits, %count
; CHECK: select i1 %[[IN]], i32 %[[SHIFTED]], i32 0
; AMD-LABEL: define {{.*}} @left(
; AMD: %[[LOW:.*]] = and i32 %count, 31
; AMD: shl i32 %bits, %[[LOW]]
define ptx_kernel void @left(ptr %out, i32 %bits, i32 %count) {
  %r = shl i32 %bits, %count
  store i32 %r, ptr %out
  ret void
}

; CHECK-LABEL: define {{.*}} @sign(
; CHECK: %[[COUNT:.*]] = call i64 @llvm.umin.i64(i64 %count, i64 63)
; CHECK: ashr i64 %bits, %[[COUNT]]
define ptx_kernel void @sign(ptr %out, i64 %bits, i64 %count) {
  %r = ashr i64 %bits, %count
  store i64 %r, ptr %out
  ret void
}

; CHECK-LABEL: define {{.*}} @pairs(
; CHECK: icmp ult <2 x i16> %count, splat (i16 16)
define ptx_kernel void @pairs(ptr %out, <2 x i16> %bits, <2 x i16> %count) {
  %r = lshr <2 x i16> %bits, %count
  store <2 x i16> %r, ptr %out
  ret void
}

; Counts that are in range stay.
; CHECK-LABEL: define {{.*}} @known(
; CHECK-NEXT: %low = and i32 %count, 31
; CHECK-NEXT: %a = shl i32 %bits, %low
; CHECK-NEXT: %r = lshr i32 %a, 3
; CHECK-NEXT: store
define ptx_kernel void @known(ptr %out, i32 %bits, i32 %count) {
  %low = and i32 %count, 31
  %a = shl i32 %bits, %low
  %r = lshr i32 %a, 3
  store i32 %r, ptr %out
  ret void
}

; CHECK-LABEL: define {{.*}} @number(
; CHECK-NEXT: %[[R:.*]] = call i32 @llvm.fptosi.sat.i32.f32(float %x)
; CHECK-NEXT: store i32 %[[R]]
; AMD-LABEL: define {{.*}} @number(
; AMD: call i32 @llvm.fptosi.sat.i32.f32(float %x)
define ptx_kernel void @number(ptr %out, float %x) {
  %r = fptosi float %x to i32
  store i32 %r, ptr %out
  ret void
}

; CHECK-LABEL: define {{.*}} @wide(
; CHECK: %[[R:.*]] = call i32 @llvm.fptoui.sat.i32.f64(double %x)
; CHECK: %[[NAN:.*]] = fcmp uno double %x, %x
; CHECK: select i1 %[[NAN]], i32 -2147483648, i32 %[[R]]
define ptx_kernel void @wide(ptr %out, double %x) {
  %r = fptoui double %x to i32
  store i32 %r, ptr %out
  ret void
}

; CHECK-LABEL: define {{.*}} @byte(
; CHECK: %[[R:.*]] = call i16 @llvm.fptosi.sat.i16.f32(float %x)
; CHECK: trunc i16 %[[R]] to i8
; AMD-LABEL: define {{.*}} @byte(
; AMD: %[[R:.*]] = call i32 @llvm.fptosi.sat.i32.f32(float %x)
; AMD: trunc i32 %[[R]] to i8
define ptx_kernel void @byte(ptr %out, float %x) {
  %r = fptosi float %x to i8
  store i8 %r, ptr %out
  ret void
}

