; Local memory of the work-group functions, which OpenCL C cannot declare outside of kernels: a value for each sub-group
; of the largest work-group.
target triple = "nvptx64-nvidia-cuda"

@__omptarget_opencl_memory = internal addrspace(3) global [32 x i64] undef, align 8

define ptr addrspace(3) @__omptarget_opencl_scratch() nounwind willreturn memory(none) {
  ret ptr addrspace(3) @__omptarget_opencl_memory
}
