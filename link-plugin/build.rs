//! Compiles the part of the plugin that needs LLVM's C++ interface.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/register.cpp");
    // llvm-sys's build script says where it found LLVM.
    let config =
        std::env::var_os("DEP_LLVM_22_CONFIG_PATH").expect("llvm-sys names its llvm-config");
    let said = Command::new(&config)
        .arg("--includedir")
        .output()
        .expect("llvm-config runs");
    let include = String::from_utf8(said.stdout).expect("llvm-config writes text");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        // As LLVM itself is compiled: its classes have no type information to derive from.
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        // LLVM's headers are not ours to warn about.
        .flag("-isystem")
        .flag(include.trim())
        .file("src/register.cpp")
        .compile("register");
}
