//! Kernels in warp form on the virtual GPU: generic kernels with their workers, loops with dynamic chunks, `critical`.
//! The same results as thread by thread.

use std::sync::LazyLock;

use e2e::{Binary, Build, Mode};

static PROGRAM: LazyLock<Binary> =
    LazyLock::new(|| Build::new(&["tests/programs/generic_warps.c"]).compile(Mode::Offload("-O2")));

#[test]
fn both_engines_give_the_same() {
    let engine = |name| PROGRAM.run_with(&[], &[("OMPTARGET_VGPU_ENGINE", name)]);
    let (fibers, warps) = (engine("fiber"), engine("workgroup"));
    assert_eq!(
        fibers.passed("with fibers"),
        warps.passed("with warp forms")
    );
}

#[test]
fn regions_of_generic_kernels_run_warp_by_warp() {
    let environment = [
        ("OMPTARGET_VGPU_ENGINE", "workgroup"),
        ("LIBOMPTARGET_INFO", "16"),
    ];
    let outcome = PROGRAM.run_with(&[], &environment);
    let lines: Vec<_> = outcome.stderr.lines().collect();
    for function in ["teams", "calls", "shared"] {
        let of_it = |line: &&&str| line.contains(&format!("_{function}_l"));
        let launch = lines.iter().find(of_it).expect("it is launched");
        assert!(launch.contains("in Generic mode"), "{launch}");
        let says = lines.iter().filter(of_it).nth(1).expect("how it runs");
        assert!(says.contains("runs warp by warp"), "{says}");
    }
}

/// What is said of how the kernels of a program run in warp form. Its results are right, as they are thread by thread.
fn says(source: &str, setting: (&str, &str)) -> String {
    let program = Build::new(&[source]).compile(Mode::Offload("-O2"));
    let run = |engine, info| {
        let environment = [
            ("OMPTARGET_VGPU_ENGINE", engine),
            ("LIBOMPTARGET_INFO", info),
            setting,
        ];
        program.run_with(&[], &environment)
    };
    run("fiber", "0").passed("with fibers");
    run("workgroup", "0").passed("with warp forms");
    run("workgroup", "16").stderr
}

#[test]
fn chunks_that_threads_ask_for() {
    let setting = ("OMP_SCHEDULE", "dynamic,3");
    let says = says("tests/programs/dynamic_warps.c", setting);
    assert!(!says.contains("thread by thread"), "{says}");
    assert!(says.contains("runs warp by warp"), "{says}");
}

/// The lanes of a warp enter `critical` one after the other, and the rest of the kernel runs in warp form.
#[test]
fn critical_regions() {
    let says = says(
        "tests/programs/critical_lanes.c",
        ("OMP_SCHEDULE", "static"),
    );
    for function in ["in_loops", "least_and_place", "generic", "unnamed"] {
        let says_so = |line: &str| {
            line.contains(&format!("_{function}_l")) && line.contains("runs warp by warp")
        };
        assert!(says.lines().any(says_so), "{function}: {says}");
    }
}
