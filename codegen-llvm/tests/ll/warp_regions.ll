; Only the master hands regions to workers, and its code is gone when calls through pointers become comparisons. A
; kernel's pointers are compared with its own regions.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 %s 2>&1 | FileCheck %s
; CHECK: define hidden void @vgpu.warp.a(
; CHECK: icmp eq ptr {{.*}}, @region_of_a
; CHECK: call void @vgpu_wild_access
; CHECK: store <32 x i32> splat (i32 1001)
; CHECK: define hidden void @vgpu.warp.b(
; CHECK: icmp eq ptr {{.*}}, @region_of_b
; CHECK: store <32 x i32> splat (i32 1002)
target triple = "nvptx64-nvidia-cuda"

@function = internal addrspace(3) global ptr poison, align 8
@argument = internal addrspace(3) global ptr poison, align 8
@a_kernel_environment = constant { { i8, i8, i8, i32, i32, i32, i32, i32, i32 }, ptr, ptr } { { i8, i8, i8, i32, i32, i32, i32, i32, i32 } { i8 0, i8 0, i8 1, i32 1, i32 128, i32 1, i32 1, i32 0, i32 0 }, ptr null, ptr null }
@b_kernel_environment = constant { { i8, i8, i8, i32, i32, i32, i32, i32, i32 }, ptr, ptr } { { i8, i8, i8, i32, i32, i32, i32, i32, i32 } { i8 0, i8 0, i8 1, i32 1, i32 128, i32 1, i32 1, i32 0, i32 0 }, ptr null, ptr null }

define ptx_kernel void @a(ptr %out) "nvvm.maxntid"="128" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %all = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %top = add i32 %all, -1
  %first = and i32 %top, -32
  %master = icmp eq i32 %tid, %first
  br i1 %master, label %sequential, label %pool
sequential:
  store ptr %out, ptr addrspace(3) @argument
  store volatile ptr @region_of_a, ptr addrspace(3) @function
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
pool:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %f = load volatile ptr, ptr addrspace(3) @function
  call void %f(i16 0, i32 %tid)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
end:
  ret void
}
define internal void @region_of_a(i16 %level, i32 %thread) noinline {
  %out = load ptr, ptr addrspace(3) @argument
  %i = zext i32 %thread to i64
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 1001, ptr %p
  ret void
}
define ptx_kernel void @b(ptr %out) "nvvm.maxntid"="128" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %all = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %top = add i32 %all, -1
  %first = and i32 %top, -32
  %master = icmp eq i32 %tid, %first
  br i1 %master, label %sequential, label %pool
sequential:
  store ptr %out, ptr addrspace(3) @argument
  store volatile ptr @region_of_b, ptr addrspace(3) @function
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
pool:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %f = load volatile ptr, ptr addrspace(3) @function
  call void %f(i16 0, i32 %tid)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
end:
  ret void
}
define internal void @region_of_b(i16 %level, i32 %thread) noinline {
  %out = load ptr, ptr addrspace(3) @argument
  %i = zext i32 %thread to i64
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 1002, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
