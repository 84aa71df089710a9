; Constructors run by rising priority, destructors in the reverse order.
; RUN: omptarget-codegen vgpu --print-after constructors -o /dev/null %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=AFTER-CONSTRUCTORS --implicit-check-not='@llvm.global_'
; AFTER-CONSTRUCTORS: define{{.*}}@vgpu.constructors(ptr
; AFTER-CONSTRUCTORS: call void @first()
; AFTER-CONSTRUCTORS: call void @second()
; AFTER-CONSTRUCTORS: call void @third()
; AFTER-CONSTRUCTORS: ret void
; AFTER-CONSTRUCTORS: define{{.*}}@vgpu.destructors(ptr
; AFTER-CONSTRUCTORS: call void @third()
; AFTER-CONSTRUCTORS: call void @second()
; AFTER-CONSTRUCTORS: call void @first()
; RUN: omptarget-codegen vgpu %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "constructors":"vgpu.constructors","destructors":"vgpu.destructors"

target triple = "nvptx64-nvidia-cuda"
@out = addrspace(1) global i32 0
@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @second, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @third, ptr null }, { i32, ptr, ptr } { i32 101, ptr @first, ptr null }]
@llvm.global_dtors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @second, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @third, ptr null }, { i32, ptr, ptr } { i32 101, ptr @first, ptr null }]
define internal void @first() {
  store volatile i32 1, ptr addrspace(1) @out
  ret void
}
define internal void @second() {
  store volatile i32 2, ptr addrspace(1) @out
  ret void
}
define internal void @third() {
  store volatile i32 3, ptr addrspace(1) @out
  ret void
}
