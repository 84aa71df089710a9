; Barriers on both sides of a branch that divides a warp: lanes at one cannot wait for lanes at the other, so the kernel
; has no warp form. Others have one: where the branch only chooses between two barriers, as the device runtime's does on
; a condition that is the same for the team; where the barriers have different numbers; and where one comes after the
; other.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check %s 2>&1 | FileCheck %s
; CHECK: "name":"ways"
; CHECK-SAME: "warp":{"Absent":"lanes of a warp may come to a barrier here
; CHECK-SAME: "name":"choice"
; CHECK-SAME: "warp":{"Present"
; CHECK-SAME: "name":"numbers"
; CHECK-SAME: "warp":{"Present"
; CHECK-SAME: "name":"behind"
; CHECK-SAME: "warp":{"Present"
; CHECK-SAME: "name":"counted"
; CHECK-SAME: "warp":{"Present"
; CHECK-SAME: "name":"lists"
; CHECK-SAME: "warp":{"Absent":"lanes may leave the loop around a barrier one by one, by what each has read

target triple = "nvptx64-nvidia-cuda"
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }
@ways_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@choice_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@numbers_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@behind_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@counted_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@lists_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@values = internal addrspace(3) global [128 x i32] undef

define ptx_kernel void @ways(ptr %from) {
entry:
  %own = call ptr addrspace(3) @own()
  %set = call i1 @is_set(ptr %from)
  br i1 %set, label %one, label %other
one:
  store volatile i32 1, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
other:
  %seen = load volatile i8, ptr %from
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
end:
  ret void
}
define ptx_kernel void @choice(ptr %from) {
entry:
  %own = call ptr addrspace(3) @own()
  %set = call i1 @is_set(ptr %from)
  store i32 1, ptr addrspace(3) %own
  br i1 %set, label %one, label %other
one:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
other:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
end:
  ret void
}
define ptx_kernel void @numbers(ptr %from) {
entry:
  %own = call ptr addrspace(3) @own()
  %set = call i1 @is_set(ptr %from)
  br i1 %set, label %one, label %other
one:
  store i32 1, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
other:
  store i32 2, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 128)
  br label %end
end:
  ret void
}
define ptx_kernel void @behind(ptr %from) {
entry:
  %own = call ptr addrspace(3) @own()
  %set = call i1 @is_set(ptr %from)
  br i1 %set, label %one, label %end
one:
  store i32 1, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  store i32 2, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}

define ptx_kernel void @counted(ptr %from, i32 %count) {
entry:
  %own = call ptr addrspace(3) @own()
  %first = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %at = phi i32 [ %first, %entry ], [ %next, %loop ]
  store i32 %at, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %at, 128
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @lists(ptr %from) {
entry:
  %own = call ptr addrspace(3) @own()
  %first = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %at = phi i32 [ %first, %entry ], [ %next, %loop ]
  store i32 %at, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %link = getelementptr i32, ptr %from, i32 %at
  %next = load i32, ptr %link
  %more = icmp ne i32 %next, -1
  br i1 %more, label %loop, label %end
end:
  ret void
}

define internal ptr addrspace(3) @own() alwaysinline {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @values, i32 %tid
  ret ptr addrspace(3) %own
}
define internal i1 @is_set(ptr %from) alwaysinline {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i8, ptr %from, i32 %tid
  %value = load i8, ptr %at
  %set = icmp ne i8 %value, 0
  ret i1 %set
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
