; Fences, scoped atomics, cached loads, asynchronous copies, prefetches.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --implicit-check-not='prefetch' \
; RUN:   --implicit-check-not='cp.async'
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK: fence seq_cst
; CHECK: atomicrmw add ptr %p, i32 1 monotonic
; CHECK: atomicrmw fadd ptr %p, float 1.000000e+00 monotonic
; CHECK: atomicrmw uinc_wrap ptr %p, i32 7 monotonic
; CHECK: atomicrmw udec_wrap ptr %p, i32 7 monotonic
; CHECK: atomicrmw max ptr %p, i64 7 monotonic
; CHECK: cmpxchg ptr %p, i32 1, i32 2 monotonic monotonic
; CHECK: load i64, ptr addrspace(1) %g, align 1
; CHECK: call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3){{.*}}align 16{{.*}}%g, i64 16, i1 false)

target triple = "nvptx64-nvidia-cuda"
@staging = internal addrspace(3) global [16 x i8] undef, align 16
declare void @llvm.nvvm.membar.cta()
declare void @llvm.nvvm.membar.gl()
declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)
declare float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr, float)
declare i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.dec.gen.i.sys.i32.p0(ptr, i32)
declare i64 @llvm.nvvm.atomic.max.gen.i.cta.i64.p0(ptr, i64)
declare i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr, i32, i32)
declare i64 @llvm.nvvm.ldu.global.i.i64.p1(ptr addrspace(1), i32)
declare void @llvm.nvvm.prefetch.global.L2(ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.all()

define ptx_kernel void @k(ptr %p, ptr addrspace(1) %g) {
  call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.membar.gl()
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %p, i32 1)
  %b = call float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr %p, float 1.0)
  %c = call i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr %p, i32 7)
  %d = call i32 @llvm.nvvm.atomic.dec.gen.i.sys.i32.p0(ptr %p, i32 7)
  %e = call i64 @llvm.nvvm.atomic.max.gen.i.cta.i64.p0(ptr %p, i64 7)
  %f = call i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr %p, i32 1, i32 2)
  %v = call i64 @llvm.nvvm.ldu.global.i.i64.p1(ptr addrspace(1) %g, i32 8)
  store volatile i64 %v, ptr %p
  call void @llvm.nvvm.prefetch.global.L2(ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) @staging, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.all()
  %s = load volatile i32, ptr addrspace(3) @staging
  store volatile i32 %s, ptr %p
  ret void
}
