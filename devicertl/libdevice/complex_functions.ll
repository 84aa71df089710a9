; Functions of complex numbers: those of ROCm's `ocml`, and the division, which flang calls on AMD GPUs. A complex number
; travels as a structure of two numbers, for which Rust has another calling convention. So the functions here take it
; apart, and Rust's get the parts and a place for the result. Those of `float` compute in `double`.

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define { double, double } @__ocml_cexp_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_exp(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_cexp_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_cexp_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_clog_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_log(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_clog_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_clog_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_csqrt_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_sqrt(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_csqrt_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_csqrt_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_csin_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_sin(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_csin_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_csin_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_ccos_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_cos(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_ccos_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_ccos_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_ctan_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_tan(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_ctan_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_ctan_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_csinh_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_sinh(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_csinh_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_csinh_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_ccosh_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_cosh(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_ccosh_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_ccosh_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define { double, double } @__ocml_ctanh_f64({ double, double } %z) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  call void @omptarget_complex_tanh(double %re, double %im, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define { float, float } @__ocml_ctanh_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %wide.re = fpext float %re to double
  %wide.im = fpext float %im to double
  %half = insertvalue { double, double } poison, double %wide.re, 0
  %wide = insertvalue { double, double } %half, double %wide.im, 1
  %both = call { double, double } @__ocml_ctanh_f64({ double, double } %wide)
  %result = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %result
}

define double @__ocml_cabs_f64({ double, double } %z) {
  %re = extractvalue { double, double } %z, 0
  %im = extractvalue { double, double } %z, 1
  %result = call double @__nv_hypot(double %re, double %im)
  ret double %result
}

define float @__ocml_cabs_f32({ float, float } %z) {
  %re = extractvalue { float, float } %z, 0
  %im = extractvalue { float, float } %z, 1
  %result = call float @__nv_hypotf(float %re, float %im)
  ret float %result
}

; clang defines the divisions, weak ones, in every unit of C++ that divides complex numbers. Its own are to be called
; there: it gives the results of `float` another type in LLVM's language.
define weak { double, double } @__divdc3(double %a, double %b, double %c, double %d) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  call void @omptarget_complex_divide(double %a, double %b, double %c, double %d, ptr %place)
  %result = load { double, double }, ptr addrspace(5) %room, align 8
  ret { double, double } %result
}

define weak [2 x float] @__divsc3(float %a, float %b, float %c, float %d) {
  %pair = call { float, float } @omptarget_complex_divide_float(float %a, float %b, float %c, float %d)
  %re = extractvalue { float, float } %pair, 0
  %im = extractvalue { float, float } %pair, 1
  %half = insertvalue [2 x float] poison, float %re, 0
  %result = insertvalue [2 x float] %half, float %im, 1
  ret [2 x float] %result
}

define { float, float } @omptarget_complex_divide_float(float %a, float %b, float %c, float %d) {
  %room = alloca { double, double }, align 8, addrspace(5)
  %place = addrspacecast ptr addrspace(5) %room to ptr
  %wide.a = fpext float %a to double
  %wide.b = fpext float %b to double
  %wide.c = fpext float %c to double
  %wide.d = fpext float %d to double
  call void @omptarget_complex_divide(double %wide.a, double %wide.b, double %wide.c, double %wide.d, ptr %place)
  %both = load { double, double }, ptr addrspace(5) %room, align 8
  %pair = call { float, float } @omptarget_complex_narrow({ double, double } %both)
  ret { float, float } %pair
}

define { float, float } @omptarget_complex_narrow({ double, double } %z) {
  %wide.re = extractvalue { double, double } %z, 0
  %wide.im = extractvalue { double, double } %z, 1
  %re = fptrunc double %wide.re to float
  %im = fptrunc double %wide.im to float
  %half = insertvalue { float, float } poison, float %re, 0
  %result = insertvalue { float, float } %half, float %im, 1
  ret { float, float } %result
}

declare double @__nv_hypot(double, double)
declare float @__nv_hypotf(float, float)
declare void @omptarget_complex_divide(double, double, double, double, ptr)
declare void @omptarget_complex_exp(double, double, ptr)
declare void @omptarget_complex_log(double, double, ptr)
declare void @omptarget_complex_sqrt(double, double, ptr)
declare void @omptarget_complex_sin(double, double, ptr)
declare void @omptarget_complex_cos(double, double, ptr)
declare void @omptarget_complex_tan(double, double, ptr)
declare void @omptarget_complex_sinh(double, double, ptr)
declare void @omptarget_complex_cosh(double, double, ptr)
declare void @omptarget_complex_tanh(double, double, ptr)
