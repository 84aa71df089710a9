; A second version is for chunks in which every thread has an iteration: there the index is consecutive, and accesses
; are at unit stride without a test. In the short last chunk they may be or not.
; RUN: omptarget-codegen vgpu --warp-forms --print-after optimise --no-window-check %s -o /dev/null 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='@vgpu.warp.all_take'
; CHECK: define hidden void @vgpu.warp.chunks
; CHECK: call void @llvm.masked.store.v32i32
; CHECK: call void @llvm.masked.store.v32i32
; The same where a minimum limits the thread id without a branch.
; CHECK: define hidden void @vgpu.warp.clamped
; CHECK: call void @llvm.masked.store.v32i32
; CHECK: call void @llvm.masked.store.v32i32
; A barrier in the chunk must stay one barrier.
; CHECK: define hidden void @vgpu.warp.meets
; CHECK: call void @vgpu_warp_barrier
; CHECK: ret void
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @chunks(ptr %out, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %chunk
chunk:
  %first = phi i32 [ 0, %entry ], [ %next, %latch ]
  %last.in = add nsw i32 %first, 127
  %last = call i32 @llvm.smin.i32(i32 %last.in, i32 %count)
  %empty = icmp sgt i32 %first, %last
  br i1 %empty, label %loop, label %ask
ask:
  %share = sub i32 %last, %first
  %without = icmp ugt i32 %tid, %share
  br i1 %without, label %beyond, label %within
beyond:
  %after = add nsw i32 %last, 1
  br label %loop
within:
  %mine = add nsw i32 %first, %tid
  br label %loop
loop:
  %i = phi i32 [ %after, %beyond ], [ %mine, %within ], [ %first, %chunk ]
  %done = icmp sgt i32 %i, %last
  br i1 %done, label %latch, label %body
body:
  %wide = sext i32 %i to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %i, ptr %to
  br label %latch
latch:
  %next = add nsw i32 %first, 1024
  %more = icmp slt i32 %next, %count
  br i1 %more, label %chunk, label %end
end:
  ret void
}
define ptx_kernel void @clamped(ptr %out, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %chunk
chunk:
  %first = phi i32 [ 0, %entry ], [ %next, %latch ]
  %last.in = add nsw i32 %first, 127
  %last = call i32 @llvm.smin.i32(i32 %last.in, i32 %count)
  %empty = icmp sgt i32 %first, %last
  br i1 %empty, label %loop, label %ask
ask:
  %share = sub i32 %last, %first
  %place = call i32 @llvm.umin.i32(i32 %tid, i32 %share)
  %mine = add nsw i32 %first, %place
  br label %loop
loop:
  %i = phi i32 [ %mine, %ask ], [ %first, %chunk ]
  %done = icmp sgt i32 %i, %last
  br i1 %done, label %latch, label %body
body:
  %wide = sext i32 %i to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %i, ptr %to
  br label %latch
latch:
  %next = add nsw i32 %first, 1024
  %more = icmp slt i32 %next, %count
  br i1 %more, label %chunk, label %end
end:
  ret void
}
define ptx_kernel void @meets(ptr %out, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %chunk
chunk:
  %first = phi i32 [ 0, %entry ], [ %next, %latch ]
  %empty = icmp sgt i32 %first, %count
  br i1 %empty, label %latch, label %ask
ask:
  %share = sub i32 %count, %first
  %without = icmp ugt i32 %tid, %share
  br i1 %without, label %latch, label %within
within:
  %mine = add nsw i32 %first, %tid
  br label %latch
latch:
  %i = phi i32 [ %first, %chunk ], [ %count, %ask ], [ %mine, %within ]
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %wide = sext i32 %i to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %i, ptr %to
  %next = add nsw i32 %first, 1024
  %more = icmp slt i32 %next, %count
  br i1 %more, label %chunk, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
