; Registers with one possible value on the virtual GPU.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: store volatile i32 32, ptr addrspace(1) @out0
; CHECK: store volatile i32 32, ptr addrspace(1) @out1
; CHECK: store volatile i32 0, ptr addrspace(1) @out2
; CHECK: store volatile i32 0, ptr addrspace(1) @out3
; CHECK: store volatile i32 1, ptr addrspace(1) @out4
; CHECK: store volatile i32 0, ptr addrspace(1) @out5
; CHECK: store volatile i1 false, ptr addrspace(1) @out6

target triple = "nvptx64-nvidia-cuda"

@out0 = addrspace(1) global i32 zeroinitializer
@out1 = addrspace(1) global i32 zeroinitializer
@out2 = addrspace(1) global i32 zeroinitializer
@out3 = addrspace(1) global i32 zeroinitializer
@out4 = addrspace(1) global i32 zeroinitializer
@out5 = addrspace(1) global i32 zeroinitializer
@out6 = addrspace(1) global i1 zeroinitializer

declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()
declare i32 @llvm.nvvm.read.ptx.sreg.nwarpid()
declare i32 @llvm.nvvm.read.ptx.sreg.gridid()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.w()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
declare i1 @llvm.nvvm.is_explicit_cluster()

define ptx_kernel void @k() {
  %r0 = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  store volatile i32 %r0, ptr addrspace(1) @out0
  %r1 = call i32 @llvm.nvvm.read.ptx.sreg.nwarpid()
  store volatile i32 %r1, ptr addrspace(1) @out1
  %r2 = call i32 @llvm.nvvm.read.ptx.sreg.gridid()
  store volatile i32 %r2, ptr addrspace(1) @out2
  %r3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.w()
  store volatile i32 %r3, ptr addrspace(1) @out3
  %r4 = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
  store volatile i32 %r4, ptr addrspace(1) @out4
  %r5 = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
  store volatile i32 %r5, ptr addrspace(1) @out5
  %r6 = call i1 @llvm.nvvm.is_explicit_cluster()
  store volatile i1 %r6, ptr addrspace(1) @out6
  ret void
}
