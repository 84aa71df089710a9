; Special registers are fields of the context, found from the stack pointer.
; RUN: omptarget-codegen vgpu --print-after lowering -o /dev/null %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='@llvm.nvvm.'
; CHECK: define internal ptr @vgpu.context()
; CHECK: asm "movq %rsp, $0", "=r"()
; CHECK: and i64 %sp, -262144
; CHECK: or i64 %stack, 261888
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: getelementptr i8, ptr %cx, i64 0
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK: getelementptr i8, ptr %cx, i64 4
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.tid.z()
; CHECK: getelementptr i8, ptr %cx, i64 8
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK: getelementptr i8, ptr %cx, i64 12
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.ntid.z()
; CHECK: getelementptr i8, ptr %cx, i64 20
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: getelementptr i8, ptr %cx, i64 24
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.nctaid.y()
; CHECK: getelementptr i8, ptr %cx, i64 40
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.laneid()
; CHECK: getelementptr i8, ptr %cx, i64 48
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.warpid()
; CHECK: getelementptr i8, ptr %cx, i64 52
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.smid()
; CHECK: getelementptr i8, ptr %cx, i64 56
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.nsmid()
; CHECK: getelementptr i8, ptr %cx, i64 60
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
; CHECK: getelementptr i8, ptr %cx, i64 64
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load
; CHECK: define internal i32 @lower.llvm.nvvm.read.ptx.sreg.total_smem_size()
; CHECK: getelementptr i8, ptr %cx, i64 68
; CHECK: load i32, ptr %field, align 4{{.*}}!invariant.load

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.warpid()
declare i32 @llvm.nvvm.read.ptx.sreg.smid()
declare i32 @llvm.nvvm.read.ptx.sreg.nsmid()
declare i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
declare i32 @llvm.nvvm.read.ptx.sreg.total_smem_size()

define i32 @tid_x() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %v
}
define i32 @tid_y() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %v
}
define i32 @tid_z() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  ret i32 %v
}
define i32 @ntid_x() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %v
}
define i32 @ntid_z() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  ret i32 %v
}
define i32 @ctaid_x() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ret i32 %v
}
define i32 @nctaid_y() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  ret i32 %v
}
define i32 @laneid() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ret i32 %v
}
define i32 @warpid() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  ret i32 %v
}
define i32 @smid() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  ret i32 %v
}
define i32 @nsmid() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.nsmid()
  ret i32 %v
}
define i32 @dynamic_smem_size() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
  ret i32 %v
}
define i32 @total_smem_size() {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.total_smem_size()
  ret i32 %v
}

define ptx_kernel void @k(ptr %p) {
  %r0 = call i32 @tid_x()
  store volatile i32 %r0, ptr %p
  %r1 = call i32 @tid_y()
  store volatile i32 %r1, ptr %p
  %r2 = call i32 @tid_z()
  store volatile i32 %r2, ptr %p
  %r3 = call i32 @ntid_x()
  store volatile i32 %r3, ptr %p
  %r4 = call i32 @ntid_z()
  store volatile i32 %r4, ptr %p
  %r5 = call i32 @ctaid_x()
  store volatile i32 %r5, ptr %p
  %r6 = call i32 @nctaid_y()
  store volatile i32 %r6, ptr %p
  %r7 = call i32 @laneid()
  store volatile i32 %r7, ptr %p
  %r8 = call i32 @warpid()
  store volatile i32 %r8, ptr %p
  %r9 = call i32 @smid()
  store volatile i32 %r9, ptr %p
  %r10 = call i32 @nsmid()
  store volatile i32 %r10, ptr %p
  %r11 = call i32 @dynamic_smem_size()
  store volatile i32 %r11, ptr %p
  %r12 = call i32 @total_smem_size()
  store volatile i32 %r12, ptr %p
  ret void
}
