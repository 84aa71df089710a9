; Blocks of SPMD kernels extend along x alone: the implicit arguments with the other extents are folded, for code objects
; and for the virtual GPU, and code for blocks of generic kernels goes.
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a --print-after optimise -o %t.co %s 2>&1 | FileCheck %s
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK-NOT: store volatile i32 2
; CHECK: store volatile i32 1
; CHECK-NOT: store volatile i32 2

target triple = "amdgcn-amd-amdhsa"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@spmd_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define protected amdgpu_kernel void @spmd(ptr %out) {
  store volatile i32 1, ptr %out
  %arguments = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %place = getelementptr inbounds nuw i8, ptr addrspace(4) %arguments, i64 14
  %y = load i16, ptr addrspace(4) %place, align 2
  %is.spmd = icmp eq i16 %y, 1
  br i1 %is.spmd, label %done, label %generic
generic:
  store volatile i32 2, ptr %out
  br label %done
done:
  ret void
}
