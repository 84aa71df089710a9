; With --count every block adds the number of its instructions to the thread's counter: 3 of the first block, 4 of an
; iteration of the loop, 1 for the return. Phis, stack slots and hints for the optimiser do not count.
; RUN: omptarget-codegen vgpu --count -O0 --no-window-check --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: define{{.*}}@k(
; IR: load i64, ptr %counter
; IR: add i64{{.*}}, 3
; IR: loop:
; IR: add i64{{.*}}, 4
; IR: done:
; IR: add i64{{.*}}, 1

; Without it, none does.
; RUN: omptarget-codegen vgpu --no-window-check --emit-llvm %s 2>&1 | FileCheck %s --check-prefix=IR-2 --allow-empty
; IR-2-NOT: %counter

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %slot = alloca i32
  store volatile i32 1, ptr %slot
  %some = icmp sgt i32 %n, 0
  call void @llvm.assume(i1 %some)
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %out
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare void @llvm.assume(i1)
