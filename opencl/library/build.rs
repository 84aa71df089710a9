//! Gives the library its SONAME, and hides what is not OpenCL's.

fn main() {
    symbol_versions::link("libomptarget-opencl.so");
}
