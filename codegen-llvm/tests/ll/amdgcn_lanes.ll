; Operations across lanes: each has a call site of its own, the value, the other lane, and the result where that lane is
; missing.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --implicit-check-not='@vgpu_trap' \
; RUN:   --implicit-check-not='@llvm.amdgcn.'
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 1, i32 1, i64 1, i32 0, i64 0)
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 2, i32 2, i64 9, i32 0, i64 0)
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 3, i32 3, i64 9, i32 5, i64 9)
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 4, i32 3, i64 4607182418800017408, i32 31, i64 4607182418800017408)
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 5, i32 3, i64 9, i32 5, i64 0)
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 6, i32 4, i64 9, i32 5, i64 0)
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 7, i32 18, i64 {{.*}}, i32 0, i64 0)

target triple = "amdgcn-amd-amdhsa"
@out = addrspace(1) global i64 0

declare i32 @llvm.amdgcn.ballot.i32(i1) convergent
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent
declare i32 @llvm.amdgcn.readlane.i32(i32, i32) convergent
declare double @llvm.amdgcn.readlane.f64(double, i32) convergent
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent
declare i32 @llvm.amdgcn.ds.permute(i32, i32) convergent
declare i32 @llvm.amdgcn.wave.reduce.umax.i32(i32, i32 immarg) convergent

define amdgpu_kernel void @k() #0 {
  %r1 = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  store volatile i32 %r1, ptr addrspace(1) @out
  %r2 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 9)
  store volatile i32 %r2, ptr addrspace(1) @out
  %r3 = call i32 @llvm.amdgcn.readlane.i32(i32 9, i32 37)
  store volatile i32 %r3, ptr addrspace(1) @out
  %r4 = call double @llvm.amdgcn.readlane.f64(double 1.0, i32 31)
  store volatile double %r4, ptr addrspace(1) @out
  %r5 = call i32 @llvm.amdgcn.ds.bpermute(i32 148, i32 9)
  store volatile i32 %r5, ptr addrspace(1) @out
  %r6 = call i32 @llvm.amdgcn.ds.permute(i32 20, i32 9)
  store volatile i32 %r6, ptr addrspace(1) @out
  ; LLVM folds the reduction of a constant.
  %v7 = load volatile i32, ptr addrspace(1) @out
  %r7 = call i32 @llvm.amdgcn.wave.reduce.umax.i32(i32 %v7, i32 0)
  store volatile i32 %r7, ptr addrspace(1) @out
  ret void
}

attributes #0 = { "target-cpu"="gfx1030" "target-features"="+dpp,+wavefrontsize32" }
