//! What a program did, as a table and as a timeline.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use e2e::{Binary, Build, Mode, dist, line_of, root, run};

const SOURCE: &str = "tests/programs/leak.c";

fn program() -> Binary {
    Build::new(&[SOURCE])
        .flags(&["-g"])
        .compile(Mode::Offload("-O2"))
}

#[test]
fn the_summary_counts_and_names_what_stays_mapped() {
    let outcome = program().run_with(&[], &[("OMPTARGET_SUMMARY", "1")]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let row = |end: &str| {
        let line = outcome.stderr.lines().find(|line| line.ends_with(end));
        let line = line.unwrap_or_else(|| panic!("no row {end:?} in:\n{}", outcome.stderr));
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0].to_owned(), words[4].to_owned())
    };
    let kernel = format!("leak.c:{}:1 in main", line_of(SOURCE, "// the kernel"));
    assert_eq!(row(&kernel), ("3".into(), "0".into()));
    assert_eq!(row("copies to the device"), ("1".into(), "400".into()));
    assert_eq!(row("copies from the device"), ("1".into(), "200".into()));
    let origin = format!("leak.c:{}:1 in main", line_of(SOURCE, "// mapped for good"));
    let left = outcome
        .stderr
        .lines()
        .find(|line| line.contains("still mapped"));
    let left = left.expect("the mapping that stays is named");
    assert!(
        left.contains("'p[0:100]'") && left.ends_with(&origin),
        "{left}"
    );
}

#[test]
fn the_timeline_is_a_chrome_trace() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("trace.json");
    let path = file.to_str().expect("UTF-8");
    program()
        .run_with(&[], &[("LIBOMPTARGET_PROFILE", path)])
        .passed("with a timeline");
    let text = std::fs::read_to_string(&file).expect("the timeline was written");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let mut counts = BTreeMap::new();
    for event in trace["traceEvents"].as_array().expect("a list of events") {
        assert_eq!(event["ph"], "X");
        assert!(event["ts"].as_f64() >= Some(0.0) && event["dur"].as_f64() >= Some(0.0));
        assert!(
            event["args"]["location"]
                .as_str()
                .is_some_and(|place| place.contains("leak.c"))
                || event["cat"] == "load"
                || event["cat"] == "stage"
        );
        *counts
            .entry(event["cat"].as_str().unwrap_or_default())
            .or_insert(0) += 1;
    }
    let expected = [
        ("construct", 5),
        ("copy from device", 1),
        ("copy to device", 1),
        ("kernel", 3),
        ("load", 1),
        // Compiled, and placed in memory.
        ("stage", 2),
    ];
    assert_eq!(counts, BTreeMap::from(expected));

    let picture = folder.path().join("timeline.svg");
    let output = picture.to_str().expect("UTF-8");
    let command = dist("bin/omptarget");
    run(&command, &["timeline", path, "-o", output], &[]).passed("omptarget timeline");
    let picture = std::fs::read_to_string(&picture).expect("the picture was written");
    let kernel = format!("kernel: leak.c:{}, ", line_of(SOURCE, "// the kernel"));
    assert_eq!(picture.matches(&kernel).count(), 3, "{picture}");
    let outcome = run(&command, &["timeline", SOURCE, "-o", output], &[]);
    outcome.failed_with(
        "not a trace",
        &["leak.c: not a trace of LIBOMPTARGET_PROFILE"],
    );
}

#[test]
fn a_timeline_that_cannot_be_written_is_reported_and_changes_nothing() {
    // Below a file there can be no file, not even root's.
    let path = root().join("Cargo.toml/trace.json").display().to_string();
    let outcome = program().run_with(&[], &[("LIBOMPTARGET_PROFILE", &path)]);
    assert_eq!(outcome.code, 0);
    let message = format!("LIBOMPTARGET_PROFILE: cannot write {path}");
    assert!(outcome.stderr.contains(&message), "{}", outcome.stderr);
}

/// A kernel that does not end is interrupted: the summary names it, the timeline has it, and the signal ends the
/// program. (SIGINT may be ignored in the background.)
#[test]
fn an_interrupted_program_names_its_kernel() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = "#include <stdio.h>\nint main(void) { setvbuf(stdout, NULL, _IONBF, 0);\n\
        #pragma omp target\n  { printf(\"begun\\n\"); volatile int go = 1; while (go) ; }\n}\n";
    std::fs::write(path("endless.c"), text).expect("written");
    let compiled = run(
        &dist("bin/omptarget"),
        &[
            "cc",
            "-g",
            "-O1",
            &path("endless.c"),
            "-o",
            &path("endless"),
        ],
        &[],
    );
    compiled.passed("omptarget cc");
    let mut program = Command::new(path("endless"))
        .env("OMPTARGET_SUMMARY", "1")
        .env("OMPTARGET_DEVICES", "vgpu")
        .env("LIBOMPTARGET_PROFILE", path("trace.json"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut begun = [0; 6];
    let output = program.stdout.as_mut().expect("piped");
    output.read_exact(&mut begun).expect("the kernel prints");
    // The shell's own: a small system has no program of that name.
    let interrupted = Command::new("sh")
        .args(["-c", "kill -TERM $0", &program.id().to_string()])
        .status();
    assert!(interrupted.is_ok_and(|status| status.success()));
    let ended = program.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.signal(), Some(15), "{told}");
    let line = told
        .lines()
        .find(|line| line.starts_with("  interrupted after "));
    assert!(
        line.is_some_and(
            |line| line.contains("kernel at ") && line.ends_with("endless.c:3:1 in main")
        ),
        "{told}"
    );
    let trace = std::fs::read_to_string(path("trace.json")).expect("the timeline was written");
    assert!(trace.contains("\"cat\":\"kernel\""), "{trace}");
}
