; DPP: a constant control leaves nothing of the choice between controls; one that does not exist traps.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --implicit-check-not='switch' \
; RUN:   --implicit-check-not='@llvm.amdgcn.'
; CHECK: define{{.*}}@mirror(
; CHECK: xor i32 %own{{.*}}, 15
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 1, i32 3, i64 9, i32
; CHECK: define{{.*}}@unknown(
; CHECK: call void @vgpu_trap(ptr{{.*}}, i32 2)

target triple = "amdgcn-amd-amdhsa"
@out = addrspace(1) global i32 0

declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg) convergent

define amdgpu_kernel void @mirror() {
  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 9, i32 320, i32 15, i32 15, i1 false)
  store volatile i32 %r, ptr addrspace(1) @out
  ret void
}

define amdgpu_kernel void @unknown() {
  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 9, i32 511, i32 15, i32 15, i1 false)
  store volatile i32 %r, ptr addrspace(1) @out
  ret void
}
