//! `scripts/gpu-check`: the bundle it makes, and the half for a machine with a GPU, as far as it goes without one.

use std::path::{Path, PathBuf};

use e2e::{Outcome, dist, root, run};

/// A bundle of a few programs, made once for the test that needs it.
fn bundle(folder: &Path) -> PathBuf {
    let bundle = folder.join("bundle");
    let path = bundle.to_str().expect("UTF-8");
    let arguments = [
        "--build",
        path,
        "--only",
        "saxpy,tnsrtrns,launch,transfer",
        "--arch",
        "sm_90",
    ];
    let outcome = run(&root().join("scripts/gpu-check"), &arguments, &[]);
    assert!(outcome.passed("gpu-check --build").contains("MiB"));
    bundle
}

fn check(bundle: &Path, out: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let out = out.to_str().expect("UTF-8");
    let all: Vec<&str> = ["--out", out].iter().chain(arguments).copied().collect();
    run(&bundle.join("gpu-check"), &all, environment)
}

fn results(out: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(out.join("gpu-check.json")).expect("results");
    serde_json::from_str(&text).expect("JSON")
}

/// The whole way without a GPU: no driver is a sentence and an exit code of its own; a dry run on the virtual GPU runs
/// examples, nested and the peers' OpenMP side, and says what it left out; what fails is in the report.
#[test]
fn without_a_gpu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = bundle(folder.path());
    let out = folder.path().join("out");

    let refused = check(&bundle, &out, &[], &[]);
    if !Path::new("/proc/driver/nvidia").exists() {
        assert!(
            refused.code == 3 && refused.stderr.contains("libcuda.so.1"),
            "{refused:?}"
        );
    }

    let codegen = dist("libexec/omptarget-codegen");
    let environment = [("OMPTARGET_CODEGEN", codegen.to_str().expect("UTF-8"))];
    let dry = ["--devices", "vgpu", "--size", "1", "--elements", "1000"];
    let outcome = check(&bundle, &out, &dry, &environment);
    assert_eq!(outcome.code, 4, "{outcome:?}");
    let found = results(&out);
    for (step, status) in [
        ("devices", "passed"),
        ("examples", "passed"),
        ("nested", "passed"),
        ("peers", "skipped"),
        ("sanitizer", "skipped"),
        ("llvm", "skipped"),
    ] {
        assert_eq!(found["steps"][step]["status"], status, "{step}: {found}");
    }
    assert!(found["steps"]["peers"]["figures"]["launch"]["openmp"]["ns"].is_array());
    let goals = found["goals"].as_array().expect("a list");
    assert!(
        goals.len() == 6 && goals.iter().all(|goal| goal["met"].is_null()),
        "{found}"
    );

    // A program that fails is named, with what it said; the steps that are not run again are kept.
    std::fs::write(
        bundle.join("examples/saxpy"),
        "#!/bin/sh\necho something broke; exit 7\n",
    )
    .expect("written");
    let again = ["--devices", "vgpu", "--steps", "examples"];
    let outcome = check(&bundle, &out, &again, &environment);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let found = results(&out);
    assert_eq!(found["steps"]["examples"]["status"], "failed");
    assert_eq!(found["steps"]["nested"]["status"], "passed");
    let text = std::fs::read_to_string(out.join("gpu-check.md")).expect("the table");
    assert!(text.contains("ended with 7: something broke"), "{text}");
}

#[test]
fn wrong_usage() {
    let script = root().join("scripts/gpu-check");
    let outcome = run(&script, &["--steps", "nonsense"], &[]);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("nonsense"),
        "{outcome:?}"
    );
    let outcome = run(&script, &["--size", "0"], &[]);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--size"),
        "{outcome:?}"
    );
    // In the project's tree there is no bundle to measure with.
    let outcome = run(&script, &[], &[]);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--build"),
        "{outcome:?}"
    );
}

/// The goals' verdicts from figures, in Python as the script is.
#[test]
fn goals() {
    let arguments = [
        "-B",
        "-m",
        "unittest",
        "discover",
        "-s",
        "scripts",
        "-p",
        "test_*.py",
    ];
    let outcome = run("python3".as_ref(), &arguments, &[]);
    assert!(
        outcome.code == 0 && outcome.stderr.contains("OK"),
        "{outcome:?}"
    );
}
