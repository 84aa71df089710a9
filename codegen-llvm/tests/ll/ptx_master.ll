; The thread for which the runtime returns -1 is the master: behind the test for -1, the runtime's own test is folded.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s --implicit-check-not='1234522' \
; RUN:   --implicit-check-not='1234533'
; CHECK: .entry generic(
; CHECK: 1234511

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@worker = internal addrspace(3) global i32 poison
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
define ptx_kernel void @generic(ptr %out) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %last = add i32 %threads, -1
  %first = and i32 %last, -32
  %master = icmp eq i32 %thread, %first
  br i1 %master, label %begin, label %other
begin:
  store volatile i32 0, ptr addrspace(3) @worker
  br label %begun
begun:
  br label %answered
other:
  store volatile i32 1, ptr addrspace(3) @worker
  br label %answered
answered:
  %answer = phi i32 [ -1, %begun ], [ %thread, %other ]
  %goes_on = icmp eq i32 %answer, -1
  br i1 %goes_on, label %code, label %work
code:
  %what = select i1 %master, i32 1234511, i32 1234522
  store i32 %what, ptr %out
  ret void
work:
  br i1 %master, label %never, label %done
never:
  store i32 1234533, ptr %out
  br label %done
done:
  ret void
}
