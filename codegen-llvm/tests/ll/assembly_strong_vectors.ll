; A relaxed or volatile access to a vector of at most 128 bits is one access: no part may be older than another.
; Wider ones are an access for each element.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK-LABEL: @k(
; CHECK: load atomic i64, ptr %{{.*}} monotonic, align 8
; CHECK: store atomic i64 %{{.*}}, ptr %{{.*}} release, align 8
; CHECK: load atomic volatile i128, ptr %{{.*}} monotonic, align 16
; CHECK: store atomic i128 %{{.*}}, ptr %{{.*}} monotonic, align 16
; CHECK-COUNT-4: load atomic i64, ptr %{{.*}} monotonic

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  %a = call { i32, i32 } asm sideeffect "ld.relaxed.gpu.v2.u32 {$0, $1}, [$2];", "=r,=r,l,~{memory}"(ptr %p)
  %a0 = extractvalue { i32, i32 } %a, 0
  %a1 = extractvalue { i32, i32 } %a, 1
  call void asm sideeffect "st.release.gpu.v2.u32 [$0], {$1, $2};", "l,r,r,~{memory}"(ptr %p, i32 %a1, i32 %a0)
  %b = call { i64, i64 } asm sideeffect "ld.volatile.v2.u64 {$0, $1}, [$2];", "=l,=l,l,~{memory}"(ptr %p)
  %b0 = extractvalue { i64, i64 } %b, 0
  %b1 = extractvalue { i64, i64 } %b, 1
  call void asm sideeffect "st.relaxed.sys.v2.u64 [$0], {$1, $2};", "l,l,l,~{memory}"(ptr %p, i64 %b1, i64 %b0)
  %d = call { i64, i64, i64, i64 } asm sideeffect "ld.relaxed.gpu.v4.u64 {$0, $1, $2, $3}, [$4];",
    "=l,=l,=l,=l,l,~{memory}"(ptr %p)
  %d0 = extractvalue { i64, i64, i64, i64 } %d, 0
  store volatile i64 %d0, ptr %p
  ret void
}
