//! The host as a device: programs for `x86_64-pc-linux-gnu` map their data and run in images of their own.

use e2e::{Build, Mode};

/// Runs with mandatory offload: it is an error if the image cannot be used.
fn check(sources: &[&str]) {
    let what = format!("{sources:?} on the host as a device");
    let binary = Build::new(sources).compile(Mode::HostDevice);
    let said = binary.run(&[]);
    assert!(
        said.passed(&what).ends_with("PASS\n"),
        "{what}: {}",
        said.stdout
    );
}

#[test]
fn examples() {
    check(&["examples/saxpy.c"]);
    check(&["examples/dot.c"]);
    check(&["examples/stencil.cpp"]);
    check(&["examples/declare_target.cpp"]);
}

/// Every kind of mapping. Device code that follows a pointer nobody attached reads host memory here; what is mapped
/// must come out right all the same.
#[test]
fn data_environment() {
    check(&["tests/programs/map.c"]);
    check(&["tests/programs/modifiers.c"]);
    check(&["tests/programs/usm.c"]);
    check(&["tests/programs/classes.cpp"]);
}

#[test]
fn a_program_may_choose_its_family_of_devices() {
    let binary = Build::new(&["examples/saxpy.c"]).compile(Mode::HostDevice);
    let mandatory = ("OMP_TARGET_OFFLOAD", "MANDATORY");
    binary
        .run_with(&[], &[mandatory, ("OMPTARGET_DEVICES", "host")])
        .passed("with the host's devices");
    binary
        .run_with(&[], &[mandatory, ("OMPTARGET_DEVICES", "vgpu")])
        .failed_with(
            "without them",
            &["machine code for x86_64-pc-linux-gnu, which is not for GPUs"],
        );
}
