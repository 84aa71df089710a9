; Calls of __nvvm_reflect become constants.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: store volatile i32 750, ptr
; CHECK: store volatile i32 0, ptr
; CHECK: store volatile i32 1, ptr

target triple = "nvptx64-nvidia-cuda"
@arch = private addrspace(4) constant [12 x i8] c"__CUDA_ARCH\00"
@ftz = private constant [11 x i8] c"__CUDA_FTZ\00"
@prec = private constant [16 x i8] c"__CUDA_PREC_DIV\00"
declare i32 @__nvvm_reflect(ptr)
define ptx_kernel void @k(ptr %p) "target-cpu"="sm_75" {
  %a = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @arch to ptr))
  store volatile i32 %a, ptr %p
  %f = call i32 @__nvvm_reflect(ptr @ftz)
  store volatile i32 %f, ptr %p
  %d = call i32 @__nvvm_reflect(ptr @prec)
  store volatile i32 %d, ptr %p
  ret void
}
