//! Shared libraries that stand in for others: their symbols have the others' names and versions, so that programs
//! linked against the others run with ours unchanged.
//!
//! A library calls [`link`] in its build script, and has [`export!`] define its symbols.
//!
//! rustc cannot give `#[no_mangle]` functions of a cdylib a symbol version, and passes the linker an anonymous version
//! script of its own. Symbols that only assembly defines are not in that script, so a named script can give them a
//! version. GNU ld refuses a named script beside rustc's. lld, the default linker of rustup's toolchain on x86-64
//! Linux, merges the two. If a script names a symbol that nothing defines, the linker fails.
//!
//! Debian's own Rust has no lld, and Debian's `lld-22` does not put `ld.lld` on the path. So the C compiler gets the
//! folder of LLVM's programs.

use std::path::Path;

/// The variable with the prefix of the LLVM that the workspace builds with. Default: Debian's folder.
const LLVM_PREFIX: &str = "LLVM_SYS_221_PREFIX";

/// For a build script: links the library with this SONAME, and with the versions that `exports.map` beside its
/// `Cargo.toml` gives.
pub fn link(soname: &str) {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let script = Path::new(&manifest).join("exports.map");
    println!("cargo:rerun-if-changed={}", script.display());
    println!("cargo:rerun-if-env-changed={LLVM_PREFIX}");
    let llvm = std::env::var(LLVM_PREFIX).unwrap_or_else(|_| "/usr/lib/llvm-22".to_string());
    println!("cargo:rustc-cdylib-link-arg=-B{llvm}/bin");
    println!("cargo:rustc-cdylib-link-arg=-fuse-ld=lld");
    println!(
        "cargo:rustc-cdylib-link-arg=-Wl,--version-script={}",
        script.display()
    );
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

/// The instruction that jumps to a function.
#[cfg(target_arch = "x86_64")]
#[macro_export]
#[doc(hidden)]
macro_rules! jump {
    () => {
        "jmp {target}"
    };
}

/// The instruction that jumps to a function.
#[cfg(target_arch = "aarch64")]
#[macro_export]
#[doc(hidden)]
macro_rules! jump {
    () => {
        "b {target}"
    };
}

/// Defines symbols that jump to functions: `library::entry::module::{name}` for functions under their own names, or
/// `name = path`. `also "version";` before them gives them another version, too, for programs that ask for it, and
/// `only "version";` no other one. `exports.map` names all versions, and the symbols of the one that it gives them.
#[macro_export]
macro_rules! export {
    (also $version:literal; $($library:ident :: $entry:ident :: $module:ident :: { $($function:ident),* $(,)? })*) => {
        $($(
            $crate::export!(@symbol $function, $library::$entry::$module::$function);
            std::arch::global_asm!(concat!(
                ".symver ", stringify!($function), ", ", stringify!($function), "@", $version
            ));
        )*)*
    };
    (only $version:literal; $($name:ident = $function:path;)*) => {
        $(std::arch::global_asm!(
            concat!(".pushsection .text.", stringify!($name), ".of_version,\"ax\",@progbits"),
            ".balign 16",
            concat!(".globl ", stringify!($name), ".of_version"),
            concat!(".type ", stringify!($name), ".of_version, @function"),
            concat!(stringify!($name), ".of_version:"),
            $crate::jump!(),
            concat!(".size ", stringify!($name), ".of_version, . - ", stringify!($name), ".of_version"),
            concat!(
                ".symver ", stringify!($name), ".of_version, ", stringify!($name), "@", $version, ", remove"
            ),
            ".popsection",
            target = sym $function,
        );)*
    };
    ($($library:ident :: $entry:ident :: $module:ident :: { $($function:ident),* $(,)? })*) => {
        $($($crate::export!(@symbol $function, $library::$entry::$module::$function);)*)*
    };
    ($($name:ident = $function:path;)*) => {
        $($crate::export!(@symbol $name, $function);)*
    };
    (@symbol $name:ident, $function:path) => {
        std::arch::global_asm!(
            concat!(".pushsection .text.", stringify!($name), ",\"ax\",@progbits"),
            ".balign 16",
            concat!(".globl ", stringify!($name)),
            concat!(".type ", stringify!($name), ", @function"),
            concat!(stringify!($name), ":"),
            $crate::jump!(),
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            target = sym $function,
        );
    };
}
