//! What the device runtime costs a kernel (shared memory, registers, instructions, calls) is no more than
//! `bench/footprint` says it may be.

use std::process::Command;

use e2e::root;

#[test]
fn figures_are_kept() {
    check(&[]);
}

/// For AMD GPUs no figure is above LLVM's.
#[test]
fn figures_for_amd_gpus_are_kept() {
    check(&["--amd"]);
}

#[test]
fn figures_of_clangs_own_code_generation_are_kept() {
    check(&["--clang"]);
}

fn check(arguments: &[&str]) {
    let output = Command::new(root().join("bench/footprint"))
        .arg("--check")
        .args(arguments)
        .output()
        .expect("python3 runs bench/footprint");
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
