; Shared variables become offsets from the block's shared memory, inside constants and phis too.
; RUN: omptarget-codegen vgpu --print-after shared -O0 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=AFTER-SHARED \
; RUN:   --implicit-check-not='@tile' --implicit-check-not='@word' --implicit-check-not='@dynamic'
; AFTER-SHARED: define{{.*}}@k(
; RUN: omptarget-codegen vgpu --print-after shared -O0 -o /dev/null %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=AFTER-SHARED-2
; AFTER-SHARED-2: call ptr @vgpu.shared_base()
; AFTER-SHARED-2: getelementptr i8, ptr %{{.*}}, i64 0
; AFTER-SHARED-2: addrspacecast ptr %{{.*}} to ptr addrspace(3)
; AFTER-SHARED-2: getelementptr [8 x i32], ptr addrspace(3) %{{.*}}, i64 0, i64 3
; AFTER-SHARED-2: addrspacecast ptr addrspace(3) %{{.*}} to ptr
; AFTER-SHARED-2: phi ptr [ %{{.*}}, %entry ], [ null, %other ]
; AFTER-SHARED-2: call ptr @vgpu.dynamic_shared()
; AFTER-SHARED-2: ptrtoint ptr addrspace(3) %{{.*}} to i64
; AFTER-SHARED-2: insertvalue { i32, ptr addrspace(3) }

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
