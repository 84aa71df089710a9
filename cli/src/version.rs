//! What `omptarget --version` says: this release, and the interfaces that it serves.

use std::sync::LazyLock;

/// The text behind the command's name.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\n\
         programs: clang {} or newer; libomptarget.so.22.1, symbols VERS1.0 (programs that clang 19 linked, too)\n\
         virtual GPU: interface version {}",
        env!("CARGO_PKG_VERSION"),
        omptarget_driver::VERSION,
        vgpu_abi::VERSION,
    )
});
