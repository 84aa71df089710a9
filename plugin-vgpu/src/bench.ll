; The kernels of `omptarget bench vgpu`, as clang would emit them for nvptx64.
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.nanosleep(i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)

define ptx_kernel void @empty() {
  ret void
}

; Every iteration lets the other threads of the block run.
define ptx_kernel void @yields(i64 %iterations) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.nvvm.nanosleep(i32 0)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %iterations
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Every iteration waits for the whole block.
define ptx_kernel void @barriers(i64 %iterations) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %iterations
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Every iteration passes a value around the warp.
define ptx_kernel void @shuffles(i64 %iterations) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %value = phi i32 [ 1, %entry ], [ %got, %loop ]
  %got = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %value, i32 0, i32 31)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %iterations
  br i1 %again, label %loop, label %end
end:
  ret void
}
