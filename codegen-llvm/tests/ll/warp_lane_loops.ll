; A loop in which each thread goes through rows of its own becomes a function of its own, called lane by lane, where an
; iteration mostly accesses memory. The loop stays for few iterations, and for memory of the host's.
; RUN: omptarget-codegen vgpu --warp-forms --print-after warp -o /dev/null %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='loop.0.order' --implicit-check-not='loop.0.columns' --implicit-check-not='loop.0.roots' \
; RUN:   --implicit-check-not='loop.0.waits'
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --cpu x86-64-v3 %s 2>&1 | FileCheck %s --check-prefix=IR
; CHECK: define{{.*}} void @vgpu.cold.loop.0.neighbours(
; CHECK-NOT: call void @vgpu.check
; CHECK: define{{.*}} float @vgpu.cold.loop.0.products(
; Both are left: the copy, of which LLVM makes vectors along the row, and the loop for the lanes.
; IR-LABEL: define hidden void @vgpu.warp.neighbours(
; IR-DAG: fadd <8 x float>
; IR-DAG: fadd <32 x float>
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @neighbours(ptr noalias %from, ptr noalias %to, i64 %columns) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, %columns
  %row = getelementptr inbounds float, ptr %from, i64 %start
  %target = getelementptr inbounds float, ptr %to, i64 %start
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %address = getelementptr inbounds float, ptr %row, i64 %at
  %a = load float, ptr %address, align 4
  %address.2 = getelementptr inbounds i8, ptr %address, i64 4
  %b = load float, ptr %address.2, align 4
  %sum = fadd float %a, %b
  %place = getelementptr inbounds float, ptr %target, i64 %at
  store float %sum, ptr %place, align 4
  %next = add nuw nsw i64 %at, 1
  %end = icmp eq i64 %next, %columns
  br i1 %end, label %done, label %loop
done:
  ret void
}

; A value may leave the loop, and another one may be carried along, if each step accesses much memory.
define ptx_kernel void @products(ptr %from, ptr %with, ptr %to, i64 %columns) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, %columns
  %row = getelementptr inbounds float, ptr %from, i64 %start
  %other = getelementptr inbounds float, ptr %with, i64 %start
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %new, %loop ]
  %address = getelementptr inbounds float, ptr %row, i64 %at
  %a = load float, ptr %address, align 4
  %before = getelementptr inbounds i8, ptr %address, i64 -4
  %b = load float, ptr %before, align 4
  %behind = getelementptr inbounds i8, ptr %address, i64 4
  %c = load float, ptr %behind, align 4
  %ab = fadd float %a, %b
  %abc = fadd float %ab, %c
  %address.2 = getelementptr inbounds float, ptr %other, i64 %at
  %d = load float, ptr %address.2, align 4
  %new = call float @llvm.fmuladd.f32(float %abc, float %d, float %sum)
  store float %abc, ptr %address.2, align 4
  %next = add nuw nsw i64 %at, 1
  %end = icmp eq i64 %next, %columns
  br i1 %end, label %done, label %loop
done:
  %place = getelementptr inbounds float, ptr %to, i64 %wide
  store float %new, ptr %place
  ret void
}

; One thread would wait for each addition.
define ptx_kernel void @order(ptr %from, ptr %to, i64 %columns) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, %columns
  %row = getelementptr inbounds float, ptr %from, i64 %start
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %new, %loop ]
  %address = getelementptr inbounds float, ptr %row, i64 %at
  %a = load float, ptr %address, align 4
  %new = fadd float %sum, %a
  %next = add nuw nsw i64 %at, 1
  %end = icmp eq i64 %next, %columns
  br i1 %end, label %done, label %loop
done:
  %place = getelementptr inbounds float, ptr %to, i64 %wide
  store float %new, ptr %place
  ret void
}

; Lanes' elements are next to each other.
define ptx_kernel void @columns(ptr noalias %from, ptr noalias %to, i64 %rows) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %start = mul nuw nsw i64 %at, 8
  %place = add nuw nsw i64 %start, %wide
  %address = getelementptr inbounds float, ptr %from, i64 %place
  %a = load float, ptr %address, align 4
  %target = getelementptr inbounds float, ptr %to, i64 %place
  store float %a, ptr %target, align 4
  %next = add nuw nsw i64 %at, 1
  %end = icmp eq i64 %next, %rows
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Vectors take the roots of all lanes at once.
define ptx_kernel void @roots(ptr noalias %from, ptr noalias %to, i64 %columns) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, %columns
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = add nuw nsw i64 %start, %at
  %address = getelementptr inbounds float, ptr %from, i64 %place
  %a = load float, ptr %address, align 4
  %root = call float @llvm.sqrt.f32(float %a)
  %target = getelementptr inbounds float, ptr %to, i64 %place
  store float %root, ptr %target, align 4
  %next = add nuw nsw i64 %at, 1
  %end = icmp eq i64 %next, %columns
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Another thread may change what a volatile access reads.
define ptx_kernel void @waits(ptr noalias %from, ptr noalias %to, i64 %columns) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, %columns
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = add nuw nsw i64 %start, %at
  %address = getelementptr inbounds float, ptr %from, i64 %place
  %a = load volatile float, ptr %address, align 4
  %target = getelementptr inbounds float, ptr %to, i64 %place
  store float %a, ptr %target, align 4
  %next = add nuw nsw i64 %at, 1
  %end = icmp eq i64 %next, %columns
  br i1 %end, label %done, label %loop
done:
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "nvvm.maxntid"="128" }
