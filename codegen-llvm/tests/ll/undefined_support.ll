; What the back end would have to call but the engine does not have.
; RUN: vgpu %s
; ERROR: device code needs `__multf3`, support the virtual GPU does not have

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  %a = load fp128, ptr %p
  %b = fmul fp128 %a, %a
  store fp128 %b, ptr %p
  ret void
}
