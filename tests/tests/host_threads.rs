//! Threads of the host's OpenMP beside a device that runs on the same CPUs.

use e2e::{Build, Mode};

const PROGRAM: &str = "tests/programs/host_threads.c";
/// Programs of tests run with a choice of their own.
const NO_CHOICE: &[(&str, &str)] = &[("KMP_BLOCKTIME", "")];

#[test]
fn host_threads_sleep_soon_unless_the_user_has_chosen() {
    let binary = Build::new(&[PROGRAM]).compile(Mode::Offload("-O1"));
    let usual = binary.run_with(&[], NO_CHOICE);
    assert_eq!(usual.passed("the default"), "200 1 1\n");
    let called = binary.run_with(&["7"], NO_CHOICE);
    assert_eq!(called.passed("by a call"), "7 1 7\n");
    for chosen in ["200", "30"] {
        let outcome = binary.run_with(&[], &[("KMP_BLOCKTIME", chosen)]);
        assert_eq!(outcome.passed(chosen), format!("{chosen} 1 {chosen}\n"));
    }
}

#[test]
fn host_threads_of_a_host_device_are_the_device_s() {
    let binary = Build::new(&[PROGRAM]).compile(Mode::HostDevice);
    let outcome = binary.run_with(&[], NO_CHOICE);
    assert_eq!(outcome.passed("the host as a device"), "200 1 200\n");
}
