; A call through a pointer is a comparison with every function it may be, also where the pointer differs among the
; lanes. The functions' addresses are those that the scalar form knows.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 %s 2>&1 | FileCheck %s --check-prefix=IR \
; RUN:   --implicit-check-not='vgpu.copy'
; IR: @table = hidden {{.*}}[ptr @twice, ptr @thrice]
; IR: define hidden void @vgpu.warp.pick(ptr %0, ptr {{.*}} %1, i64 %2)
; IR: icmp eq <32 x ptr> {{.*}}@thrice
; IR: call void @vgpu_wild_access
; IR: icmp eq <32 x ptr> {{.*}}@twice
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"pick"{{.*}}"warp":{"Present":{{.*}}"name":"unknown"{{.*}}"warp":{"Present"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(1) global [2 x ptr] [ptr @twice, ptr @thrice]

define internal i32 @twice(i32 %x) noinline {
  %y = mul i32 %x, 2
  ret i32 %y
}
define internal i32 @thrice(i32 %x) noinline {
  %y = mul i32 %x, 3
  ret i32 %y
}
define ptx_kernel void @pick(ptr %in, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %p = getelementptr i32, ptr %in, i64 %i
  %which = load i32, ptr %p
  %w = zext i32 %which to i64
  %entry = getelementptr ptr, ptr addrspace(1) @table, i64 %w
  %f = load ptr, ptr addrspace(1) %entry
  %v = call i32 %f(i32 %tid)
  %q = getelementptr i32, ptr %out, i64 %i
  store i32 %v, ptr %q
  ret void
}
define ptx_kernel void @unknown(ptr %f) {
  call void %f()
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
