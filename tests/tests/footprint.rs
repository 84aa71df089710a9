//! What the device runtime costs a kernel (shared memory, registers, instructions, calls) is no more than
//! `bench/footprint` says it may be.

use std::process::Command;

use e2e::root;

#[test]
fn figures_are_kept() {
    let output = Command::new(root().join("bench/footprint"))
        .arg("--check")
        .output()
        .expect("python3 runs bench/footprint");
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
