//! Every example says what it says on the host: for NVIDIA and AMD GPUs at `-O2`, and at another level or without
//! LLVM's OpenMP optimisation for each ([`first_and_another`]).

use e2e::{Binary, Build, Mode, WAVE32, WAVE64, first_and_another};

const NVIDIA: [Mode; 4] = [
    Mode::Offload("-O2"),
    Mode::Offload("-O0"),
    Mode::Offload("-O3"),
    Mode::NoOpenMpOpt,
];

const AMD: [Mode; 3] = [
    Mode::Amd(WAVE64, "-O2"),
    Mode::Amd(WAVE32, "-O2"),
    Mode::Amd(WAVE64, "-O0"),
];

fn check(sources: &[&str]) {
    check_with(sources, &[&[]]);
}

/// Runs each binary once per argument list.
fn check_with(sources: &[&str], argument_lists: &[&[&str]]) {
    let host = Build::new(sources).compile(Mode::Host);
    let modes = [
        first_and_another(&NVIDIA, sources[0]),
        first_and_another(&AMD, sources[0]),
    ]
    .concat();
    let devices: Vec<(Mode, Binary)> = modes
        .into_iter()
        .map(|mode| (mode, Build::new(sources).compile(mode)))
        .collect();
    for arguments in argument_lists {
        let expected = host.run_with(arguments, &[]);
        assert!(
            expected.passed("the host's run").ends_with("PASS\n"),
            "{}",
            expected.stdout
        );
        for (mode, binary) in &devices {
            let what = format!("{sources:?} {arguments:?} {mode:?}");
            assert_eq!(
                binary.run(arguments).passed(&what),
                expected.stdout,
                "{what}"
            );
            if *mode == Mode::Offload("-O2") {
                through_ptx(binary, arguments, &expected.stdout);
            }
        }
    }
}

/// The image becomes PTX, as for an NVIDIA GPU, and that runs (docs/ptx.md; scripts/ptx-suite for all programs).
fn through_ptx(binary: &Binary, arguments: &[&str], expected: &str) {
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_THROUGH_PTX", "1"),
    ];
    let outcome = binary.run_with(arguments, &environment);
    assert_eq!(outcome.passed("through PTX"), expected);
}

#[test]
fn saxpy() {
    check(&["examples/saxpy.c"]);
}

#[test]
fn dot() {
    check(&["examples/dot.c"]);
}

#[test]
fn heartwall() {
    check(&["examples/heartwall.c", "examples/heartwall_kernel.c"]);
}

#[test]
fn histogram() {
    let image = e2e::dist("data/mri.pgm");
    check_with(
        &["examples/histogram.c"],
        &[&[], &[image.to_str().expect("UTF-8")]],
    );
}

#[test]
fn sharing() {
    check(&["examples/sharing.c"]);
}

#[test]
fn kmeans() {
    let digits = e2e::dist("data/digits.csv");
    check_with(
        &["examples/kmeans.cpp"],
        &[&[], &[digits.to_str().expect("UTF-8")]],
    );
}

#[test]
fn stencil() {
    check(&["examples/stencil.cpp"]);
}

#[test]
fn reduce_warp() {
    check(&["examples/reduce_warp.c"]);
}

#[test]
fn declare_target() {
    check(&["examples/declare_target.cpp"]);
}

#[test]
fn nested() {
    check(&["examples/nested.c"]);
}

/// A file that is not what the example expects gives a message and exit code 2.
#[test]
fn malformed_data() {
    for source in ["examples/histogram.c", "examples/kmeans.cpp"] {
        let outcome = Build::new(&[source])
            .compile(Mode::Host)
            .run_with(&["LICENSE"], &[]);
        assert_eq!(outcome.code, 2, "{source}: {outcome:?}");
        assert!(outcome.stderr.contains("LICENSE"), "{source}: {outcome:?}");
    }
}
