//! A kernel launch recorded while a program runs (`OMPTARGET_RECORD`) and replayed alone (`omptarget replay`).

use std::path::Path;

use e2e::{Binary, Build, Mode, Outcome, WAVE64, dist, run};

fn record(binary: &Binary, folder: &Path, which: &[(&str, &str)]) -> Outcome {
    let folder = folder.to_str().expect("UTF-8");
    let mut environment = vec![
        ("OMPTARGET_RECORD", folder),
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ];
    environment.extend(which);
    let outcome = binary.run_with(&[], &environment);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "PASS\n"),
        "{outcome:?}"
    );
    outcome
}

fn replay(folder: &Path, options: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let mut arguments = vec!["replay", folder.to_str().expect("UTF-8")];
    arguments.extend(options);
    run(&dist("bin/omptarget"), &arguments, environment)
}

/// Every launch of the program reproduces the recorded memory, also where memory has other addresses.
#[test]
fn replays_give_what_was_recorded() {
    // Another heap moves everything; of the variable MEMORY the size of the recording's block depends.
    let elsewhere = [
        ("OMPTARGET_VGPU_HEAP", "64M"),
        ("OMPTARGET_VGPU_MEMORY", "512M"),
    ];
    for mode in [
        Mode::Offload("-O1"),
        Mode::HostDevice,
        Mode::Amd(WAVE64, "-O1"),
    ] {
        let binary = Build::new(&["tests/programs/record.c"]).compile(mode);
        for launch in ["1", "2", "3"] {
            let scratch = tempfile::tempdir().expect("a temporary folder");
            let folder = scratch.path().join("launch");
            let said = record(&binary, &folder, &[("OMPTARGET_RECORD_LAUNCH", launch)]).stderr;
            assert!(
                said.contains("omptarget: recorded kernel __omp_offloading_"),
                "{said}"
            );
            let outcome = replay(&folder, &["--verify", "--runs=2"], &elsewhere);
            let said = outcome.passed(&format!("replay of launch {launch} {mode:?}"));
            assert!(said.contains("memory is as recorded"), "{said}");
        }
    }
}

#[test]
fn other_shapes_and_other_results() {
    let binary = Build::new(&["tests/programs/record.c"]).compile(Mode::Offload("-O1"));
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let (list, reduction) = (
        scratch.path().join("list"),
        scratch.path().join("reduction"),
    );
    let line = e2e::line_of("tests/programs/record.c", "num_teams(4)");
    record(
        &binary,
        &list,
        &[("OMPTARGET_RECORD_KERNEL", &format!("main_l{line}"))],
    );
    record(&binary, &reduction, &[("OMPTARGET_RECORD_LAUNCH", "3")]);

    let outcome = replay(&list, &["--teams=7", "--threads=40", "--verify"], &[]);
    let said = outcome.passed("another shape");
    assert!(
        said.contains("[7, 1, 1] blocks of [40, 1, 1] threads"),
        "{said}"
    );
    let outcome = replay(&reduction, &["--teams=5000"], &[]);
    outcome.failed_with("more teams", &["reduces across teams"]);
    let outcome = replay(&list, &["--threads=5000"], &[]);
    outcome.failed_with("too many threads", &["5000 threads per block"]);
    assert_eq!(replay(&list, &["--runs=0"], &[]).code, 2);

    let after = list.join("after");
    let mut bytes = std::fs::read(&after).expect("recorded");
    bytes[2] ^= 1;
    std::fs::write(&after, &bytes).expect("written");
    let outcome = replay(&list, &["--verify"], &[]);
    outcome.failed_with(
        "other memory",
        &["not as recorded", "allocation 0: 1 of", "the first at 2"],
    );
    replay(&list, &[], &[]).passed("not compared");
    std::fs::write(&after, &bytes[1..]).expect("written");
    replay(&list, &[], &[]).failed_with(
        "short memory",
        &["after", "the areas of recording.json have"],
    );
}

/// A second recording does not replace the first, and a folder that cannot be made is named; the program goes on.
#[test]
fn what_cannot_be_recorded_is_said() {
    let binary = Build::new(&["tests/programs/record.c"]).compile(Mode::Offload("-O1"));
    let scratch = tempfile::tempdir().expect("a temporary folder");
    record(&binary, scratch.path(), &[]);
    let said = record(&binary, scratch.path(), &[]).stderr;
    assert!(said.contains("there is a recording already"), "{said}");
    let said = record(&binary, Path::new("/proc/nowhere"), &[]).stderr;
    assert!(said.contains("is not recorded: /proc/nowhere: "), "{said}");
    let outcome = replay(Path::new("/nonexistent"), &[], &[]);
    outcome.failed_with(
        "no recording",
        &["/nonexistent/recording.json: No such file"],
    );
}

/// A kernel that faults is recorded, and faults again.
#[test]
fn faults_are_replayed() {
    let binary = Build::new(&["tests/programs/faults.c"]).compile(Mode::Offload("-O1"));
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let folder = scratch.path().to_str().expect("UTF-8");
    let outcome = binary.run_with(&["trap"], &[("OMPTARGET_RECORD", folder)]);
    outcome.failed_with("the program", &["omptarget: recorded kernel", "trap"]);
    replay(scratch.path(), &[], &[]).failed_with("the replay", &["trap"]);
}
