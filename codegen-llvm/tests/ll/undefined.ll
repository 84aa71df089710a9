; An undefined symbol is an error with name and place. The engine provides the functions of the C library.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: device code calls `missing`, which neither the program nor the device runtime defines, in
; CHECK-SAME: function `k` (a.c:3:5)
; CHECK: a threadprivate variable is used in function `k` (compile with -g for the line): devices
; CHECK-SAME: have none (OpenMP 5.2, §13.8); give the region a copy, with firstprivate or map
; CHECK: device code uses `elsewhere`, which neither the program nor the device runtime defines, in function `k`

target triple = "nvptx64-nvidia-cuda"
@elsewhere = external addrspace(1) global i32
declare void @missing()
declare double @sin(double)
declare ptr @__kmpc_threadprivate_cached(ptr, i32, ptr, i64, ptr)
define ptx_kernel void @k(ptr %p) !dbg !4 {
  call void @missing(), !dbg !5
  %v = load i32, ptr addrspace(1) @elsewhere
  store volatile i32 %v, ptr %p
  %own = call ptr @__kmpc_threadprivate_cached(ptr null, i32 0, ptr null, i64 4, ptr null)
  %s = call double @sin(double 1.0)
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 5, scope: !4)
