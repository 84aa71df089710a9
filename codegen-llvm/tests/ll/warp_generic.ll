; A generic kernel's warp form is for its workers: the code that only the master runs is gone. A region runs under the
; mask of its team, and its barrier tells which lanes wait at its end. (The block extends along y; the master is the
; first thread of the last warp.)
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm -O1 %s 2>&1 | FileCheck %s --check-prefix=IR \
; RUN:   --implicit-check-not='store i32 77, ptr %0'
; IR: define hidden void @vgpu.warp.generic(ptr %0, ptr {{.*}} %1, i64 %2)
; IR: call void @vgpu_warp_barrier(ptr{{.*}}%0, i32 {{.*}}, i32 0, i32 0, i64 {{.*}}, i64 0)
; IR: icmp eq ptr {{.*}}, @region
; IR: call void @vgpu_warp_barrier(ptr{{.*}}%0, i32 {{.*}}, i32 1, i32 %{{.*}}, i64 {{.*}}, i64 %{{.*}})
; IR: store <32 x i32>
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "warp":{"Present":{"symbol":"vgpu.warp.generic","width":32,"fiber":true,"workers":true,"partial":false,"max_threads":160}}
target triple = "nvptx64-nvidia-cuda"

@function = internal addrspace(3) global ptr poison, align 8
@size = internal addrspace(3) global i32 poison, align 4
@region = private constant i8 undef
@generic_kernel_environment = constant { { i8, i8, i8, i32, i32, i32, i32, i32, i32 }, ptr, ptr } { { i8, i8, i8, i32, i32, i32, i32, i32, i32 } { i8 0, i8 0, i8 1, i32 1, i32 128, i32 1, i32 1, i32 0, i32 0 }, ptr null, ptr null }

define ptx_kernel void @generic(ptr %launch, ptr %out) "nvvm.maxntid"="128" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %all = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %top = add i32 %all, -1
  %first = and i32 %top, -32
  %master = icmp eq i32 %tid, %first
  br i1 %master, label %sequential, label %others
sequential:
  store i32 77, ptr %out
  store volatile i32 100, ptr addrspace(3) @size
  store volatile ptr @region, ptr addrspace(3) @function
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  store volatile ptr null, ptr addrspace(3) @function
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
others:
  %workers = sub i32 %all, 32
  %works = icmp ult i32 %tid, %workers
  br i1 %works, label %pool, label %end
pool:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %f = load volatile ptr, ptr addrspace(3) @function
  %none = icmp eq ptr %f, null
  br i1 %none, label %end, label %sent
sent:
  %n = load volatile i32, ptr addrspace(3) @size
  %active = icmp ult i32 %tid, %n
  br i1 %active, label %run, label %done
run:
  %known = icmp eq ptr %f, @region
  br i1 %known, label %body, label %unknown
body:
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 %n)
  %i = zext i32 %tid to i64
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 5, ptr %p
  br label %done
unknown:
  call void %f(i16 0, i32 %tid)
  br label %done
done:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %pool
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
