; A synchronising call has an index of its own, even on a source line that it shares. Its location is the innermost
; frame in the user's source. Checks of accesses share indices by location.
; RUN: omptarget-codegen vgpu %s 2>&1 | FileCheck %s
; CHECK: "sites":[{"file":"","line":0,"column":0,"function":""},{"file":"user.c","line":7,
; CHECK-SAME: "column":3,"function":"kernel_body"},{"file":"user.c","line":7,"column":3,
; CHECK-SAME: "function":"kernel_body"},{"file":"user.c","line":9,"column":4,"function":"kernel_body"}]

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier.sync(i32)
define ptx_kernel void @k(ptr %p, ptr %q) !dbg !6 {
  call void @llvm.nvvm.barrier.sync(i32 1), !dbg !10
  call void @llvm.nvvm.barrier.sync(i32 1), !dbg !10
  store i32 1, ptr %p, !dbg !11
  store i32 1, ptr %q, !dbg !11
  ret void, !dbg !11
}
!llvm.dbg.cu = !{!0, !1}
!llvm.module.flags = !{!4}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "user.c", directory: "/src")
!3 = !DIFile(filename: "sync.rs", directory: "/rt")
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DISubroutineType(types: !{null})
!6 = distinct !DISubprogram(name: "kernel_body", linkageName: "k", scope: !2, file: !2, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!7 = distinct !DISubprogram(name: "barrier", scope: !3, file: !3, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!8 = distinct !DILexicalBlock(scope: !6, file: !2, line: 6, column: 1)
!9 = !DILocation(line: 7, column: 3, scope: !8)
!10 = !DILocation(line: 2, column: 1, scope: !7, inlinedAt: !9)
!11 = !DILocation(line: 9, column: 4, scope: !6)
