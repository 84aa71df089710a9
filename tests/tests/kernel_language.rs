//! CUDA and HIP programs that clang's `-foffload-via-llvm` makes launch their kernels through `libomptarget.so`.

use e2e::{Binary, Build, Mode, WAVE32, WAVE64};

fn program(source: &str, mode: Mode) -> Binary {
    // No header and no library of a toolkit.
    let flags = ["-foffload-via-llvm", "-nogpuinc", "-nogpulib"];
    Build::new(&[source]).flags(&flags).compile(mode)
}

fn check(source: &str, mode: Mode) {
    let outcome = program(source, mode).run(&[]);
    assert_eq!(outcome.passed(&format!("{source} {mode:?}")), "PASS\n");
}

#[test]
fn cuda() {
    check("tests/programs/kernel_language.cu", Mode::Offload("-O0"));
    check("tests/programs/kernel_language.cu", Mode::Offload("-O2"));
}

#[test]
fn hip() {
    check(
        "tests/programs/kernel_language.hip",
        Mode::Amd(WAVE64, "-O2"),
    );
    check(
        "tests/programs/kernel_language.hip",
        Mode::Amd(WAVE32, "-O0"),
    );
}

/// A kernel has no host version, and a launch returns no error: a launch that is not possible ends the program.
#[test]
fn what_cannot_be_launched_is_said() {
    let binary = program("tests/programs/kernel_language.cu", Mode::Offload("-O2"));
    let kernel = "kernel _Z7nothingi cannot be launched";
    let disabled = ("OMP_TARGET_OFFLOAD", "DISABLED");
    let none = ("OMPTARGET_DEVICES", "none");
    let any = ("OMP_TARGET_OFFLOAD", "DEFAULT");
    let cases = [
        ("too-many-threads", any, "5000 threads per block"),
        (
            "no-threads",
            any,
            "has no thread; kernels are called with <<<blocks, threads>>>",
        ),
        (
            "once",
            disabled,
            "it runs on devices only, but OMP_TARGET_OFFLOAD=DISABLED",
        ),
        (
            "once",
            none,
            "it runs on devices only, but no device is available",
        ),
    ];
    for (argument, environment, why) in cases {
        let outcome = binary.run_with(&[argument], &[environment]);
        outcome.failed_with(
            argument,
            &[kernel, why, "construct: kernel launch", "hint: "],
        );
    }
}
