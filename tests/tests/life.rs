//! Regions before and after main, and a process's devices after fork and exec.

use e2e::{Build, Mode};

const BEFORE: &str = "before main 10\nmain 24496500\n";
const AFTER: &str = "still 3\natexit 45\nafter main 6\n";
const AGAIN: &str = "before main 10\nagain 15\nafter main 6\n";

fn check(mode: Mode) {
    let binary = Build::new(&["tests/programs/life.cpp"]).compile(mode);
    for (what, expected) in [
        ("", format!("{BEFORE}{AFTER}")),
        ("exec", format!("{BEFORE}{AGAIN}")),
        ("spawn", format!("{BEFORE}{AGAIN}child 0\n{AFTER}")),
        ("fork idle", format!("{BEFORE}child 7\n{AFTER}")),
    ] {
        let outcome = binary.run(&[what]);
        assert_eq!(outcome.passed(what), expected, "{mode:?} {what:?}");
    }
    // The child gets an error for every use of a device; the parent goes on.
    let outcome = binary.run(&["fork"]);
    assert_eq!(
        outcome.stdout,
        format!("{BEFORE}child 1\n{AFTER}"),
        "{mode:?}"
    );
    for fact in [
        "forked from one that had used its devices",
        "construct: target at",
        "hint: fork before the first construct",
    ] {
        assert!(
            outcome.stderr.contains(fact),
            "{mode:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn on_the_virtual_gpu() {
    check(Mode::Offload("-O1"));
}

#[test]
fn on_a_host_device() {
    check(Mode::HostDevice);
}

/// Registering a program costs nothing: until the first construct, no device is searched and no compiler starts.
#[test]
fn nothing_happens_before_the_first_region() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("idle.c");
    let text = "#include <stdio.h>\nint main(int argc, char **argv) {\n    (void)argv;\n    if (argc > 5) {\n\
                #pragma omp target\n        puts(\"\");\n    }\n    return 0;\n}\n";
    std::fs::write(&source, text).expect("written");
    let config = format!("--config={}", e2e::dist("etc/omptarget.cfg").display());
    let words = [config.as_str(), "-O1", "idle.c", "-o", "idle"];
    e2e::clang(false, &words.map(Into::into), folder.path());
    let program = folder.path().join("idle");
    // Wrong settings of the virtual GPU, the compiler and the timeline: no message.
    let timeline = folder.path().join("timeline.json").display().to_string();
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_SMS", "nonsense"),
        ("OMPTARGET_CODEGEN", "/nowhere"),
        ("LIBOMPTARGET_DEBUG", "1"),
        ("LIBOMPTARGET_PROFILE", timeline.as_str()),
    ];
    let outcome = e2e::run(&program, &[], &environment);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        !outcome.stderr.contains("virtual GPU") && !outcome.stderr.contains("nonsense"),
        "{}",
        outcome.stderr
    );
}
