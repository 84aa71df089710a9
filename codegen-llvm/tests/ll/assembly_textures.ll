; Texture fetches and surface accesses of inline PTX become calls of device code.
; RUN: not omptarget-codegen vgpu --no-window-check --print-after assembly %s 2>&1 | FileCheck %s
; The library lies in dist/, not beside the compiler under test.
; CHECK-LABEL: define {{.*}}@fetches(
; CHECK: call void @__omptarget_texture_sample(ptr {{.*}}, i32 2, i32 0, float
; CHECK: call void @__omptarget_texture_fetch(ptr {{.*}}, i32 1, i32 0, i32
; CHECK: call void @__omptarget_texture_sample(ptr {{.*}}, i32 2, i32
; CHECK: call void @__omptarget_texture_gather(ptr {{.*}}, i32 1)
; CHECK: call i32 @__omptarget_texture_query(ptr {{.*}}, i32 1, i32 0)
; CHECK-LABEL: define {{.*}}@surfaces(
; CHECK: call i64 @__omptarget_surface_element(ptr {{.*}}, i32 2, i32 0, {{.*}}, i32 4, i32 2)
; CHECK: call void @llvm.trap()
; CHECK: call i64 @__omptarget_surface_element(ptr {{.*}}, i32 1, i32 %{{.*}}, i32 8, i32 0)
; CHECK: atomicrmw add ptr {{.*}}, i32 {{.*}} monotonic

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @fetches(ptr %p, i64 %t, float %x) {
  %a = call { float, float, float, float } asm "tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,f,f"(i64 %t, float %x, float 1.0)
  %a0 = extractvalue { float, float, float, float } %a, 0
  store volatile float %a0, ptr %p
  %b = call { i32, i32, i32, i32 } asm "tex.1d.v4.s32.s32 {$0, $1, $2, $3}, [$4, {$5}];", "=r,=r,=r,=r,l,r"(i64 %t, i32 7)
  %b0 = extractvalue { i32, i32, i32, i32 } %b, 0
  store volatile i32 %b0, ptr %p
  %c = call { float, float, float, float, i16 } asm "{.reg .pred %p0;\0A\09tex.a2d.v4.f32.f32 {$0, $1, $2, $3}|%p0, [$5, {$6, $7, $8, $8}];\0A\09 selp.u16 $4, 1, 0, %p0; }", "=f,=f,=f,=f,=h,l,r,f,f"(i64 %t, i32 3, float %x, float %x)
  %c0 = extractvalue { float, float, float, float, i16 } %c, 4
  store volatile i16 %c0, ptr %p
  %d = call { float, float, float, float } asm "tld4.g.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,f,f"(i64 %t, float %x, float 1.0)
  %d0 = extractvalue { float, float, float, float } %d, 0
  store volatile float %d0, ptr %p
  %e = call i32 asm "txq.height.b32 $0, [$1];", "=r,l"(i64 %t)
  store volatile i32 %e, ptr %p
  ret void
}

define ptx_kernel void @surfaces(ptr %p, i64 %s) {
  %a = call i32 asm "suld.b.2d.b32.trap {$0}, [$1, {$2, $3}];", "=r,l,r,r"(i64 %s, i32 8, i32 1)
  store volatile i32 %a, ptr %p
  call void asm sideeffect "sust.b.a1d.v2.b32.zero [$0, {$2, $1}], {$3, $4};", "l,r,r,r,r"(i64 %s, i32 8, i32 5, i32 1, i32 2)
  call void asm sideeffect "sured.b.add.1d.u32.clamp [$0, {$1}], $2;", "l,r,r"(i64 %s, i32 8, i32 1)
  ret void
}
