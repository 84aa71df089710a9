; What cannot be compiled is refused with its place, before LLVM's back end ends the process.
; RUN: sed -e 's/;FUNCTION;//' %s | not omptarget-codegen amdgcn --mcpu=gfx90a 2>&1 | FileCheck %s --check-prefix=FUNCTION
; FUNCTION: error: device code calls `missing`, which neither the program nor the device runtime defines, in function `k`
; RUN: sed -e 's/;VARIABLE;//' %s | not omptarget-codegen amdgcn --mcpu=gfx90a 2>&1 | FileCheck %s --check-prefix=VARIABLE
; VARIABLE: error: device code uses `elsewhere`, which neither the program nor the device runtime defines, in function `k`
; RUN: sed -e 's/;LONG;//' %s | not omptarget-codegen amdgcn --mcpu=gfx90a 2>&1 | FileCheck %s --check-prefix=LONG
; LONG: error: device code uses long double, which GPUs do not have
; RUN: sed -e 's/;VERSION;//' %s | not omptarget-codegen amdgcn --mcpu=gfx90a 2>&1 | FileCheck %s --check-prefix=VERSION
; VERSION: error: the image is for code objects of version 4, and the device runtime needs 5 or newer
; RUN: sed -e 's/amdgcn-amd-amdhsa"/nvptx64-nvidia-cuda"/' %s | not omptarget-codegen amdgcn --mcpu=gfx90a 2>&1 \
; RUN:   | FileCheck %s --check-prefix=TRIPLE
; TRIPLE: error: the image's target triple is `nvptx64-nvidia-cuda`, code objects need amdgcn-amd-amdhsa
; RUN: sed -e 's/;ASSEMBLY;//' %s | not omptarget-codegen amdgcn --mcpu=gfx90a 2>&1 | FileCheck %s --check-prefix=ASSEMBLY
; ASSEMBLY: error: emitting code: {{.*}}invalid instruction
; RUN: sed -e 's/;LDS;//' %s | not omptarget-codegen amdgcn --mcpu=gfx90a 2>&1 | FileCheck %s --check-prefix=LDS
; LDS: error: emitting code: {{.*}}local memory (80000) exceeds limit (65536) in function 'k'

target triple = "amdgcn-amd-amdhsa"
declare void @missing()
@elsewhere = external addrspace(1) global i32
@large = internal addrspace(3) global [80000 x i8] poison
define protected amdgpu_kernel void @k(ptr addrspace(1) %p, i64 %i) {
  ;FUNCTION;call void @missing()
  ;VARIABLE;store i32 1, ptr addrspace(1) @elsewhere
  ;LONG;%x = load x86_fp80, ptr addrspace(1) %p
  ;LONG;%y = fadd x86_fp80 %x, %x
  ;LONG;store x86_fp80 %y, ptr addrspace(1) %p
  ;ASSEMBLY;call void asm sideeffect "bar.sync 0;", ""()
  ;LDS;%a = getelementptr i8, ptr addrspace(3) @large, i64 %i
  ;LDS;store volatile i8 1, ptr addrspace(3) %a
  store i32 2, ptr addrspace(1) %p
  ret void
}
;VERSION;!llvm.module.flags = !{!0}
;VERSION;!0 = !{i32 1, !"amdhsa_code_object_version", i32 400}
