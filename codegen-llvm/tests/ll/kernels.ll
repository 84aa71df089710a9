; Kernels are found by calling convention and by annotation, and entries load the parameters. A launch bound limits
; the launches of a program, not those of OpenMP regions: in generic kernels it leaves out the master's warp.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s --check-prefix=IR \
; RUN:   --implicit-check-not='ptx_kernel' --implicit-check-not='@vgpu.entry.helper' --implicit-check-not='target-cpu' \
; RUN:   --implicit-check-not='nvvm.maxntid'
; IR: define hidden void @vgpu.entry.modern(ptr{{.*}}, ptr{{.*}}
; IR: load i8, ptr
; IR: getelementptr{{.*}}i64 8
; IR: load double, ptr
; IR: define hidden void @vgpu.entry.older(
; RUN: omptarget-codegen vgpu %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"modern","symbol":"vgpu.entry.modern","parameters":[{"offset":0,"size":1},
; MANIFEST-SAME: {"offset":8,"size":8}],"max_threads":128
; MANIFEST-SAME: "name":"older","symbol":"vgpu.entry.older","parameters":[],"max_threads":64
; MANIFEST-SAME: "name":"region"
; MANIFEST-SAME: "max_threads":1024
; MANIFEST-SAME: "name":"exact"
; MANIFEST-SAME: "max_threads":96,"block":[32,3,1]

target triple = "nvptx64-nvidia-cuda"
@out = addrspace(1) global double 0.0
define ptx_kernel void @modern(i8 %a, double %b) #0 {
  %f = sitofp i8 %a to double
  %s = fadd double %f, %b
  call void @helper(double %s)
  ret void
}
define void @older() {
  call void @helper(double 1.0)
  ret void
}
@region_exec_mode = constant i8 2
define ptx_kernel void @region() #0 {
  call void @quiet()
  ret void
}
define ptx_kernel void @exact() "nvvm.reqntid"="32,3" {
  call void @quiet()
  ret void
}
define void @quiet() noinline #0 {
  store volatile double 0.0, ptr addrspace(1) @out
  ret void
}
define ptx_device void @helper(double %v) noinline {
  store volatile double %v, ptr addrspace(1) @out
  ret void
}
attributes #0 = { "nvvm.maxntid"="32,4" "target-cpu"="sm_80" "target-features"="+ptx87,+sm_80" "kernel" }
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @older, !"kernel", i32 1}
!1 = !{ptr @older, !"maxntidx", i32 16, !"maxntidy", i32 4}

; As clang marks OpenMP device code: openmp-opt looks at such modules, with the GPU's attributes in place.
!llvm.module.flags = !{!2, !3}
!2 = !{i32 7, !"openmp", i32 51}
!3 = !{i32 7, !"openmp-device", i32 51}
