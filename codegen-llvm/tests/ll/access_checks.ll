; With --check, accesses are announced to the engine before they are made: with their bytes, the value that a store
; writes, and how they use the memory (1 reads, 2 writes, 4 atomically; 128 where the value is known, 512 where it is a
; local variable).
; RUN: omptarget-codegen vgpu --check=memory --print-after access-checks --emit-llvm %s 2>&1 | FileCheck %s
; CHECK-LABEL: define{{.*}}@k(
; The size of a variable that the code names is known. Inside of it nothing has to be checked.
; CHECK-NOT: check_object
; CHECK: call void @vgpu.check_object(ptr %array, i64 40, ptr %element, i64 4, i32 {{[0-9]+}}, i32 642, i32 0)
; CHECK-NEXT: store i32 1, ptr %element
; CHECK: call void @vgpu.check_access(ptr %in, i64 4, i64 0, i32 {{[0-9]+}}, i32 1)
; CHECK-NEXT: load i32, ptr %in
; CHECK: call void @vgpu.check_access(ptr %out, i64 4, i64 %{{[0-9]+}}, i32 {{[0-9]+}}, i32 130)
; CHECK: call void @vgpu.check_access(ptr %out, i64 4, i64 0, i32 {{[0-9]+}}, i32 7)
; CHECK-NEXT: atomicrmw add
; CHECK: call void @vgpu.check_access(ptr %out, i64 %bytes, i64 0, i32 {{[0-9]+}}, i32 2)
; CHECK-NEXT: call void @llvm.memset
; The program's local variables and the device runtime's are nobody else's.
; CHECK-NOT: @vgpu.check_access(ptr %array
; CHECK-NOT: @omptarget.nest{{.*}}check

; Races need to know what orders accesses.
; RUN: omptarget-codegen vgpu --check=race --print-after access-checks --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=RACE
; RACE: call void @vgpu.check_arrive(i32 -1)
; RACE-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
; RACE-NEXT: call void @vgpu.check_sync(i32 -1)
; RACE: call void @llvm.nvvm.membar.gl()
; RACE-NEXT: call void @vgpu.check_fence(i32 24)

; Barriers and the heap are the checker's. Without a check nothing is left of all this.
; RUN: omptarget-codegen vgpu --check=sync --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=SYNC
; SYNC-NOT: vgpu_access
; SYNC: call void @vgpu_members(
; SYNC: call void @vgpu_checked_barrier(
; RUN: omptarget-codegen vgpu --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=NONE
; NONE-NOT: vgpu_access
; NONE-NOT: vgpu_checked

; RUN: omptarget-codegen vgpu --check=memory --warp-forms --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=WARP
; WARP: define{{.*}}warp
; WARP: call void @vgpu_warp_access(

target triple = "nvptx64-nvidia-cuda"
@omptarget.nest = internal addrspace(3) global i32 poison
define ptx_kernel void @k(ptr %in, ptr %out, i64 %index, i64 %bytes) {
  %array = alloca [10 x i32]
  store i32 0, ptr %array
  %element = getelementptr [10 x i32], ptr %array, i64 0, i64 %index
  store i32 1, ptr %element
  %value = load i32, ptr %in
  store i32 %value, ptr %out
  store i32 %value, ptr addrspace(3) @omptarget.nest
  %old = atomicrmw add ptr %out, i32 1 monotonic
  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 %bytes, i1 false)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %read = load volatile i32, ptr %element
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
