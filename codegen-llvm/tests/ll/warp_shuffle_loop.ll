; A loop over distances: its shuffles have constant lanes, so they stay in registers where the CPU has no permutation by
; a vector.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v3 --emit-llvm %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.sum
; CHECK-NOT: store <32 x i32>
; CHECK: shufflevector <32 x i32> {{.*}}<i32 16, i32 17
; CHECK-NOT: store <32 x i32>
; CHECK: ret void

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @sum(ptr %in, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %tid
  %value = load i32, ptr %from
  br label %head
head:
  %sum = phi i32 [ %value, %0 ], [ %more, %body ]
  %distance = phi i32 [ 16, %0 ], [ %half, %body ]
  %ends = icmp eq i32 %distance, 0
  br i1 %ends, label %end, label %body
body:
  %other = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %sum, i32 %distance, i32 31)
  %more = add i32 %sum, %other
  %half = lshr i32 %distance, 1
  br label %head
end:
  %is_first = icmp eq i32 %tid, 0
  br i1 %is_first, label %write, label %done
write:
  store i32 %sum, ptr %out
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
