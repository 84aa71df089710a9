; Few threads store what all threads can compute of the kernel's parameters and the block's index: nobody loads it, and
; the variable goes. What depends on the thread or on memory stays where it is, and so does a variable with two stores.
; RUN: omptarget-codegen ptx --arch sm_90 --print-after optimise %s -o %t.ptx 2>&1 | FileCheck %s
; CHECK-NOT: @place =
; CHECK: @threads.own = internal
; CHECK: @of.memory = internal
; CHECK: @twice = internal
; CHECK: define {{.*}}ptx_kernel void @kernel(
; CHECK: barrier.cta.sync.all
; CHECK: getelementptr [40 x i8], ptr %a,
; CHECK: load i32, ptr addrspace(3) @threads.own
; CHECK: load i32, ptr addrspace(3) @of.memory
; CHECK: load i32, ptr addrspace(3) @twice

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@kernel_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@place = internal addrspace(3) global ptr poison
@threads.own = internal addrspace(3) global i32 undef
@of.memory = internal addrspace(3) global i32 undef
@twice = internal addrspace(3) global i32 undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent
define ptx_kernel void @kernel(ptr %a, i32 %n) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp ult i32 %thread, 2
  br i1 %first, label %store, label %all
store:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %index = zext i32 %block to i64
  %own = getelementptr [40 x i8], ptr %a, i64 %index
  store ptr %own, ptr addrspace(3) @place
  %sum = add i32 %thread, %n
  store i32 %sum, ptr addrspace(3) @threads.own
  %loaded = load i32, ptr %a
  store i32 %loaded, ptr addrspace(3) @of.memory
  store i32 %n, ptr addrspace(3) @twice
  br label %all
all:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %there = load ptr, ptr addrspace(3) @place
  %one = load i32, ptr addrspace(3) @threads.own
  %two = load i32, ptr addrspace(3) @of.memory
  %three = load i32, ptr addrspace(3) @twice
  %part = add i32 %one, %two
  %whole = add i32 %part, %three
  %at = zext i32 %thread to i64
  %element = getelementptr i32, ptr %there, i64 %at
  store i32 %whole, ptr %element
  store i32 %whole, ptr addrspace(3) @twice
  ret void
}
