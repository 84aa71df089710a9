; Which memory a generic pointer points to: shared memory and the stack are ranges, the rest is global.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s
; CHECK: define internal{{.*}}@shared(
; CHECK: sub i64 %address{{.*}}, %base
; CHECK: icmp ult i64
; CHECK: define internal{{.*}}@local(
; CHECK: icmp ult i64 %{{.*}}, 262144
; CHECK: define internal{{.*}}@global(
; CHECK: 52776558133248

target triple = "nvptx64-nvidia-cuda"
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.local(ptr)
declare i1 @llvm.nvvm.isspacep.global(ptr)
define i1 @shared(ptr %p) noinline {
  %r = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  ret i1 %r
}
define i1 @local(ptr %p) noinline {
  %r = call i1 @llvm.nvvm.isspacep.local(ptr %p)
  ret i1 %r
}
define i1 @global(ptr %p) noinline {
  %r = call i1 @llvm.nvvm.isspacep.global(ptr %p)
  ret i1 %r
}
define ptx_kernel void @k(ptr %p) {
  %a = call i1 @shared(ptr %p)
  %b = call i1 @local(ptr %p)
  %c = call i1 @global(ptr %p)
  %ab = and i1 %a, %b
  %abc = and i1 %ab, %c
  store i1 %abc, ptr %p
  ret void
}
