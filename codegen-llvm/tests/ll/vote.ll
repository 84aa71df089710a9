; Votes, match, redux, active mask, elect.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK: call i64 @vgpu_vote(ptr{{.*}}, i32 1, i64 4294967295, i32 0, i32 1)
; CHECK: call i64 @vgpu_vote(ptr{{.*}}, i32 2, i64 4294967295, i32 1, i32 1)
; CHECK: call i64 @vgpu_vote(ptr{{.*}}, i32 3, i64 4294967295, i32 2, i32 1)
; CHECK: call i64 @vgpu_vote(ptr{{.*}}, i32 4, i64 4294967295, i32 3, i32 1)
; CHECK: call i64 @vgpu_activemask(ptr{{.*}}, i32 6)
; CHECK: call i64 @vgpu_vote(ptr{{.*}}, i32 5, i64 %mask{{.*}}, i32 3, i32 1)
; CHECK: call i64 @vgpu_match_any(ptr{{.*}}, i32 7, i64 4294967295, i64 4294967295)
; CHECK: call i64 @vgpu_match_any(ptr{{.*}}, i32 8, i64 4294967295, i64 -1)
; CHECK: call i64 @vgpu_match_all(ptr{{.*}}, i32 9, i64 4294967295, i64 3)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 10, i64 4294967295, i32 0, i32 5)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 11, i64 4294967295, i32 1, i32 5)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 12, i64 4294967295, i32 2, i32 5)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 13, i64 4294967295, i32 3, i32 5)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 14, i64 4294967295, i32 4, i32 5)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 15, i64 4294967295, i32 5, i32 5)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 16, i64 4294967295, i32 6, i32 5)
; CHECK: call i32 @vgpu_redux(ptr{{.*}}, i32 17, i64 4294967295, i32 7, i32 5)
; CHECK: call i64 @vgpu_activemask(ptr{{.*}}, i32 18)
; CHECK: call void @vgpu_syncwarp(ptr{{.*}}, i32 19, i64 12)
; CHECK: icmp eq i32 %lane{{.*}}, 2

target triple = "nvptx64-nvidia-cuda"

@out0 = addrspace(1) global i1 zeroinitializer
@out1 = addrspace(1) global i1 zeroinitializer
@out2 = addrspace(1) global i1 zeroinitializer
@out3 = addrspace(1) global i32 zeroinitializer
@out4 = addrspace(1) global i32 zeroinitializer
@out5 = addrspace(1) global i32 zeroinitializer
@out6 = addrspace(1) global i32 zeroinitializer
@out7 = addrspace(1) global { i32, i1 } zeroinitializer
@out8 = addrspace(1) global i32 zeroinitializer
@out9 = addrspace(1) global i32 zeroinitializer
@out10 = addrspace(1) global i32 zeroinitializer
@out11 = addrspace(1) global i32 zeroinitializer
@out12 = addrspace(1) global i32 zeroinitializer
@out13 = addrspace(1) global i32 zeroinitializer
@out14 = addrspace(1) global i32 zeroinitializer
@out15 = addrspace(1) global i32 zeroinitializer
@out16 = addrspace(1) global i32 zeroinitializer
@out17 = addrspace(1) global { i32, i1 } zeroinitializer

declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot(i1)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)
declare i32 @llvm.nvvm.redux.sync.min(i32, i32)
declare i32 @llvm.nvvm.redux.sync.max(i32, i32)
declare i32 @llvm.nvvm.redux.sync.and(i32, i32)
declare i32 @llvm.nvvm.redux.sync.or(i32, i32)
declare i32 @llvm.nvvm.redux.sync.xor(i32, i32)
declare i32 @llvm.nvvm.activemask()
declare { i32, i1 } @llvm.nvvm.elect.sync(i32)

define ptx_kernel void @k() {
  %r0 = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 true)
  store volatile i1 %r0, ptr addrspace(1) @out0
  %r1 = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 true)
  store volatile i1 %r1, ptr addrspace(1) @out1
  %r2 = call i1 @llvm.nvvm.vote.uni.sync(i32 -1, i1 true)
  store volatile i1 %r2, ptr addrspace(1) @out2
  %r3 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store volatile i32 %r3, ptr addrspace(1) @out3
  %r4 = call i32 @llvm.nvvm.vote.ballot(i1 true)
  store volatile i32 %r4, ptr addrspace(1) @out4
  %r5 = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 -1)
  store volatile i32 %r5, ptr addrspace(1) @out5
  %r6 = call i32 @llvm.nvvm.match.any.sync.i64(i32 -1, i64 -1)
  store volatile i32 %r6, ptr addrspace(1) @out6
  %r7 = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 3)
  store volatile { i32, i1 } %r7, ptr addrspace(1) @out7
  %r8 = call i32 @llvm.nvvm.redux.sync.add(i32 5, i32 -1)
  store volatile i32 %r8, ptr addrspace(1) @out8
  %r9 = call i32 @llvm.nvvm.redux.sync.umin(i32 5, i32 -1)
  store volatile i32 %r9, ptr addrspace(1) @out9
  %r10 = call i32 @llvm.nvvm.redux.sync.umax(i32 5, i32 -1)
  store volatile i32 %r10, ptr addrspace(1) @out10
  %r11 = call i32 @llvm.nvvm.redux.sync.min(i32 5, i32 -1)
  store volatile i32 %r11, ptr addrspace(1) @out11
  %r12 = call i32 @llvm.nvvm.redux.sync.max(i32 5, i32 -1)
  store volatile i32 %r12, ptr addrspace(1) @out12
  %r13 = call i32 @llvm.nvvm.redux.sync.and(i32 5, i32 -1)
  store volatile i32 %r13, ptr addrspace(1) @out13
  %r14 = call i32 @llvm.nvvm.redux.sync.or(i32 5, i32 -1)
  store volatile i32 %r14, ptr addrspace(1) @out14
  %r15 = call i32 @llvm.nvvm.redux.sync.xor(i32 5, i32 -1)
  store volatile i32 %r15, ptr addrspace(1) @out15
  %r16 = call i32 @llvm.nvvm.activemask()
  store volatile i32 %r16, ptr addrspace(1) @out16
  %r17 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 12)
  store volatile { i32, i1 } %r17, ptr addrspace(1) @out17
  ret void
}
