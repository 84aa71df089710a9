//! Several virtual GPUs in a process (`OMPTARGET_VGPU_DEVICES`, docs/scaling.md).

use e2e::{Build, Mode};

/// Copies, data, regions without waiting, and threads of the host on each of them.
#[test]
fn each_is_a_device_of_its_own() {
    for source in ["tests/programs/peers.c", "tests/programs/devices.c"] {
        for mode in [Mode::Offload("-O0"), Mode::Offload("-O2")] {
            let program = Build::new(&[source]).compile(mode);
            for count in ["1", "2", "3", "8"] {
                let environment = [
                    ("OMP_TARGET_OFFLOAD", "MANDATORY"),
                    ("OMPTARGET_VGPU_DEVICES", count),
                ];
                let outcome = program.run_with(&[count], &environment);
                let what = format!("{source} on {count} devices");
                assert_eq!(outcome.passed(&what), "PASS\n");
            }
        }
    }
}

/// Settings are for each device.
#[test]
fn each_has_the_memory_that_is_asked_for() {
    let program = Build::new(&["tests/programs/devices.c"]).compile(Mode::Offload("-O2"));
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_DEVICES", "4"),
        ("OMPTARGET_VGPU_MEMORY", "1M"),
        ("OMPTARGET_VGPU_HEAP", "1M"),
        ("OMPTARGET_VGPU_SMS", "2"),
    ];
    let outcome = program.run_with(&[], &environment);
    assert_eq!(outcome.passed("small devices"), "PASS\n");
}

#[test]
fn a_number_that_makes_no_sense_is_named() {
    let program = Build::new(&["tests/programs/devices.c"]).compile(Mode::Offload("-O2"));
    let environment = [("OMPTARGET_VGPU_DEVICES", "none")];
    let outcome = program.run_with(&[], &environment);
    assert!(
        outcome
            .stderr
            .contains("OMPTARGET_VGPU_DEVICES=none: a number from 1 to 16 is needed"),
        "{outcome:?}"
    );
}
