; Products and quotients of complex numbers for NVIDIA GPUs, under the names of the compiler's support library: clang
; calls them for C's `*` and `/` (C 2017, G.5.1). The result is a structure of two numbers, for which Rust has another
; calling convention. So Rust's functions get a place for it. The quotient of `float`s is computed in `double`.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define { double, double } @__muldc3(double %a, double %b, double %c, double %d) {
  %place = alloca { double, double }, align 8
  call void @omptarget_complex_multiply(double %a, double %b, double %c, double %d, ptr %place)
  %result = load { double, double }, ptr %place, align 8
  ret { double, double } %result
}

define { float, float } @__mulsc3(float %a, float %b, float %c, float %d) {
  %place = alloca { float, float }, align 4
  call void @omptarget_complex_multiply_float(float %a, float %b, float %c, float %d, ptr %place)
  %result = load { float, float }, ptr %place, align 4
  ret { float, float } %result
}

define { double, double } @__divdc3(double %a, double %b, double %c, double %d) {
  %place = alloca { double, double }, align 8
  call void @omptarget_complex_divide(double %a, double %b, double %c, double %d, ptr %place)
  %result = load { double, double }, ptr %place, align 8
  ret { double, double } %result
}

define { float, float } @__divsc3(float %a, float %b, float %c, float %d) {
  %wide.a = fpext float %a to double
  %wide.b = fpext float %b to double
  %wide.c = fpext float %c to double
  %wide.d = fpext float %d to double
  %both = call { double, double } @__divdc3(double %wide.a, double %wide.b, double %wide.c, double %wide.d)
  %wide.re = extractvalue { double, double } %both, 0
  %wide.im = extractvalue { double, double } %both, 1
  %re = fptrunc double %wide.re to float
  %im = fptrunc double %wide.im to float
  %half = insertvalue { float, float } poison, float %re, 0
  %result = insertvalue { float, float } %half, float %im, 1
  ret { float, float } %result
}

declare void @omptarget_complex_multiply(double, double, double, double, ptr)
declare void @omptarget_complex_multiply_float(float, float, float, float, ptr)
declare void @omptarget_complex_divide(double, double, double, double, ptr)
