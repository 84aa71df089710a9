; In a loop, a unit-stride load prefetches for a later iteration, cache line by cache line. Its last address stays in
; memory.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.rows
; CHECK-NOT: i64 512
; CHECK: load volatile i64
; CHECK: store volatile i64
; CHECK: @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; CHECK: @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; CHECK: load <32 x float>
; CHECK: define hidden void @vgpu.warp.around
; CHECK: select i1 {{.*}}, i64 512, i64
; CHECK: @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @rows(ptr %y, i64 %pitch, i64 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  br label %iteration
iteration:
  %row = phi i64 [ 0, %entry ], [ %next, %iteration ]
  %before = mul i64 %row, %pitch
  %at = add i64 %before, %i
  %p = getelementptr float, ptr %y, i64 %at
  %v = load float, ptr %p
  %w = fadd float %v, 1.0
  store float %w, ptr %p
  %next = add i64 %row, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %iteration, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Where iterations go round all threads of the grid, and are few, the next subgroups' elements are prefetched: 4 times
; 128 bytes ahead.
define ptx_kernel void @around(ptr %y, i64 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %before = mul i32 %block, %threads
  %first = add i32 %before, %tid
  %i = zext i32 %first to i64
  %all = mul i32 %blocks, %threads
  %step = zext i32 %all to i64
  br label %iteration
iteration:
  %at = phi i64 [ %i, %entry ], [ %next, %iteration ]
  %p = getelementptr float, ptr %y, i64 %at
  %v = load float, ptr %p
  %w = fadd float %v, 1.0
  store float %w, ptr %p
  %next = add i64 %at, %step
  %more = icmp ult i64 %next, %n
  br i1 %more, label %iteration, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
