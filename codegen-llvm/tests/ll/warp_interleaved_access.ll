; Each lane loads consecutive elements of its own. If all lanes are active, each loads 16 bytes, which are shuffled.
; Else they are gathered, as are elements with too few neighbours, or with a store in between. `rows`: the lanes'
; addresses are a known distance apart. `three`: the fourth element is not touched. `backwards`: whichever load comes
; first in the block loads all. `perhaps`: a unit-stride access if the lanes are consecutive after all.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --emit-llvm %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=IR
; IR: define hidden void @vgpu.warp.rows
; IR: load <4 x i32>, ptr{{.*}}align 4
; IR: getelementptr i8, ptr{{.*}}i64 512
; IR: load <4 x i32>, ptr{{.*}}align 4
; IR: shufflevector <16 x i32>{{.*}}<i32 0, i32 16, i32 1, i32 17, i32 4, i32 20
; IR: define hidden void @vgpu.warp.pairs
; IR: store volatile <32 x ptr>
; IR: load volatile ptr
; IR: load <2 x double>, ptr{{.*}}align 8
; IR: shufflevector <8 x double>{{.*}}<i32 0, i32 8, i32 2, i32 10
; IR: define hidden void @vgpu.warp.three
; IR: @llvm.masked.load.v4i32.p0(ptr{{.*}}<4 x i1> <i1 true, i1 true, i1 true, i1 false>
; IR: define hidden void @vgpu.warp.backwards
; IR: load <4 x i32>
; IR: define hidden void @vgpu.warp.written
; IR: @llvm.masked.gather
; IR: @llvm.masked.scatter
; IR: @llvm.masked.gather
; IR: define hidden void @vgpu.warp.perhaps
; IR: load <32 x i32>
; IR: load <4 x i32>
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --verify-each %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @rows(ptr %matrix, ptr %sums) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = getelementptr [128 x i32], ptr %matrix, i32 %tid
  %sum = call i32 @four(ptr %row)
  %at = getelementptr i32, ptr %sums, i32 %tid
  store i32 %sum, ptr %at
  ret void
}
define ptx_kernel void @pairs(ptr %pairs, ptr %which, ptr %sums) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %index = call i32 @index(ptr %which)
  %pair = getelementptr [2 x double], ptr %pairs, i32 %index
  %other = getelementptr double, ptr %pair, i32 1
  %first = load double, ptr %pair
  %second = load double, ptr %other
  %sum = fadd double %first, %second
  %at = getelementptr double, ptr %sums, i32 %tid
  store double %sum, ptr %at
  ret void
}
define ptx_kernel void @three(ptr %points, ptr %which, ptr %sums) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %index = call i32 @index(ptr %which)
  %point = getelementptr { i32, i32, i32 }, ptr %points, i32 %index
  %at1 = getelementptr { i32, i32, i32 }, ptr %points, i32 %index, i32 1
  %at2 = getelementptr { i32, i32, i32 }, ptr %points, i32 %index, i32 2
  %x = load i32, ptr %point
  %y = load i32, ptr %at1
  %z = load i32, ptr %at2
  %xy = add i32 %x, %y
  %sum = mul i32 %xy, %z
  %at = getelementptr i32, ptr %sums, i32 %tid
  store i32 %sum, ptr %at
  ret void
}
define ptx_kernel void @backwards(ptr %quads, ptr %which, ptr %sums) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %index = call i32 @index(ptr %which)
  %start = mul nsw i32 %index, 4
  %i3 = add nsw i32 %start, 3
  %i2 = add nsw i32 %start, 2
  %i1 = add nsw i32 %start, 1
  %w3 = sext i32 %i3 to i64
  %w2 = sext i32 %i2 to i64
  %w1 = sext i32 %i1 to i64
  %w0 = sext i32 %start to i64
  %at3 = getelementptr i32, ptr %quads, i64 %w3
  %at2 = getelementptr i32, ptr %quads, i64 %w2
  %at1 = getelementptr i32, ptr %quads, i64 %w1
  %at0 = getelementptr i32, ptr %quads, i64 %w0
  %e3 = load i32, ptr %at3
  %e2 = load i32, ptr %at2
  %e1 = load i32, ptr %at1
  %e0 = load i32, ptr %at0
  %s1 = sub i32 %e3, %e2
  %s2 = mul i32 %s1, %e1
  %s3 = sub i32 %s2, %e0
  %at = getelementptr i32, ptr %sums, i32 %tid
  store i32 %s3, ptr %at
  ret void
}
define ptx_kernel void @written(ptr %pairs, ptr %which) {
  %index = call i32 @index(ptr %which)
  %pair = getelementptr [2 x i64], ptr %pairs, i32 %index
  %other = getelementptr i64, ptr %pair, i32 1
  %first = load i64, ptr %pair
  store i64 %first, ptr %other
  %last = getelementptr i64, ptr %pair, i32 -1
  %second = load i64, ptr %last
  store i64 %second, ptr %pair
  ret void
}
define ptx_kernel void @perhaps(ptr %values, ptr %which, ptr %sums) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %index = call i32 @index(ptr %which)
  %first = getelementptr i32, ptr %values, i32 %index
  %sum = call i32 @four(ptr %first)
  %at = getelementptr i32, ptr %sums, i32 %tid
  store i32 %sum, ptr %at
  ret void
}

define internal i32 @four(ptr %first) alwaysinline {
  %at1 = getelementptr i32, ptr %first, i32 1
  %at2 = getelementptr i32, ptr %first, i32 2
  %at3 = getelementptr i32, ptr %first, i32 3
  %e0 = load i32, ptr %first
  %e1 = load i32, ptr %at1
  %e2 = load i32, ptr %at2
  %e3 = load i32, ptr %at3
  %s1 = sub i32 %e0, %e1
  %s2 = mul i32 %s1, %e2
  %s3 = sub i32 %s2, %e3
  ret i32 %s3
}
define internal i32 @index(ptr %which) alwaysinline {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %which, i32 %tid
  %index = load i32, ptr %at
  ret i32 %index
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A 32-bit index has a stride unless it wraps, a scalar question: so no vector of addresses. Two of four elements are
; worth a load of each lane, too.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --emit-llvm %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=NARROW
; NARROW-LABEL: define hidden void @vgpu.warp.narrow
; NARROW-NOT: volatile ptr
; NARROW: icmp {{.*}} i32
; NARROW-NOT: load volatile ptr
; NARROW: @llvm.masked.load.v4i32.p0(ptr{{.*}}<4 x i1> <i1 true, i1 true, i1 false, i1 false>
; NARROW: @llvm.masked.gather
define ptx_kernel void @narrow(ptr %matrix, ptr %sums, i32 %first) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tid, 32
  %at = add i32 %row, %first
  %at64 = sext i32 %at to i64
  %from = getelementptr i32, ptr %matrix, i64 %at64
  %a = load i32, ptr %from
  %next = getelementptr i8, ptr %from, i64 4
  %b = load i32, ptr %next
  %sum = add i32 %a, %b
  %to = getelementptr i32, ptr %sums, i32 %tid
  store i32 %sum, ptr %to
  ret void
}
