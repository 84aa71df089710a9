; Each active lane takes a number from one counter: one addition for all, and the number of active lanes before each.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --emit-llvm %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.numbers
; CHECK: @llvm.ctpop.i32
; CHECK: mul {{.*}}3
; CHECK: atomicrmw add ptr
; CHECK: @llvm.ctpop.v32i32
; CHECK: store

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @numbers(ptr addrspace(1) %next, ptr %out, ptr %set) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i8, ptr %set, i32 %tid
  %v = load i8, ptr %at
  %c = icmp ne i8 %v, 0
  br i1 %c, label %take, label %end
take:
  %n = atomicrmw add ptr addrspace(1) %next, i32 3 monotonic
  %to = getelementptr i32, ptr %out, i32 %n
  store i32 %tid, ptr %to
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
