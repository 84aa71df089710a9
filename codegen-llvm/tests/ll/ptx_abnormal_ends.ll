; A vtable's pure functions, and `abort`, are defined where nobody else does. The device linker knows no others.
; RUN: omptarget-codegen ptx --arch sm_90 %s 2>&1 | FileCheck %s
; CHECK-DAG: .func{{.*}}__cxa_pure_virtual
; CHECK-DAG: .func{{.*}}own
; CHECK-DAG: trap;
; CHECK-NOT: .extern .func

target triple = "nvptx64-nvidia-cuda"
@table = constant [2 x ptr] [ptr @__cxa_pure_virtual, ptr @own]
declare void @__cxa_pure_virtual()
define void @own() noinline {
  ret void
}
define ptx_kernel void @k(i64 %index) {
  %entry = getelementptr [2 x ptr], ptr @table, i64 0, i64 %index
  %function = load ptr, ptr %entry
  call void %function()
  ret void
}
