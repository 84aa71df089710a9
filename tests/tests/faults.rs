//! A kernel's fault ends the program with a message that names the fault, the kernel and the place.

use std::sync::LazyLock;

use e2e::{Binary, Build, Mode, WAVE64, line_of, root};

const SOURCE: &str = "tests/programs/faults.c";
static FAULTS: LazyLock<Binary> = LazyLock::new(|| faults(Mode::Offload("-O1")));
static AMD_FAULTS: LazyLock<Binary> = LazyLock::new(|| faults(Mode::Amd(WAVE64, "-O1")));

fn faults(mode: Mode) -> Binary {
    Build::new(&[SOURCE]).flags(&["-g"]).compile(mode)
}

/// Runs the program so that the fault ends it, warp by warp where kernels have such a form, and thread by thread.
fn check_engines(binary: &Binary, fault: &str, facts: &[&str]) {
    for engine in ["auto", "fiber"] {
        let environment = [
            ("OMP_TARGET_OFFLOAD", "MANDATORY"),
            ("OMPTARGET_VGPU_ENGINE", engine),
            // Only threads that wait on memory need the time limit.
            ("OMPTARGET_VGPU_TIMEOUT", "1"),
        ];
        let outcome = binary.run_with(&[fault], &environment);
        outcome.failed_with(&format!("{fault}, {engine}"), facts);
    }
}

/// The fault's message has `facts`, names the kernel of the region and the line with `text`, in either dialect.
fn check(fault: &str, text: &str, facts: &[&str]) {
    let place = format!("faults.c:{}", line_of(SOURCE, text));
    let mut all = vec!["__omp_offloading_", "run_l", &place];
    all.extend(facts);
    for binary in [&FAULTS, &AMD_FAULTS] {
        check_engines(binary, fault, &all);
    }
}

#[test]
fn assertion() {
    check(
        "assert",
        "assert(omp_get_thread_num()",
        &["team 0, thread 35 of its block", "the thirty-sixth thread"],
    );
}

#[test]
fn trap() {
    check("trap", "__builtin_trap()", &["trap"]);
}

#[test]
fn load_from_the_host() {
    check("host-load", "sink = *host_pointer", &["load", "not mapped"]);
}

#[test]
fn store_to_the_host() {
    check("host-store", "*host_pointer = 8", &["store", "not mapped"]);
}

#[test]
fn null_pointer() {
    check("null", "*(volatile int *)null = 1", &["0x0"]);
}

#[test]
fn division_by_zero() {
    check("divide", "sink = 1000 /", &["division"]);
    check("divide-lanes", "quotients[i] = ", &["division"]);
}

#[test]
fn endless_recursion() {
    let place = "__omp_offloading_";
    for binary in [&FAULTS, &AMD_FAULTS] {
        binary
            .run(&["recursion"])
            .failed_with("recursion", &[place, "stack"]);
    }
}

/// Who waits where, as barriers with their counts.
#[test]
fn deadlock() {
    let facts = [
        "__omp_offloading_",
        "deadlock",
        "32 of 64 arrived",
        "threads 0-31",
        "faults.c:",
    ];
    FAULTS.run(&["deadlock"]).failed_with("deadlock", &facts);
}

/// Threads that wait on memory do not wait at a barrier: only the time limit finds them.
#[test]
fn endless_wait_on_memory() {
    let facts = ["__omp_offloading_", "OMPTARGET_VGPU_TIMEOUT"];
    check_engines(&FAULTS, "lock", &facts);
    let place = format!("faults.c:{}", line_of(SOURCE, "set = flag"));
    let facts = [&facts[..], &["waiting at a wait on memory", &place]].concat();
    check_engines(&FAULTS, "flag", &facts);
}

#[test]
fn store_far_outside() {
    check("outside", "((volatile int *)a)[zero", &["store"]);
}

/// The CPU finds the fault in a function that the compiler made for many accesses; the line is that of the access.
#[test]
fn scatter_far_outside() {
    let place = format!("faults.c:{}", line_of(SOURCE, "a[to[j] + (1 << 28)] = i"));
    let level = [("OMPTARGET_VGPU_CPU", "x86-64-v2")];
    let outcome = FAULTS.run_with(&["scatter"], &level);
    outcome.failed_with(
        "scatter",
        &["store", "not mapped", "threads 0 to 31", &place],
    );
}

/// Without debug information the kernel and the construct's place are still named.
#[test]
fn without_debug_information() {
    let binary = Build::new(&[SOURCE]).compile(Mode::Offload("-O2"));
    binary
        .run(&["trap"])
        .failed_with("trap", &["trap", "__omp_offloading_"]);
    binary
        .run(&["host-store"])
        .failed_with("host-store", &["store", "not mapped", "__omp_offloading_"]);
    // An assertion brings its own.
    let line = line_of(SOURCE, "assert(omp_get_thread_num()");
    let place = format!("/faults.c:{line} in ");
    binary
        .run(&["assert"])
        .failed_with("assert", &[&place, "the thirty-sixth thread"]);
}

/// Of a file outside of the compiler's folder, debug information has the name in parts: what follows the folder they
/// share, and that folder.
#[test]
fn source_in_another_folder() {
    let elsewhere = root().join("tests/elsewhere");
    let flag = format!("-fdebug-compilation-dir={}", elsewhere.display());
    let binary = Build::new(&[SOURCE])
        .flags(&["-g", &flag])
        .compile(Mode::Offload("-O1"));
    let line = line_of(SOURCE, "__builtin_trap()");
    let place = format!("at {}:{line}", root().join(SOURCE).display());
    check_engines(&binary, "trap", &[&place]);
}
