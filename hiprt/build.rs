//! Gives `libamdhip64.so.6` the SONAME and the symbol version of the library of ROCm 6.

fn main() {
    symbol_versions::link("libamdhip64.so.6");
}
