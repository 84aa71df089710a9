; Operations of a warp are vector instructions: no call is left.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: define hidden void @vgpu.warp.sum
; IR: shufflevector <32 x i32>
; IR: define hidden void @vgpu.warp.votes
; IR: icmp ne <32 x i32>
; IR: store <32 x i1>
; IR: define hidden void @vgpu.warp.totals
; IR: @llvm.vector.reduce.add.v32i32
; IR: define hidden void @vgpu.warp.some
; IR: icmp {{.*}}ult <32 x i32>
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"sum"
; MANIFEST-SAME: "width":32,"fiber":false,"workers":false,"partial":false,"max_threads":1024,"loops":true}}
; MANIFEST-SAME: "name":"some"
; MANIFEST-SAME: "width":32,"fiber":false,"workers":false,"partial":false,"max_threads":1024,"loops":true}}
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @sum(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %tid, 32
  br i1 %low, label %first, label %end
first:
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %a = load i32, ptr %at
  %b = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %a, i32 16, i32 31)
  %c = add i32 %a, %b
  store i32 %c, ptr %at
  br label %end
end:
  ret void
}
define ptx_kernel void @votes(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %in, i64 %i
  %a = load i32, ptr %at
  %yes = icmp ne i32 %a, 0
  %all = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %yes)
  store i32 %all, ptr %out
  ret void
}
define ptx_kernel void @totals(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %in, i64 %i
  %a = load i32, ptr %at
  %all = call i32 @llvm.nvvm.redux.sync.add(i32 %a, i32 -1)
  store i32 %all, ptr %out
  ret void
}
define ptx_kernel void @some(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %tid, 7
  br i1 %low, label %some, label %end
some:
  %here = call i32 @llvm.nvvm.activemask()
  %yes = call i1 @llvm.nvvm.vote.any.sync(i32 %here, i1 %low)
  %bit = zext i1 %yes to i32
  %both = add i32 %here, %bit
  store i32 %both, ptr %out
  br label %end
end:
  %p = getelementptr i32, ptr %out, i32 1
  store i32 2, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.activemask()
