; The lanes' elements lie two to four elements apart. If all lanes are active, whole vectors are loaded and shuffled,
; but for what lies behind the last element. Stores have masks, or are whole if the block stores all members. `whole`:
; three members, read and written. `part`: the third member alone, of 8 bytes, which is stored lane by lane.
; `looked_up`: an index from memory is not tested.
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --emit-llvm %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=IR
; IR: define hidden void @vgpu.warp.whole
; IR: load <16 x float>, ptr{{.*}}align 4
; IR: load <16 x float>, ptr{{.*}}align 4
; IR: load <16 x float>, ptr{{.*}}align 4
; IR-NOT: masked
; IR: store <16 x float>{{.*}}align 4
; IR: store <16 x float>{{.*}}align 4
; IR: store <16 x float>{{.*}}align 4
; IR: define hidden void @vgpu.warp.part
; IR: @llvm.masked.load.v8f64{{.*}}<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false>
; IR: extractelement <8 x double>
; IR-NOT: store <
; IR: store double
; IR: define hidden void @vgpu.warp.masked
; IR: @llvm.masked.store.v16i32{{.*}}<16 x i1> <i1 true, i1 false, i1 true, i1 false
; IR: define hidden void @vgpu.warp.looked_up
; IR-NOT: load <16 x float>
; IR: @llvm.masked.gather
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v3 --emit-llvm %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=AVX2
; AVX2: define hidden void @vgpu.warp.whole
; AVX2: store <16 x float>{{.*}}align 4
; AVX2: define hidden void @vgpu.warp.masked
; AVX2-NOT: masked.store.v16i32
; AVX2: define hidden void @vgpu.warp.looked_up
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check --cpu x86-64-v4 --verify-each %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

%point = type { float, float, float }
%triple = type { double, double, double }

define ptx_kernel void @whole(ptr %from, ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x.at = getelementptr %point, ptr %from, i32 %tid
  %y.at = getelementptr %point, ptr %from, i32 %tid, i32 1
  %z.at = getelementptr %point, ptr %from, i32 %tid, i32 2
  %x = load float, ptr %x.at
  %y = load float, ptr %y.at
  %z = load float, ptr %z.at
  %sum = fadd float %x, %y
  %x.to = getelementptr %point, ptr %to, i32 %tid
  %y.to = getelementptr %point, ptr %to, i32 %tid, i32 1
  %z.to = getelementptr %point, ptr %to, i32 %tid, i32 2
  store float %z, ptr %y.to
  store float %y, ptr %z.to
  store float %sum, ptr %x.to
  ret void
}
define ptx_kernel void @part(ptr %from, ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x.at = getelementptr %triple, ptr %from, i32 %tid
  %x = load double, ptr %x.at
  %z.to = getelementptr %triple, ptr %to, i32 %tid, i32 2
  store double %x, ptr %z.to
  ret void
}
define ptx_kernel void @masked(ptr %from, ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %from, i32 %tid
  %value = load i32, ptr %at
  %there = getelementptr { i32, i32 }, ptr %to, i32 %tid
  store i32 %value, ptr %there
  ret void
}
define ptx_kernel void @looked_up(ptr %from, ptr %which, ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %which.at = getelementptr i64, ptr %which, i32 %tid
  %index = load i64, ptr %which.at
  %at = getelementptr { float, float }, ptr %from, i64 %index
  %value = load float, ptr %at
  %there = getelementptr float, ptr %to, i32 %tid
  store float %value, ptr %there
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
