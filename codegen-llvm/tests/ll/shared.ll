; Shared variables become offsets from the block's shared memory, inside constants and phis too.
; RUN: vgpu --print-after shared -O0 -o /dev/null %s
; NOT: @tile
; NOT: @word
; NOT: @dynamic
; CHECK: define…@k(
; RUN: vgpu --print-after shared -O0 -o /dev/null %s
; CHECK: call ptr @vgpu.shared_base()
; CHECK: getelementptr i8, ptr %…, i64 0
; CHECK: addrspacecast ptr %… to ptr addrspace(3)
; CHECK: getelementptr [8 x i32], ptr addrspace(3) %…, i64 0, i64 3
; CHECK: addrspacecast ptr addrspace(3) %… to ptr
; CHECK: phi ptr [ %…, %entry ], [ null, %other ]
; CHECK: call ptr @vgpu.dynamic_shared()
; CHECK: ptrtoint ptr addrspace(3) %… to i64
; CHECK: insertvalue { i32, ptr addrspace(3) }

target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [8 x i32] undef, align 16
@word = internal addrspace(3) global i32 undef, align 4
@dynamic = external addrspace(3) global [0 x i32], align 16

define ptx_kernel void @k(i1 %c, ptr %p) {
entry:
  br i1 %c, label %join, label %other
other:
  br label %join
join:
  %q = phi ptr [ addrspacecast (ptr addrspace(3) getelementptr ([8 x i32], ptr addrspace(3) @tile, i64 0, i64 3) to ptr), %entry ], [ null, %other ]
  store i32 1, ptr %q
  store i32 2, ptr addrspace(3) @dynamic
  store i64 ptrtoint (ptr addrspace(3) @word to i64), ptr %p
  store { i32, ptr addrspace(3) } { i32 1, ptr addrspace(3) @word }, ptr %p
  ret void
}
