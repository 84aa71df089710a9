; The parts of a complex number (C23, 7.3.9). For NVIDIA GPUs clang computes them itself, for AMD GPUs it calls C's
; functions: a `float complex` travels as two 32-bit integers, a `double complex` as two doubles. Types Rust cannot
; name.

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
