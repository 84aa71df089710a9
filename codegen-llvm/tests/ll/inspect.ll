; RUN: omptarget-codegen inspect %s 2>&1 | FileCheck %s
; CHECK: "triple": "nvptx64-nvidia-cuda"
; CHECK: "cpu": "sm_80"
; CHECK: "name": "bare"
; CHECK: "mode": "bare"
; CHECK: "name": "generic"
; CHECK: "mode": "generic"
; CHECK: "max_threads": 128
; CHECK: "name": "mixed"
; CHECK: "mode": "generic-spmd"
; CHECK: "name": "spmd"
; CHECK: "mode": "spmd"
; CHECK: "i64"
; CHECK: "name": "table"
; CHECK: "size": 80
; CHECK: "constant": true

target triple = "nvptx64-nvidia-cuda"
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@generic_kernel_environment = internal constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr null, ptr null }
@spmd_kernel_environment = internal constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@mixed_kernel_environment = internal constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@table = constant [10 x i64] zeroinitializer
define ptx_kernel void @generic() "nvvm.maxntid"="128" "target-cpu"="sm_80" {
  ret void
}
define ptx_kernel void @spmd(i64 %n) {
  ret void
}
define ptx_kernel void @mixed() {
  ret void
}
define ptx_kernel void @bare() {
  ret void
}
