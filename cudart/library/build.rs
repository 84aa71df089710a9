//! Gives `libcudart.so.12` the SONAME and the symbol version of CUDA 12's library.

fn main() {
    symbol_versions::link("libcudart.so.12");
}
