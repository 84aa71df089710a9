; With --check=init, a local variable begins unwritten (256), and its memory counts as written when the function ends. Its
; reads and writes are announced (512: it is a local). A local whose address is stored is left alone, as is one with
; padding.
; RUN: omptarget-codegen vgpu --check=init --print-after access-checks --emit-llvm %s 2>&1 | FileCheck %s
; CHECK-LABEL: define{{.*}}@k(
; CHECK: call void @vgpu.check_access(ptr %array, i64 40, i64 0, i32 0, i32 832)
; CHECK: call void @vgpu.check_access(ptr %element, i64 4, i64 1, i32 {{[0-9]+}}, i32 642)
; CHECK-NEXT: store i32 1, ptr %element
; CHECK-NOT: check_access(ptr %kept
; CHECK-NOT: check_access(ptr %padded
; CHECK: call void @vgpu.check_access(ptr %element, i64 4, i64 0, i32 {{[0-9]+}}, i32 513)
; CHECK-NEXT: load i32, ptr %element
; CHECK: call void @vgpu.check_access(ptr %array, i64 40, i64 0, i32 0, i32 578)
; CHECK-NEXT: ret void

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %out, i64 %index) !dbg !4 {
  %array = alloca [10 x i32]
  %kept = alloca i32
  %padded = alloca { i64, i32 }
  %element = getelementptr [10 x i32], ptr %array, i64 0, i64 %index
  store i32 1, ptr %element, !dbg !5
  store i32 2, ptr %kept, !dbg !5
  store ptr %kept, ptr %out, !dbg !5
  store i64 2, ptr %padded, !dbg !5
  %read = load i32, ptr %element, !dbg !5
  store i32 %read, ptr %out, !dbg !5
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DILocation(line: 2, column: 3, scope: !4)
