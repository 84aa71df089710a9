//! The programs of bench/epcc and `omptarget bench epcc`: every kernel has the mode of its name and assembles, counts
//! are the same in every run, and the figures are complete.

use std::process::Command;

use e2e::{dist, run};
use serde_json::Value;

const PROGRAMS: [&str; 5] = ["array", "ordered", "sched", "sync", "task"];
const SHAPES: [&str; 4] = ["--threads", "32,50", "--repetitions", "2"];

fn bench(arguments: &[&str]) -> e2e::Outcome {
    run(
        &dist("bin/omptarget"),
        &[&["bench", "epcc"], arguments].concat(),
        &[],
    )
}

/// One build serves all checks.
#[test]
fn constructs_are_measured_and_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = folder.path().display().to_string();
    bench(&["--build", &programs]).passed("--build");
    let listed = bench(&["--list"]);
    let mut known = listed.passed("--list").to_owned();
    for name in PROGRAMS {
        let program = format!("{programs}/epcc-{name}");
        modes(&program);
        for architecture in ["sm_80", "sm_90"] {
            assemble(&program, architecture);
        }
        // What the command says a program has is what it has.
        let has = run(program.as_ref(), &["--list"], &[]);
        for line in has.passed("--list").lines() {
            assert!(known.contains(&format!("{line}\n")), "{name} has {line}");
            known = known.replace(&format!("{line}\n"), "");
        }
    }
    assert_eq!(known, "", "no program has these");

    let [first, second] = ["a", "b"].map(|name| {
        let constructs = [
            "--constructs",
            "parallel,barrier,critical,ordered",
            "--inner",
            "3",
        ];
        let arguments = [
            &["--programs", &programs, "--json"][..],
            &constructs,
            &SHAPES,
        ]
        .concat();
        let outcome = bench(&arguments);
        let text = outcome.passed("omptarget bench epcc --json");
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("written");
        (
            file.display().to_string(),
            serde_json::from_str(text).expect("JSON"),
        )
    });
    figures(&first.1, &second.1);

    let svg = folder.path().join("both.svg").display().to_string();
    let outcome = bench(&[
        "--compare",
        &first.0,
        &second.0,
        "--quantity",
        "instructions",
        "--svg",
        &svg,
    ]);
    // Two numbers of threads, two modes; oversubscribe costs no instructions, so it has no ratio.
    assert!(
        outcome
            .passed("--compare")
            .contains("geometric mean of 20 ratios: 1.00"),
        "{}",
        outcome.stdout
    );
    let picture = std::fs::read_to_string(&svg).expect("the picture is there");
    assert!(
        picture.contains("generic mode") && picture.contains("parallel"),
        "{picture}"
    );
}

/// Two references and four constructs, in two modes with two numbers of threads each; counts are equal.
fn figures(first: &Value, second: &Value) {
    let rows = |report: &Value| report["rows"].as_array().expect("rows").clone();
    let (first_rows, second_rows) = (rows(first), rows(second));
    assert_eq!(first["schema"], "omptarget-epcc/1");
    assert_eq!((first_rows.len(), second_rows.len()), (24, 24), "{first}");
    for (a, b) in first_rows.iter().zip(&second_rows) {
        for field in ["construct", "mode", "threads", "instructions", "switches"] {
            assert_eq!(a[field], b[field], "{field}\n{a}\n{b}");
        }
        for clock in ["cycles", "ns"] {
            assert!(
                a[clock]["mean"].is_number() && a[clock]["half_width"].is_number(),
                "{a}"
            );
        }
    }
    let of = |construct: &str, mode: &str, field: &str| {
        let row = first_rows.iter().find(|row| {
            row["construct"] == construct && row["mode"] == mode && row["threads"] == 32
        });
        row.unwrap_or_else(|| panic!("{construct}: {first}"))[field]
            .as_f64()
            .expect("a number")
    };
    // 31 of 32 threads wait at each of the two barriers, each wait one switch.
    assert_eq!(of("two named barriers", "spmd", "switches"), 31.0 / 16.0);
    assert_eq!(of("oversubscribe", "spmd", "instructions"), 0.0);
    for mode in ["spmd", "generic"] {
        for construct in ["parallel", "barrier", "critical", "ordered"] {
            assert!(of(construct, mode, "instructions") > 0.0, "{construct}");
        }
    }
}

#[test]
fn what_cannot_be_measured_is_said() {
    bench(&["--constructs", "nonsense"]).failed_with("an unknown name", &["nonsense", "--list"]);
    bench(&["--programs", "/nowhere"]).failed_with("no programs", &["/nowhere"]);
    bench(&["--compare", "Cargo.toml", "Cargo.toml"]).failed_with("no figures", &["Cargo.toml"]);
}

/// Generic kernels are generic, the others SPMD, as written or made so by openmp-opt.
fn modes(program: &str) {
    let outcome = run(&dist("bin/omptarget"), &["image", "--json", program], &[]);
    let images: Value =
        serde_json::from_str(outcome.passed("omptarget image --json")).expect("JSON");
    let kernels = find_kernels(&images);
    for (name, mode) in &kernels {
        if name.contains("_generic_l") {
            assert_eq!(mode, "generic", "{name}");
        } else if name.contains("_spmd_l") {
            assert!(mode.to_lowercase().contains("spmd"), "{name}: {mode}");
        }
    }
    assert!(kernels.len() > 6, "{program}: {images}");
}

/// Names and modes of the kernels, wherever in the JSON they are.
fn find_kernels(value: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Array(values) => values.iter().flat_map(find_kernels).collect(),
        Value::Object(fields) => match (text(&value["name"]), text(&value["mode"])) {
            (Some(name), Some(mode)) => vec![(name, mode)],
            _ => fields.values().flat_map(find_kernels).collect(),
        },
        _ => Vec::new(),
    }
}

fn assemble(program: &str, architecture: &str) {
    let outcome = run(
        &dist("bin/omptarget"),
        &["image", "--ptx", architecture, program],
        &[],
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("image.ptx");
    std::fs::write(&source, outcome.passed("omptarget image --ptx")).expect("written");
    let output = Command::new(dist("tools/ptxas"))
        .args(["-O0", "-arch", architecture, "-o"])
        .arg(folder.path().join("image.cubin"))
        .arg(&source)
        .output()
        .expect("ptxas runs");
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}, {architecture}: {says}");
}
