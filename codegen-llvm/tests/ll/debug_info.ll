; clang's NVPTX-only kind of debug information becomes line tables. A string with the same text stays.
; RUN: omptarget-codegen vgpu --emit-llvm --no-window-check %s 2>&1 | FileCheck %s \
; RUN:   --implicit-check-not='!DICompileUnit({{.*}}DebugDirectivesOnly'
; CHECK: c"emissionKind: DebugDirectivesOnly"
; CHECK: !DICompileUnit({{.*}}emissionKind: LineTablesOnly

target triple = "nvptx64-nvidia-cuda"
@text = addrspace(1) constant [33 x i8] c"emissionKind: DebugDirectivesOnly"
define ptx_kernel void @k(ptr %p) !dbg !4 {
  store volatile i32 1, ptr %p, !dbg !5
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "a.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 5, scope: !4)
