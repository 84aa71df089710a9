; Kernels that clang compiled with -O0 -g stay with threads, so that a debugger shows their variables.
; RUN: omptarget-codegen vgpu --warp-forms %s 2>&1 | FileCheck %s
; CHECK: "name":"unoptimised"{{.*}}it was compiled with -O0 -g{{.*}}"name":"optimised"{{.*}}"width":32
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @unoptimised(ptr %out) noinline optnone !dbg !4 {
  store i32 1, ptr %out, !dbg !7
  ret void, !dbg !7
}
define ptx_kernel void @optimised(ptr %out) {
  store i32 1, ptr %out
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "unoptimised", file: !1, line: 1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 2, scope: !4)
