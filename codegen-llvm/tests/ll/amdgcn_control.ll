; Barriers, waits and hints of AMDGCN. Fences within a block only restrain the compiler.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='@llvm.amdgcn.'
; CHECK: fence syncscope("singlethread") release
; CHECK: call void @vgpu_barrier(ptr{{.*}}, i32 1, i32 0, i32 0)
; CHECK: fence syncscope("singlethread") acquire
; CHECK: call i64 @vgpu_wave(ptr{{.*}}, i32 2, i32 0, i64 0, i32 0, i64 0)
; CHECK: call void @vgpu_yield(ptr{{.*}}, i32 3)
; CHECK: fence syncscope("agent") seq_cst
; CHECK: call i64 @vgpu_clock(
; CHECK: call i64 @vgpu_globaltimer(
; CHECK: udiv i64 %ns{{.*}}, 10
; CHECK: call void @vgpu_exit(

target triple = "amdgcn-amd-amdhsa"
@out = addrspace(1) global i64 0

declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.wave.barrier()
declare void @llvm.amdgcn.s.sleep(i32)
declare void @llvm.amdgcn.sched.barrier(i32)
declare void @llvm.amdgcn.s.waitcnt(i32)
declare i64 @llvm.amdgcn.s.memtime()
declare i64 @llvm.readsteadycounter()
declare void @llvm.amdgcn.endpgm()

define amdgpu_kernel void @k() {
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup-one-as") acquire
  call void @llvm.amdgcn.wave.barrier()
  call void @llvm.amdgcn.s.sleep(i32 1)
  call void @llvm.amdgcn.sched.barrier(i32 0)
  call void @llvm.amdgcn.s.waitcnt(i32 0)
  fence syncscope("agent") seq_cst
  %t = call i64 @llvm.amdgcn.s.memtime()
  store volatile i64 %t, ptr addrspace(1) @out
  %r = call i64 @llvm.readsteadycounter()
  store volatile i64 %r, ptr addrspace(1) @out
  call void @llvm.amdgcn.endpgm()
  unreachable
}
