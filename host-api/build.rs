//! Gives `libomptarget.so` the SONAME and the symbol version of the libomptarget that belongs to clang 22.

fn main() {
    symbol_versions::link("libomptarget.so.22.1");
}
