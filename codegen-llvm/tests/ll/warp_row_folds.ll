; A loop in which each thread combines consecutive elements of its own, unrolled, becomes a function of its own, rolled:
; called lane by lane, and made of vectors, where the operation may be done in any order.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --cpu x86-64-v3 %s 2>&1 | FileCheck %s --check-prefix=IR
; RUN: omptarget-codegen vgpu --warp-forms --print-after warp -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=FOLD \
; RUN:   --implicit-check-not='fold.{{[0-9]}}.order'
; IR-LABEL: define hidden void @vgpu.warp.sums(
; IR: load <8 x i32>
; IR: add <8 x i32>
; IR: call i32 @llvm.vector.reduce.add
; The loop stays for short rows, and for memory of the host's.
; IR: add <32 x i32>
; IR-LABEL: define hidden void @vgpu.warp.fast(
; IR: fmul reassoc <8 x float>
; IR: call reassoc float @llvm.vector.reduce.fadd
; FOLD: define{{.*}} i32 @vgpu.cold.fold.0.sums(i64 %{{.*}}, i32 %{{.*}}, ptr %{{[^,]*}})
; FOLD: define{{.*}} float @vgpu.cold.fold.0.fast(i64 %{{.*}}, float %{{.*}}, ptr %{{.*}}, float %{{[^,]*}})
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @sums(ptr %from, ptr %to) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, 100
  %row = getelementptr inbounds i32, ptr %from, i64 %start
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %second, %loop ]
  %address = getelementptr inbounds i32, ptr %row, i64 %at
  %a = load i32, ptr %address, align 4
  %first = add i32 %sum, %a
  %address.2 = getelementptr inbounds i8, ptr %address, i64 4
  %b = load i32, ptr %address.2, align 4
  %second = add i32 %b, %first
  %next = add nuw nsw i64 %at, 2
  %end = icmp eq i64 %next, 100
  br i1 %end, label %done, label %loop
done:
  %place = getelementptr inbounds i32, ptr %to, i64 %wide
  store i32 %second, ptr %place
  ret void
}

; Sums of products with a number, in any order.
define ptx_kernel void @fast(ptr %from, ptr %to, float %factor, i64 %columns) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, %columns
  %row = getelementptr inbounds float, ptr %from, i64 %start
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %second, %loop ]
  %address = getelementptr inbounds float, ptr %row, i64 %at
  %a = load float, ptr %address, align 4
  %scaled.a = fmul reassoc float %a, %factor
  %first = fadd reassoc float %sum, %scaled.a
  %address.2 = getelementptr inbounds i8, ptr %address, i64 4
  %b = load float, ptr %address.2, align 4
  %scaled.b = fmul reassoc float %b, %factor
  %second = fadd reassoc float %first, %scaled.b
  %next = add nuw nsw i64 %at, 2
  %end = icmp eq i64 %next, %columns
  br i1 %end, label %done, label %loop
done:
  %place = getelementptr inbounds float, ptr %to, i64 %wide
  store float %second, ptr %place
  ret void
}

; Floating-point numbers are added in the program's order.
define ptx_kernel void @order(ptr %from, ptr %to) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %start = mul nuw nsw i64 %wide, 100
  %row = getelementptr inbounds float, ptr %from, i64 %start
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %second, %loop ]
  %address = getelementptr inbounds float, ptr %row, i64 %at
  %a = load float, ptr %address, align 4
  %first = fadd float %sum, %a
  %address.2 = getelementptr inbounds i8, ptr %address, i64 4
  %b = load float, ptr %address.2, align 4
  %second = fadd float %first, %b
  %next = add nuw nsw i64 %at, 2
  %end = icmp eq i64 %next, 100
  br i1 %end, label %done, label %loop
done:
  %place = getelementptr inbounds float, ptr %to, i64 %wide
  store float %second, ptr %place
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "nvvm.maxntid"="128" }
