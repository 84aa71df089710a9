//! The MPI example on one to three ranks, each with a device of its own, and the measurement of scaling
//! (docs/scaling.md).

use std::path::Path;
use std::process::Command;

use e2e::{Outcome, dist, root, run};

fn compile(config: &str, program: &Path) {
    let output = Command::new("mpicc")
        .env("OMPI_CC", "clang-22")
        .arg(format!("--config={}", dist(config).display()))
        .args(["-O2", "-Wall", "-Wextra", "-o"])
        .arg(program)
        .arg(root().join("examples/mpi_jacobi.c"))
        .output()
        .expect("mpicc runs (scripts/setup installs it)");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "mpicc: {said}");
}

fn ranks(count: u32, program: &Path, arguments: &[&str]) -> Outcome {
    let (count, program) = (count.to_string(), program.display().to_string());
    let mut words = vec!["--oversubscribe", "-n", &count, &program];
    words.extend(arguments);
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_SMS", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ];
    run(Path::new("mpirun"), &words, &environment)
}

#[test]
fn every_rank_has_a_device() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("mpi_jacobi");
    compile("etc/omptarget.cfg", &program);
    for count in 1..=3 {
        for arguments in [&[][..], &["device-pointers"]] {
            let outcome = ranks(count, &program, arguments);
            let said = outcome.passed(&format!("{count} ranks {arguments:?}"));
            assert_eq!(
                said.lines().filter(|line| *line == "PASS").count(),
                1,
                "{said}"
            );
            assert_eq!(
                said.matches("on device 0 of 1").count(),
                count as usize,
                "{said}"
            );
        }
    }
}

/// Ranks of one machine share its devices.
#[test]
fn ranks_take_different_devices() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("mpi_jacobi");
    compile("etc/omptarget-host.cfg", &program);
    let outcome = ranks(2, &program, &[]);
    let said = outcome.passed("2 ranks on host devices");
    for fact in ["on device 0 of 4", "on device 1 of 4", "PASS"] {
        assert!(said.contains(fact), "{said}");
    }
}

/// `bench/scaling` runs both kinds of buffer, with several devices for each rank, and its model has costs.
#[test]
fn the_scaling_bench() {
    let bench = root().join("bench/scaling");
    let help = run(&bench, &["--help"], &[]);
    assert!(help.passed("--help").contains("--latency"));
    for (devices, buffers) in [("1", "host"), ("2", "device")] {
        let small = [
            "--ranks",
            "1,2,3",
            "--rows",
            "48",
            "--columns",
            "40",
            "--steps",
            "3",
            "--runs",
            "1",
        ];
        let ways = [
            "--devices",
            devices,
            "--buffers",
            buffers,
            "--predict",
            "1024",
            "--json",
        ];
        let outcome = run(&bench, &[&small[..], &ways].concat(), &[]);
        let report: serde_json::Value =
            serde_json::from_str(outcome.passed("bench/scaling")).expect("JSON");
        for kind in ["strong", "weak"] {
            let rows = report[kind].as_array().expect("rows");
            assert_eq!(rows.len(), 3, "{report}");
            for row in rows {
                let positive = |name: &str| row[name].as_f64().is_some_and(|time| time > 0.0);
                assert!(
                    positive("step") && positive("kernel") && positive("predicted"),
                    "{row}"
                );
            }
        }
        let paper = report["on_paper"].as_array().expect("rows");
        assert_eq!(paper.last().expect("a row")["ranks"], 1024, "{report}");
        assert!(report["costs"]["launch"].as_f64().is_some(), "{report}");
    }
    let wrong = run(&bench, &["--buffers", "elsewhere"], &[]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
}
