; Constructors by rising priority, destructors the other way round.
; RUN: vgpu --print-after constructors -o /dev/null %s
; CHECK: define…@vgpu.constructors(ptr
; CHECK: call void @first()
; CHECK: call void @second()
; CHECK: call void @third()
; CHECK: ret void
; CHECK: define…@vgpu.destructors(ptr
; CHECK: call void @third()
; CHECK: call void @second()
; CHECK: call void @first()
; NOT: @llvm.global_
; RUN: vgpu %s
; CHECK: "constructors":"vgpu.constructors","destructors":"vgpu.destructors"

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
