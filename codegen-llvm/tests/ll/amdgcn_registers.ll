; Registers that describe the thread are fields of the context, and of the launch record.
; RUN: omptarget-codegen vgpu --print-after lowering -o /dev/null %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='@llvm.amdgcn.'
; CHECK: define internal i32 @lower.llvm.amdgcn.workitem.id.y()
; CHECK: getelementptr i8, ptr %cx, i64 4
; CHECK: define internal i32 @lower.llvm.amdgcn.workgroup.id.x()
; CHECK: getelementptr i8, ptr %cx, i64 24
; CHECK: define internal i32 @lower.llvm.amdgcn.wavefrontsize()
; CHECK: ret i32 64
; CHECK: define internal ptr addrspace(4) @lower.llvm.amdgcn.implicitarg.ptr()
; CHECK: load ptr, ptr %rf, align 8, !invariant.load
; CHECK: getelementptr inbounds nuw i8, ptr %record, i64 64
; CHECK: define internal i1 @lower.llvm.amdgcn.is.private(ptr %a0)

target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.wavefrontsize()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i1 @llvm.amdgcn.is.private(ptr)

define amdgpu_kernel void @k(ptr %out) #0 {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  store volatile i32 %y, ptr %out
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  store volatile i32 %b, ptr %out
  %w = call i32 @llvm.amdgcn.wavefrontsize()
  store volatile i32 %w, ptr %out
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %n = load i32, ptr addrspace(4) %i
  store volatile i32 %n, ptr %out
  %p = call i1 @llvm.amdgcn.is.private(ptr %out)
  store volatile i1 %p, ptr %out
  ret void
}

attributes #0 = { "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="1,256" }
