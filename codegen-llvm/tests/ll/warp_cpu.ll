; The host's CPU decides what instructions a warp form may use: permutations of vectors of 512 bits need AVX-512. Code
; for any CPU of a level can be made on every machine.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=IR --implicit-check-not='vpermi2var'
; IR: define hidden void @vgpu.warp.rotate
; IR: @llvm.masked.gather.v32i32
; Where all lanes look equally far, a load from the stack starts so much further.
; IR: define hidden void @vgpu.warp.slide
; IR-NOT: @llvm.masked.gather
; IR: store <32 x i32> {{.*}}, align 256
; IR-NEXT: load <32 x i32>, {{.*}}, align 4
; IR-NOT: @llvm.masked.gather
; IR: ret void
; RUN: omptarget-codegen vgpu --warp-forms --cpu x86-64 %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"rotate"{{.*}}"width":32,"fiber":false{{.*}}"name":"partners"{{.*}}"width":32,"fiber":false
; RUN: omptarget-codegen vgpu --warp-forms --cpu x86-64-v2 %s 2>&1 | FileCheck %s --check-prefix=X86-64-V2
; X86-64-V2: "name":"partners"{{.*}}"width":32,"fiber":false
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @rotate(ptr %out, i32 %by) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = add i32 %tid, %by
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %a = load i32, ptr %at
  %b = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %a, i32 %from, i32 31)
  store i32 %b, ptr %at
  ret void
}
define ptx_kernel void @partners(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %a = load i32, ptr %at
  %b = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %a)
  %c = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %a)
  %d = extractvalue { i32, i1 } %c, 0
  %both = add i32 %b, %d
  store i32 %both, ptr %at
  ret void
}
define ptx_kernel void @slide(ptr %out, i32 %by) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %a = load i32, ptr %at
  %b = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %a, i32 %by, i32 31)
  store i32 %b, ptr %at
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32, i32)
