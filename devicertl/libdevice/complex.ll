; The parts of a complex number (C23, 7.3.9), products and quotients, as clang calls them for AMD GPUs: a `float complex` travels as
; two 32-bit integers, a `double complex` as two doubles. Types Rust cannot name. For NVIDIA GPUs clang computes the
; parts itself, and complex_arithmetic.ll has the rest. complex_functions.ll has the quotient of doubles.

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define float @crealf([2 x i32] %z) {
  %part = extractvalue [2 x i32] %z, 0
  %result = bitcast i32 %part to float
  ret float %result
}

define float @cimagf([2 x i32] %z) {
  %part = extractvalue [2 x i32] %z, 1
  %result = bitcast i32 %part to float
  ret float %result
}

define [2 x i32] @conjf([2 x i32] %z) {
  %part = extractvalue [2 x i32] %z, 1
  %negative = xor i32 %part, -2147483648
  %result = insertvalue [2 x i32] %z, i32 %negative, 1
  ret [2 x i32] %result
}

define double @creal(double %re, double %im) {
  ret double %re
}

define double @cimag(double %re, double %im) {
  ret double %im
}

define { double, double } @conj(double %re, double %im) {
  %negative = fneg double %im
  %half = insertvalue { double, double } poison, double %re, 0
  %result = insertvalue { double, double } %half, double %negative, 1
  ret { double, double } %result
}

define { double, double } @__muldc3(double %a, double %b, double %c, double %d) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  call void @omptarget_complex_multiply(double %a, double %b, double %c, double %d, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define [2 x i32] @__mulsc3(float %a, float %b, float %c, float %d) {
  %room = alloca [2 x i32], align 4, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  call void @omptarget_complex_multiply_float(float %a, float %b, float %c, float %d, ptr %place)
  %result = load [2 x i32], ptr addrspace(5) %room, align 4
  ret [2 x i32] %result
}

; clang's `__divsc3`; flang's, of another type, has the name (codegen-llvm/src/device/complex_quotients.rs).
define [2 x i32] @__omptarget_divsc3(float %a, float %b, float %c, float %d) {
  %pair = call { float, float } @omptarget_complex_divide_float(float %a, float %b, float %c, float %d)
  %first = extractvalue { float, float } %pair, 0
  %second = extractvalue { float, float } %pair, 1
  %re = bitcast float %first to i32
  %im = bitcast float %second to i32
  %half = insertvalue [2 x i32] poison, i32 %re, 0
  %result = insertvalue [2 x i32] %half, i32 %im, 1
  ret [2 x i32] %result
}

declare { float, float } @omptarget_complex_divide_float(float, float, float, float)
declare void @omptarget_complex_multiply(double, double, double, double, ptr)
declare void @omptarget_complex_multiply_float(float, float, float, float, ptr)
