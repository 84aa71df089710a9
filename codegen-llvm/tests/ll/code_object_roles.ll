; On AMD GPUs the extent of a block is an implicit argument. Roles and shape are folded as on NVIDIA GPUs (ptx_roles.ll,
; ptx_shape_all_generic.ll): in a function that only the master comes to, nothing asks.
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a --print-after optimise %s -o %t.so 2>&1 | FileCheck %s
; CHECK: define internal void @region(
; CHECK-NOT: implicitarg
; CHECK-NOT: 1000002
; CHECK: 1000001
; CHECK-NOT: implicitarg
; CHECK: define internal void @wrapper(
; CHECK-NOT: implicitarg
; CHECK: 2000002
; CHECK-NOT: implicitarg
; CHECK: define amdgpu_kernel void @generic(

target triple = "amdgcn-amd-amdhsa"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@chosen = addrspace(1) global ptr @region
@work = internal addrspace(3) global ptr poison
declare i32 @llvm.amdgcn.workitem.id.y()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define internal i32 @threads(i64 %offset) alwaysinline {
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr inbounds i8, ptr addrspace(4) %arguments, i64 %offset
  %size = load i16, ptr addrspace(4) %field, align 2, !invariant.load !0
  %threads = zext i16 %size to i32
  ret i32 %threads
}
define internal i1 @master() alwaysinline {
  %thread = call i32 @llvm.amdgcn.workitem.id.y()
  %threads = call i32 @threads(i64 14)
  %last = add i32 %threads, -1
  %first = and i32 %last, -64
  %master = icmp eq i32 %thread, %first
  ret i1 %master
}
define internal void @region(i32 %n, ptr %out) noinline {
  %spmd.threads = call i32 @threads(i64 14)
  %spmd = icmp eq i32 %spmd.threads, 1
  br i1 %spmd, label %never, label %code
never:
  %wide = call i32 @threads(i64 12)
  store volatile i32 %wide, ptr %out
  br label %code
code:
  %master = call i1 @master()
  %what = select i1 %master, i32 1000001, i32 1000002
  store volatile i32 %what, ptr %out
  ret void
}
define internal void @wrapper(i16 %zero, i32 %thread) noinline {
  %master = call i1 @master()
  %what = select i1 %master, i32 2000001, i32 2000002
  %out = load volatile ptr, ptr addrspace(3) @work
  store volatile i32 %what, ptr %out
  ret void
}
define amdgpu_kernel void @generic(ptr %out) {
  %master = call i1 @master()
  br i1 %master, label %code, label %worker
code:
  store volatile ptr @wrapper, ptr addrspace(3) @work
  %function = load volatile ptr, ptr addrspace(1) @chosen
  call void %function(i32 1, ptr %out)
  ret void
worker:
  %wrapper = load volatile ptr, ptr addrspace(3) @work
  call void %wrapper(i16 0, i32 1)
  ret void
}
!0 = !{}
