; RUN: vgpu %s
; ERROR: the image has target triple amdgcn-amd-amdhsa; the virtual GPU runs nvptx64 images

target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k() {
  ret void
}
