; Accesses through pointers that may be the host's are checked, once per base on a path.
; RUN: omptarget-codegen vgpu --print-after window -O1 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=O1 \
; RUN:   --implicit-check-not='call void @vgpu.check(ptr %p, ptr %far' \
; RUN:   --implicit-check-not='call void @vgpu.check(ptr %local' \
; RUN:   --implicit-check-not='call void @vgpu.check(ptr addrspace'
; O1: define{{.*}}@checked(
; O1: call void @vgpu.check(ptr %p, ptr %p, i32 1, i32 0)
; O1: load i32, ptr %p
; O1: load i32, ptr %far
; O1: call void @vgpu.check(ptr %n, ptr %n
; O1: store i32
; O1: call void @vgpu.check_range(ptr %n, i64 %size
; O1: call void @vgpu.check_range(ptr %p, i64 %size
; O1: define{{.*}}@trusted(
; O1: ret void
; O1: define{{.*}}@chosen_in_loop(
; O1: store volatile i32 3, ptr %last
; O1: call void @vgpu.check(ptr %first, ptr %first
; O1: store volatile i32 4, ptr %first
; O1: define{{.*}}@counting(
; O1: call void @vgpu.check(ptr %p, ptr %at
; The launch environment, the first parameter of a kernel with an environment, and the buffer in it are the device's.
; O1: define{{.*}}@reducing(
; O1-NOT: vgpu.check
; O1: store volatile i32 8, ptr %record
; O1: call void @vgpu.check(ptr %result, ptr %result
; RUN: omptarget-codegen vgpu --print-after window -O0 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=AFTER-WINDOW \
; RUN:   --implicit-check-not='call void @vgpu.check(ptr %last' --implicit-check-not='itself'
; AFTER-WINDOW: define{{.*}}@chosen_in_loop(
; RUN: omptarget-codegen vgpu --emit-llvm -O1 %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: call{{.*}}void @vgpu.check_exact(ptr
; IR: call{{.*}}void @vgpu_wild_access(ptr
; RUN: omptarget-codegen vgpu --emit-llvm -O1 --no-window-check %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=UNCHECKED --allow-empty --implicit-check-not='vgpu_wild_access'
; UNCHECKED-NOT: vgpu.check

target triple = "nvptx64-nvidia-cuda"
@global = addrspace(1) global [8 x i32] zeroinitializer
@tile = internal addrspace(3) global [8 x i32] undef
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @malloc(i64)

define ptx_kernel void @checked(ptr %p, i64 %i, i64 %size) {
  %v = load i32, ptr %p
  %far = getelementptr i32, ptr %p, i64 %i
  %w = load i32, ptr %far
  %n = inttoptr i64 %i to ptr
  store i32 %w, ptr %n
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %n, i64 %size, i1 false)
  store i32 %v, ptr %n
  ret void
}
define ptx_kernel void @trusted(i64 %i, i1 %c) {
  %local = alloca [8 x i32]
  %slot = getelementptr [8 x i32], ptr %local, i64 0, i64 %i
  store volatile i32 1, ptr %slot
  %g = getelementptr [8 x i32], ptr addrspace(1) @global, i64 0, i64 %i
  store volatile i32 1, ptr addrspace(1) %g
  %t = getelementptr [8 x i32], ptr addrspace(3) @tile, i64 0, i64 %i
  store volatile i32 1, ptr addrspace(3) %t
  %heap = call ptr @malloc(i64 8)
  store volatile i32 1, ptr %heap
  %either = select i1 %c, ptr %slot, ptr %heap
  store volatile i32 2, ptr %either
  ret void
}

; Phis and selects that choose from each other, and arithmetic that starts from itself.
define ptx_kernel void @chosen_in_loop(ptr %p, i1 %c, i1 %d) {
entry:
  %local = alloca i32
  %heap = call ptr @malloc(i64 8)
  br label %loop
loop:
  %mine = phi ptr [ %local, %entry ], [ %last, %loop ]
  %first = phi ptr [ %local, %entry ], [ %other, %loop ]
  %last = select i1 %c, ptr %mine, ptr %heap
  %other = select i1 %c, ptr %first, ptr %p
  store volatile i32 3, ptr %last
  store volatile i32 4, ptr %first
  br i1 %d, label %loop, label %end
dead:
  %itself = getelementptr i8, ptr %itself, i64 1
  br label %end
end:
  %end.ptr = phi ptr [ %last, %loop ], [ %itself, %dead ]
  store volatile i32 5, ptr %end.ptr
  ret void
}

; A pointer that counts has the base that it starts from.
define ptx_kernel void @counting(ptr %p, i64 %n) {
entry:
  %end = getelementptr i8, ptr %p, i64 %n
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  store volatile i32 6, ptr %at
  %next = getelementptr i8, ptr %at, i64 4
  %again = icmp ult ptr %next, %end
  br i1 %again, label %loop, label %done
done:
  ret void
}

@reducing_kernel_environment = constant { { i8, i8, i8 } } { { i8, i8, i8 } { i8 0, i8 0, i8 2 } }
define ptx_kernel void @reducing(ptr %launch, ptr %result, i64 %i) {
  store volatile i32 7, ptr %launch
  %field = getelementptr i8, ptr %launch, i64 8
  %buffer = load ptr, ptr %field
  %record = getelementptr i32, ptr %buffer, i64 %i
  store volatile i32 8, ptr %record
  store volatile i32 9, ptr %result
  ret void
}
