; A code object is for the processor asked for, not for the one in the image, and says what image it was made of. Kernels
; keep their names and have descriptors; unused state of the runtime has no shared memory.
; RUN: omptarget-codegen amdgcn --mcpu=gfx942:sramecc+:xnack- %s -o %t.so && llvm-readelf -h -p .comment --dyn-syms -n %t.so \
; RUN:   | FileCheck %s --check-prefixes=ALL,GFX942
; RUN: omptarget-codegen amdgcn --mcpu=gfx11-generic -O0 %s -o %t.so && llvm-readelf -h -p .comment --dyn-syms -n %t.so \
; RUN:   | FileCheck %s --check-prefixes=ALL,GFX11
; ALL: OS/ABI: AMDGPU - HSA
; ALL: Type: DYN
; GFX942: Flags: 0xe4c, gfx942, xnack-, sramecc+
; GFX11: gfx11-generic
; ALL-DAG: PROTECTED {{.*}} k.kd
; ALL-DAG: PROTECTED {{.*}} k{{$}}
; ALL-DAG: PROTECTED {{.*}} out
; ALL: omptarget: of the image with SHA-256 {{[0-9a-f]+$}}
; GFX942: .group_segment_fixed_size: 0
; GFX11: .group_segment_fixed_size: 4
; ALL: .max_flat_workgroup_size: 256
; ALL: .wavefront_size: 64

; Every pass leaves a valid module.
; RUN: omptarget-codegen amdgcn --mcpu=gfx90a --verify-each --print-after retarget %s -o %t.so 2>&1 \
; RUN:   | FileCheck %s --check-prefix=RETARGET
; RETARGET: ; after retarget
; RETARGET-NOT: "target-cpu"

; What the processor is, is checked first.
; RUN: not omptarget-codegen amdgcn --mcpu=gfx999 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: error: this LLVM does not know the processor gfx999
; RUN: not omptarget-codegen amdgcn --mcpu=gfx1100:xnack+ %s 2>&1 | FileCheck %s --check-prefix=SETTING
; SETTING: error: gfx1100 has no setting xnack
; RUN: not omptarget-codegen amdgcn --mcpu=gfx1250 %s 2>&1 | FileCheck %s --check-prefix=WAVES
; WAVES: error: the image was compiled for waves of 64 lanes, and gfx1250 has only waves of 32

target triple = "amdgcn-amd-amdhsa"
@out = protected addrspace(1) global i32 0
@state = internal addrspace(3) global i32 poison
@k_kernel_environment = weak_odr protected constant { { i8, i8, i8 } } { { i8, i8, i8 } { i8 0, i8 0, i8 2 } }
declare void @llvm.amdgcn.s.barrier()
define weak_odr protected amdgpu_kernel void @k() #0 {
  store i32 1, ptr addrspace(3) @state
  store i32 2, ptr addrspace(1) @out
  call void @llvm.amdgcn.s.barrier()
  store i32 3, ptr addrspace(1) @out
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" "target-features"="+wavefrontsize64" "amdgpu-flat-work-group-size"="1,256" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
