; Functions that only the master's code calls, here through a pointer, are run by masters; the wrapper that workers
; call, by workers. In a function that both reach the test stays.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s --implicit-check-not='1000002' \
; RUN:   --implicit-check-not='2000001'
; CHECK: 1000001
; CHECK: 2000002
; CHECK: 3000001, 3000002

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@chosen = global ptr @region
@work = internal addrspace(3) global ptr poison
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
define internal i1 @master() alwaysinline {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %last = add i32 %threads, -1
  %first = and i32 %last, -32
  %master = icmp eq i32 %thread, %first
  ret i1 %master
}
define internal void @region(i32 %n, ptr %out) noinline {
  %master = call i1 @master()
  %what = select i1 %master, i32 1000001, i32 1000002
  store volatile i32 %what, ptr %out
  store volatile ptr @wrapper, ptr addrspace(3) @work
  call void @both(ptr %out)
  ret void
}
define internal void @wrapper(i16 %zero, i32 %thread) noinline {
  %master = call i1 @master()
  %what = select i1 %master, i32 2000001, i32 2000002
  %out = load volatile ptr, ptr addrspace(3) @work
  store volatile i32 %what, ptr %out
  call void @both(ptr %out)
  ret void
}
define internal void @both(ptr %out) noinline {
  %master = call i1 @master()
  br i1 %master, label %yes, label %no
yes:
  store volatile i32 3000001, ptr %out
  ret void
no:
  store volatile i32 3000002, ptr %out
  ret void
}
define ptx_kernel void @generic(ptr %out) {
  %master = call i1 @master()
  br i1 %master, label %code, label %worker
code:
  %function = load volatile ptr, ptr @chosen
  call void %function(i32 1, ptr %out)
  ret void
worker:
  %wrapper = load volatile ptr, ptr addrspace(3) @work
  call void %wrapper(i16 0, i32 1)
  ret void
}
