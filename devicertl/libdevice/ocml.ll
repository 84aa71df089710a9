; Functions of ROCm's `ocml` that write through pointers into a thread's own memory (address space 5).
; scripts/build-device links this to the Rust functions of CUDA's names, which take pointers to any memory.

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define double @__ocml_frexp_f64(double %x, ptr addrspace(5) %second) {
  %pointer = addrspacecast ptr addrspace(5) %second to ptr
  %result = call double @__nv_frexp(double %x, ptr %pointer)
  ret double %result
}

define double @__ocml_modf_f64(double %x, ptr addrspace(5) %second) {
  %pointer = addrspacecast ptr addrspace(5) %second to ptr
  %result = call double @__nv_modf(double %x, ptr %pointer)
  ret double %result
}

define double @__ocml_remquo_f64(double %x, double %y, ptr addrspace(5) %second) {
  %pointer = addrspacecast ptr addrspace(5) %second to ptr
  %result = call double @__nv_remquo(double %x, double %y, ptr %pointer)
  ret double %result
}

define double @__ocml_sincos_f64(double %x, ptr addrspace(5) %cosine) {
  %sine = alloca double, align 8, addrspace(5)
  %sine_pointer = addrspacecast ptr addrspace(5) %sine to ptr
  %cosine_pointer = addrspacecast ptr addrspace(5) %cosine to ptr
  call void @__nv_sincos(double %x, ptr %sine_pointer, ptr %cosine_pointer)
  %result = load double, ptr addrspace(5) %sine, align 8
  ret double %result
}

define double @__ocml_sincospi_f64(double %x, ptr addrspace(5) %cosine) {
  %sine = alloca double, align 8, addrspace(5)
  %sine_pointer = addrspacecast ptr addrspace(5) %sine to ptr
  %cosine_pointer = addrspacecast ptr addrspace(5) %cosine to ptr
  call void @__nv_sincospi(double %x, ptr %sine_pointer, ptr %cosine_pointer)
  %result = load double, ptr addrspace(5) %sine, align 8
  ret double %result
}

define float @__ocml_frexp_f32(float %x, ptr addrspace(5) %second) {
  %pointer = addrspacecast ptr addrspace(5) %second to ptr
  %result = call float @__nv_frexpf(float %x, ptr %pointer)
  ret float %result
}

define float @__ocml_modf_f32(float %x, ptr addrspace(5) %second) {
  %pointer = addrspacecast ptr addrspace(5) %second to ptr
  %result = call float @__nv_modff(float %x, ptr %pointer)
  ret float %result
}

define float @__ocml_remquo_f32(float %x, float %y, ptr addrspace(5) %second) {
  %pointer = addrspacecast ptr addrspace(5) %second to ptr
  %result = call float @__nv_remquof(float %x, float %y, ptr %pointer)
  ret float %result
}

define float @__ocml_sincos_f32(float %x, ptr addrspace(5) %cosine) {
  %sine = alloca float, align 4, addrspace(5)
  %sine_pointer = addrspacecast ptr addrspace(5) %sine to ptr
  %cosine_pointer = addrspacecast ptr addrspace(5) %cosine to ptr
  call void @__nv_sincosf(float %x, ptr %sine_pointer, ptr %cosine_pointer)
  %result = load float, ptr addrspace(5) %sine, align 4
  ret float %result
}

define float @__ocml_sincospi_f32(float %x, ptr addrspace(5) %cosine) {
  %sine = alloca float, align 4, addrspace(5)
  %sine_pointer = addrspacecast ptr addrspace(5) %sine to ptr
  %cosine_pointer = addrspacecast ptr addrspace(5) %cosine to ptr
  call void @__nv_sincospif(float %x, ptr %sine_pointer, ptr %cosine_pointer)
  %result = load float, ptr addrspace(5) %sine, align 4
  ret float %result
}

declare double @__nv_frexp(double, ptr)
declare double @__nv_modf(double, ptr)
declare double @__nv_remquo(double, double, ptr)
declare void @__nv_sincos(double, ptr, ptr)
declare void @__nv_sincospi(double, ptr, ptr)
declare float @__nv_frexpf(float, ptr)
declare float @__nv_modff(float, ptr)
declare float @__nv_remquof(float, float, ptr)
declare void @__nv_sincosf(float, ptr, ptr)
declare void @__nv_sincospif(float, ptr, ptr)
