; Function pointers: every function has the C calling convention.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check -O0 %s 2>&1 | FileCheck %s --check-prefix=IR \
; RUN:   --implicit-check-not='ptx_device'
; IR: ptr @one, ptr @two
; IR: call void %f(i32 1)
; RUN: omptarget-codegen vgpu -O2 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=MANIFEST --allow-empty
; MANIFEST-NOT: error

target triple = "nvptx64-nvidia-cuda"
@table = internal addrspace(1) constant [2 x ptr] [ptr @one, ptr @two]
@out = addrspace(1) global i32 0
define internal ptx_device void @one(i32 %v) {
  store volatile i32 %v, ptr addrspace(1) @out
  ret void
}
define internal ptx_device void @two(i32 %v) {
  store volatile i32 2, ptr addrspace(1) @out
  ret void
}
define ptx_kernel void @k(i64 %i) {
  %slot = getelementptr [2 x ptr], ptr addrspace(1) @table, i64 0, i64 %i
  %f = load ptr, ptr addrspace(1) %slot
  call ptx_device void %f(i32 1)
  ret void
}
