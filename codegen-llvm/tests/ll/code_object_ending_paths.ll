; What ends a kernel is inlined: the kernel has no stack, and asks for no input that it does not use.
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a %s -o %t.so && llvm-readelf -n %t.so | FileCheck %s
; CHECK-NOT: hidden_hostcall_buffer
; CHECK-NOT: hidden_queue_ptr
; CHECK: .private_segment_fixed_size: 0
; CHECK: .vgpr_count: {{[0-9]$}}

target triple = "amdgcn-amd-amdhsa"
declare void @llvm.trap()
define internal void @omptarget_give_up(ptr %p, i32 %code) noinline optnone noreturn nounwind {
  store volatile i32 %code, ptr %p
  call void @llvm.trap()
  unreachable
}
define protected amdgpu_kernel void @k(ptr %p, i32 %wrong) {
  %bad = icmp ne i32 %wrong, 0
  br i1 %bad, label %end, label %go
end:
  call void @omptarget_give_up(ptr %p, i32 %wrong)
  unreachable
go:
  store i32 2, ptr %p
  ret void
}

; Two ends of one kernel are one place.
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a --print-after ending-paths %s -o %t.so 2>&1 | FileCheck %s --check-prefix=MERGED
; MERGED: define {{.*}} @twice(
; MERGED: phi i32 [ 1, %{{.*}} ], [ 2, %{{.*}} ]
; MERGED: call void @llvm.trap()
; MERGED-NOT: call void @llvm.trap()
; MERGED: {{^}}}
define protected amdgpu_kernel void @twice(ptr %p, i32 %wrong, i32 %other) {
  %bad = icmp ne i32 %wrong, 0
  br i1 %bad, label %end, label %go
end:
  call void @omptarget_give_up(ptr %p, i32 1)
  unreachable
go:
  store volatile i32 2, ptr %p
  %worse = icmp ne i32 %other, 0
  br i1 %worse, label %late, label %done
late:
  call void @omptarget_give_up(ptr %p, i32 2)
  unreachable
done:
  ret void
}
