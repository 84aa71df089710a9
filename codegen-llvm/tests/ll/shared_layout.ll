; Variables of one kernel lie over another kernel's; those that several use come first.
; RUN: omptarget-codegen vgpu --print-after shared -O0 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=AFTER-SHARED
; AFTER-SHARED: define{{.*}}@first(
; AFTER-SHARED: i64 0
; AFTER-SHARED: i64 64
; AFTER-SHARED: define{{.*}}@second(
; AFTER-SHARED: i64 0
; AFTER-SHARED: i64 64
; What fills whole lines of the host's cache begins with one.
; AFTER-SHARED: define{{.*}}@third(
; AFTER-SHARED: i64 128
; AFTER-SHARED: i64 64
; RUN: omptarget-codegen vgpu -O0 %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"first"{{.*}}"static_shared":80{{.*}}"name":"second"{{.*}}"static_shared":464{{.*}}"name":"third"{{.*}}"static_shared":160

target triple = "nvptx64-nvidia-cuda"
@both = internal addrspace(3) global [64 x i8] undef, align 1
@own1 = internal addrspace(3) global [3 x i8] undef, align 1
@own2 = internal addrspace(3) global [100 x i32] undef, align 4
@own3 = internal addrspace(3) global [5 x i32] undef, align 4
@lines = internal addrspace(3) global [16 x i32] undef, align 4

define void @use_both() noinline {
  store volatile i8 1, ptr addrspace(3) @both
  ret void
}
define ptx_kernel void @first() {
  store volatile i8 1, ptr addrspace(3) @both
  call void @use_both()
  store volatile i8 1, ptr addrspace(3) @own1
  ret void
}
define ptx_kernel void @second() {
  store volatile i8 1, ptr addrspace(3) @both
  store volatile i32 1, ptr addrspace(3) @own2
  call void @use_both()
  ret void
}
define ptx_kernel void @third() {
  store volatile i32 1, ptr addrspace(3) @own3
  store volatile i32 1, ptr addrspace(3) @lines
  ret void
}
