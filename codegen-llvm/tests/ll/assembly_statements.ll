; Inline PTX of several statements: registers, predicates, vectors, addresses of shared memory, several results.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s
; CHECK-LABEL: define {{.*}}@scan(
; CHECK: call i64 @vgpu_shfl(
; CHECK: atomicrmw add ptr {{.*}} release
; CHECK: load atomic i32, ptr {{.*}} acquire
; CHECK-LABEL: define {{.*}}@halves(
; CHECK: fptrunc float {{.*}} to half
; CHECK-LABEL: define {{.*}}@loop(
; CHECK: phi

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @scan(ptr %p, i32 %x) {
  %sum = call i32 asm "{ .reg .u32 r; .reg .pred q; shfl.sync.up.b32 r|q, $1, 1, 0, -1; @q add.u32 r, r, $1; mov.u32 $0, r; }", "=r,r"(i32 %x)
  store volatile i32 %sum, ptr %p
  %old = call i32 asm sideeffect "atom.add.release.gpu.u32 $0,[$1],$2;", "=r,l,r,~{memory}"(ptr %p, i32 %x)
  %now = call i32 asm sideeffect "ld.acquire.gpu.u32 $0,[$1];", "=r,l,~{memory}"(ptr %p)
  %both = call { i32, i32 } asm "mov.b64 {$0, $1}, $2;", "=r,=r,l"(i64 12884901890)
  %low = extractvalue { i32, i32 } %both, 0
  store volatile i32 %low, ptr %p
  ret void
}

define ptx_kernel void @halves(ptr %p, float %f) {
  %pair = call i32 asm "{.reg .f16 low; cvt.rn.f16.f32 low, $1; mov.b32 $0, {low,low};}", "=r,f"(float %f)
  store volatile i32 %pair, ptr %p
  ret void
}

define ptx_kernel void @loop(ptr %p, i32 %n) {
  %last = call i32 asm sideeffect "{ .reg .pred q; mov.u32 $0, 0; again: add.u32 $0, $0, 3; setp.lt.u32 q, $0, $1; @q bra again; }", "=&r,r"(i32 %n)
  store volatile i32 %last, ptr %p
  ret void
}
