//! The programs of bench/nested: right in both shapes on the virtual GPU at their smallest size, and accepted by ptxas.

use std::process::Command;

use e2e::{dist, in_parallel, root, run};

/// One build is enough for both: the command runs the programs, and ptxas assembles their images.
#[test]
fn every_program_is_right_and_assembles() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = folder.path().display().to_string();
    let omptarget = dist("bin/omptarget");
    run(&omptarget, &["bench", "nested", "--build", &programs], &[]).passed("--build");

    let svg = folder.path().join("nested.svg").display().to_string();
    let arguments = [
        "bench",
        "nested",
        "--programs",
        &programs,
        "--runs",
        "1",
        "--json",
        "--svg",
        &svg,
    ];
    let outcome = run(&omptarget, &arguments, &[]);
    let report: serde_json::Value =
        serde_json::from_str(outcome.passed("omptarget bench nested")).expect("JSON");
    let kernels = report["kernels"].as_array().expect("a list of kernels");
    assert_eq!(kernels.len(), 28, "{report}");
    let in_the_paper = kernels.iter().filter(|kernel| kernel["paper"] != "");
    assert_eq!(in_the_paper.count(), 26, "{report}");
    assert!(report["geometric_mean"].is_number(), "{report}");
    let picture = std::fs::read_to_string(&svg).expect("the picture is there");
    assert!(picture.contains("streamcluster"), "{picture}");

    in_parallel(&names(), |name| {
        for architecture in ["sm_80", "sm_90"] {
            assemble(&format!("{programs}/{name}"), architecture);
        }
    });
}

/// The programs of the folder. All of them are part of the command.
fn names() -> Vec<String> {
    let folder = root().join("bench/nested").read_dir().expect("it is there");
    let files = folder.map(|entry| entry.expect("readable").file_name().into_string());
    let names: Vec<String> = files
        .filter_map(|name| name.expect("UTF-8").strip_suffix(".c").map(str::to_owned))
        .collect();
    assert_eq!(names.len(), 19);
    names
}

fn assemble(program: &str, architecture: &str) {
    let arguments = ["image", "--ptx", architecture, program];
    let outcome = run(&dist("bin/omptarget"), &arguments, &[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("image.ptx");
    std::fs::write(&source, outcome.passed("omptarget image --ptx")).expect("written");
    // -O0 takes a third of the time and refuses the same.
    let output = Command::new(dist("tools/ptxas"))
        .args(["-O0", "-arch", architecture, "-o", "/dev/null"])
        .arg(&source)
        .output()
        .expect("ptxas runs");
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {architecture}: {says}");
}

/// A failing program or an unknown name gives a message; figures of the other programs are not lost.
#[test]
fn what_cannot_be_run_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = folder.path().display().to_string();
    let omptarget = dist("bin/omptarget");
    let build = [
        "bench", "nested", "--build", &programs, "--only", "tnsrtrns",
    ];
    run(&omptarget, &build, &[]).passed("--build --only");
    let both = [
        "bench",
        "nested",
        "--programs",
        &programs,
        "--only",
        "tnsrtrns,lud",
    ];
    let outcome = run(&omptarget, &both, &[]);
    assert!(
        outcome.code == 1 && outcome.stdout.contains("tnsrtrns") && outcome.stderr.contains("lud"),
        "{outcome:?}"
    );
    let outcome = run(&omptarget, &["bench", "nested", "--only", "bfss"], &[]);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("bfs,"),
        "{outcome:?}"
    );
    let outcome = run(
        format!("{programs}/tnsrtrns").as_ref(),
        &["--size", "0"],
        &[],
    );
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--size"),
        "{outcome:?}"
    );
}
