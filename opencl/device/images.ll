; What OpenCL C cannot say of images and samplers: an image is the address of its description (images.cl), a sampler is
; its bits, in the form of an address of constant memory.
target triple = "nvptx64-nvidia-cuda"

define ptr addrspace(1) @__omptarget_opencl_image(ptr addrspace(1) %image) alwaysinline nounwind willreturn memory(none) {
  ret ptr addrspace(1) %image
}

define i64 @__omptarget_opencl_sampler(ptr addrspace(4) %sampler) alwaysinline nounwind willreturn memory(none) {
  %bits = ptrtoint ptr addrspace(4) %sampler to i64
  ret i64 %bits
}

; clang calls it for samplers that are constants.
define ptr addrspace(4) @__translate_sampler_initializer(i32 %bits) alwaysinline nounwind willreturn memory(none) {
  %wide = zext i32 %bits to i64
  %sampler = inttoptr i64 %wide to ptr addrspace(4)
  ret ptr addrspace(4) %sampler
}
