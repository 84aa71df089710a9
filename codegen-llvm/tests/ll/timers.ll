; Clocks are read anew each time.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: call i64 @vgpu_clock(ptr
; CHECK: call i64 @vgpu_clock(ptr
; CHECK: call i64 @vgpu_clock(ptr
; CHECK: trunc i64
; CHECK: call i64 @vgpu_globaltimer(ptr
; CHECK: call i64 @vgpu_clock(ptr

target triple = "nvptx64-nvidia-cuda"
@out = addrspace(1) global i64 0
@out32 = addrspace(1) global i32 0
declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
declare i32 @llvm.nvvm.read.ptx.sreg.clock()
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
declare i64 @llvm.readcyclecounter()

define ptx_kernel void @k() {
  %a = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %b = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %d = sub i64 %b, %a
  store volatile i64 %d, ptr addrspace(1) @out
  %c = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  store volatile i32 %c, ptr addrspace(1) @out32
  %g = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  store volatile i64 %g, ptr addrspace(1) @out
  %r = call i64 @llvm.readcyclecounter()
  store volatile i64 %r, ptr addrspace(1) @out
  ret void
}
