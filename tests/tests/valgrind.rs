//! Examples under valgrind's memcheck: nothing is leaked or used after it was freed, no decision depends on
//! uninitialised memory, in the host runtime as in the virtual GPU.

use std::path::Path;

use e2e::{Build, Mode, run};

/// What valgrind counts as errors: leaks that nothing points at, and every misuse of memory. The stacks of fibers lie
/// 256 KiB apart. With the limit, valgrind takes a jump between them for a switch of stacks, not for a large frame.
const OPTIONS: [&str; 6] = [
    "--quiet",
    "--error-exitcode=9",
    "--leak-check=full",
    "--show-leak-kinds=definite,indirect",
    "--errors-for-leak-kinds=definite,indirect",
    "--max-stackframe=100000",
];

fn check(source: &str, mode: Mode) {
    let binary = Build::new(&[source]).flags(&["-gdwarf-4"]).compile(mode);
    let log = binary.path.with_extension("log");
    let log_file = format!("--log-file={}", log.display());
    let program = binary.path.display().to_string();
    let mut arguments: Vec<&str> = OPTIONS.to_vec();
    arguments.extend([log_file.as_str(), program.as_str()]);
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMP_NUM_THREADS", "2"),
        ("OMPTARGET_VGPU_SMS", "2"),
        ("OMPTARGET_VGPU_MEMORY", "64M"),
        // Warp forms are full of AVX-512 where the CPU has it.
        ("OMPTARGET_VGPU_ENGINE", "fiber"),
    ];
    let outcome = run(Path::new("valgrind"), &arguments, &environment);
    if outcome.stderr.contains("illegal instruction") {
        // Kernels are compiled for the CPU there is; valgrind knows AVX2, and not all that came after.
        eprintln!("{source}: not checked, valgrind does not know this CPU's instructions");
        return;
    }
    let found = std::fs::read_to_string(&log).unwrap_or_default();
    assert!(
        outcome.code == 0 && outcome.stdout.ends_with("PASS\n"),
        "{source} {mode:?} ended with {}\n{}{}{found}",
        outcome.code,
        outcome.stdout,
        outcome.stderr
    );
}

#[test]
fn saxpy() {
    check("examples/saxpy.c", Mode::Offload("-O1"));
}

/// Constructors and destructors of device globals.
#[test]
fn declare_target() {
    check("examples/declare_target.cpp", Mode::HostDevice);
}

/// Copies and many launches, on the host as a device.
#[test]
fn stencil() {
    check("examples/stencil.cpp", Mode::HostDevice);
}

/// A generic kernel: fibers that wait, and share a stack of team memory.
#[test]
fn nested() {
    check("examples/nested.c", Mode::Offload("-O1"));
}

/// A test of the check itself: it finds a program that leaks.
#[test]
fn a_leak_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("leak.c");
    let text = "#include <stdlib.h>\nint main(void) { volatile char *lost = malloc(100); lost[0] = 1; lost = 0; return 0; }\n";
    std::fs::write(&source, text).expect("written");
    e2e::clang(
        false,
        &["leak.c", "-o", "leak"].map(Into::into),
        folder.path(),
    );
    let program = folder.path().join("leak").display().to_string();
    let mut arguments: Vec<&str> = OPTIONS.to_vec();
    arguments.push(&program);
    let outcome = run(Path::new("valgrind"), &arguments, &[]);
    assert_eq!(outcome.code, 9, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("100 bytes"), "{}", outcome.stderr);
}
