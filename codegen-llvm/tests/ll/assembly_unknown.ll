; Any other assembly is an error with its place.
; RUN: not omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: cannot run the inline PTX assembly `mma.sync.aligned.m8n8k4{{.*}}` in function `multiply` (matrix.cu:12:3)

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @multiply() !dbg !4 {
  call void asm sideeffect "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {};", ""(), !dbg !5
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "matrix.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "multiply", scope: !1, file: !1, line: 10, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 12, column: 3, scope: !4)
