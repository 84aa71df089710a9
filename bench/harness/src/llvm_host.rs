//! LLVM's host offload, for comparison: target regions run on the host's threads, by LLVM's own library.

use std::ffi::OsString;

use omptarget_driver::{Result, dist};

/// What programs may be compiled for: the values of OMPTARGET_VGPU_CPU on x86-64, which clang's `-march` takes, too.
pub const CPUS: [&str; 5] = ["native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"];

/// Why it is not available here.
pub fn lacks() -> Option<String> {
    dist::file("llvm/libomptarget.so.22.1")
        .err()
        .map(|_| "LLVM's library is not in dist/llvm (scripts/fetch)".to_owned())
}

/// The arguments for a plain clang, for the CPU `cpu` (`native` or a level of the psABI).
pub fn flags(cpu: &str) -> Result<Vec<OsString>> {
    let march = format!("-march={cpu}");
    let fixed = [
        &march,
        "-fopenmp",
        "-fopenmp-targets=x86_64-pc-linux-gnu",
        "-Xopenmp-target",
        &march,
        "-L",
    ];
    let mut flags: Vec<_> = fixed.map(OsString::from).into();
    flags.push(dist::file("lib")?.into());
    Ok(flags)
}

/// Additional environment variables of its programs.
pub fn environment() -> Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("LD_LIBRARY_PATH", dist::file("llvm")?.display().to_string()),
        // libomp warns of each team that gets fewer threads than were asked for.
        ("KMP_WARNINGS", "0".into()),
    ])
}
