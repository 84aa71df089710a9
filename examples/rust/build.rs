//! Compiles the kernels, which `omptarget::include_kernels!()` embeds.

fn main() {
    omptarget_build::kernels("kernels");
}
