; Between barriers, one loop runs all warps. What they need behind a barrier goes to their frames.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=IR
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
target triple = "nvptx64-nvidia-cuda"

; The sum is kept (4 bytes for each of 32 lanes, behind the 144 of `vgpu_abi::WarpFrame`, rounded to 64).
; The address of the element, which comes from the thread's number, is not.
; IR-LABEL: define hidden void @vgpu.warp.kept(
; IR: switch i32
; IR-NEXT: i32 0, label
; IR-NEXT: i32 1, label
; IR-NEXT: ]
; IR-NOT: call void @vgpu_warp_barrier
; IR: add nsw <32 x i32>
; IR: store <32 x i32>
; IR: load <32 x i32>
; IR: }
; The code goes on by itself, unless the launch has ended.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=ON
; ON-LABEL: define hidden void @vgpu.warp.kept(
; ON: load volatile i8
; What the frame says of the barrier (at 112 to 139) is written when the code returns. In the loop is the region's number.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=LATE
; LATE-LABEL: define hidden void @vgpu.warp.kept(
; LATE: add nsw <32 x i32>
; LATE-NOT: i64 128
; LATE: i64 140
; LATE-NOT: i64 128
; LATE: ret void
; LATE: i64 128
; LATE: }
; MANIFEST: "symbol":"vgpu.warp.kept"
; MANIFEST-SAME: "regions":320
define ptx_kernel void @kept(ptr %from, ptr %to) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = zext i32 %tid to i64
  %source = getelementptr i32, ptr %from, i64 %at
  %value = load i32, ptr %source
  %sum = add nsw i32 %value, 7
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %place = getelementptr i32, ptr %to, i64 %at
  store i32 %sum, ptr %place
  ret void
}

; A warp that lets others run between barriers has a fiber.
; IR-LABEL: define hidden void @vgpu.warp.sleeps(
; IR: call void @vgpu_warp_barrier
; IR: }
; MANIFEST-SAME: "symbol":"vgpu.warp.sleeps"
; MANIFEST-SAME: "max_threads":128}}
define ptx_kernel void @sleeps(ptr %to) #0 {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.nanosleep(i32 100)
  ret void
}

declare void @llvm.nvvm.nanosleep(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

attributes #0 = { "nvvm.maxntid"="128" }
