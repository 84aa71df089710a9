//! The checker finds each mistake of tests/mistakes where it is, and is silent about its twin that is right.
//!
//! A line `// mistake NAME: KIND, TEXT` begins a mistake, which is the function or kernel NAME and what it calls. The
//! finding has that kind and text, and its places are the lines with `// <- KIND`. In Fortran `!` stands for `//`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use e2e::{Binary, Build, Mode, Outcome, dist, root, run};
use serde_json::Value;

/// The mistakes that are not found yet.
const MISSED: &[&str] = &[];

/// The mistakes whose twins are not silent yet.
const LOUD: &[&str] = &[];

/// What each mistake is run with.
const ENVIRONMENT: [(&str, &str); 3] = [
    ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ("OMPTARGET_VGPU_SMS", "2"),
    // Only mistakes with locks and flags need the time limit.
    ("OMPTARGET_VGPU_TIMEOUT", "2"),
];

/// One mistake.
#[derive(Debug)]
struct Mistake {
    name: String,
    kind: String,
    text: String,
    /// Lines of the finding, from 1.
    lines: BTreeSet<u64>,
}

impl Mistake {
    /// The mistake that a line begins.
    fn begun_by(line: &str) -> Option<Mistake> {
        let line = line
            .trim_start()
            .trim_start_matches("//")
            .trim_start_matches('!');
        let (name, expected) = line.strip_prefix(" mistake ")?.split_once(": ")?;
        let (kind, text) = expected.split_once(", ").unwrap_or((expected, ""));
        Some(Mistake {
            name: name.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            lines: BTreeSet::new(),
        })
    }

    /// Whether this is a finding of it.
    fn has(&self, finding: &Value, file: &str) -> bool {
        let lines = lines(finding, file);
        finding["kind"] == *self.kind
            && finding.to_string().contains(&self.text)
            && self.lines.is_subset(&lines)
    }
}

/// The lines of `file` that a finding names.
fn lines(finding: &Value, file: &str) -> BTreeSet<u64> {
    let notes = finding["notes"].as_array().expect("a list").iter();
    let places = notes
        .map(|note| &note["location"])
        .chain([&finding["location"]]);
    places
        .filter(|place| {
            place["file"]
                .as_str()
                .is_some_and(|name| name.ends_with(file))
        })
        .filter_map(|place| place["line"].as_u64())
        .collect()
}

/// The mistakes of a source file. What follows a mistake's line belongs to it, up to the next one.
fn mistakes(source: &str) -> Vec<Mistake> {
    let text = std::fs::read_to_string(root().join(source)).expect("the source is readable");
    let mut found: Vec<Mistake> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        found.extend(Mistake::begun_by(line));
        let mark = line.split_once("// <- ").or(line.split_once("! <- "));
        if let Some((_, kind)) = mark {
            let mistake = found
                .last_mut()
                .expect("a mistake stands before its places");
            assert_eq!(mistake.kind, kind, "{source}:{number}");
            mistake.lines.insert(number);
        }
    }
    found
}

fn findings(program: &Path, name: &str, folder: &Path, checks: &str) -> (Vec<Value>, String) {
    let report = folder.join(name);
    let mut environment = ENVIRONMENT.to_vec();
    environment.push(("OMPTARGET_CHECK", checks));
    let vendors = dist("etc/OpenCL/vendors");
    environment.push(("OCL_ICD_VENDORS", vendors.to_str().expect("UTF-8")));
    let file = report.to_str().expect("UTF-8");
    environment.push(("OMPTARGET_CHECK_REPORT", file));
    let outcome = run(program, &[name], &environment);
    assert_ne!(outcome.code, 124, "{name} has no end:\n{}", outcome.stderr);
    assert_ne!(outcome.code, 2, "{name} is not in main");
    let lines = std::fs::read_to_string(&report).unwrap_or_default();
    let read = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"));
    (
        read.collect(),
        format!("{name} ended with {}:\n{}", outcome.code, outcome.stderr),
    )
}

/// A file of mistakes, compiled.
struct Twins {
    source: &'static str,
    wrong: Binary,
    right: Binary,
}

impl Twins {
    fn new(source: &'static str, mode: Mode) -> Twins {
        let path = path(source);
        let build = |flags: &[&str]| Build::new(&[&path]).flags(flags).compile(mode);
        let (wrong, right) = (build(&["-g"]), build(&["-g", "-DRIGHT"]));
        Twins {
            source,
            wrong,
            right,
        }
    }
}

fn path(source: &str) -> String {
    format!("tests/mistakes/{source}")
}

static HOST: LazyLock<Twins> = LazyLock::new(|| Twins::new("host.c", Mode::Offload("-O1")));
static RACE: LazyLock<Twins> = LazyLock::new(|| Twins::new("race.c", Mode::Offload("-O1")));

/// Runs every mistake of a file, and its twin.
fn check(twins: &Twins) {
    check_for(twins, "all");
}

/// The same with some checks only.
fn check_for(twins: &Twins, checks: &str) {
    let Twins {
        source,
        wrong,
        right,
    } = twins;
    check_programs(source, &wrong.path, &right.path, checks);
}

/// Compiles a file of mistakes and its twins by a command, and runs them.
fn check_compiled(source: &str, program: &Path, arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = |path: PathBuf| path.to_str().expect("UTF-8").to_owned();
    let modules = text(folder.path().to_owned());
    let built = ["-DWRONG", "-DRIGHT"].map(|twin| {
        let output = folder.path().join(twin);
        let all = arguments
            .iter()
            .map(|argument| argument.replace("FOLDER", &modules));
        let mut all: Vec<String> = all.collect();
        all.extend(["-g".into(), twin.into(), "-o".into(), text(output.clone())]);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        run(program, &all, &[]).passed(source);
        output
    });
    check_programs(source, &built[0], &built[1], "all");
}

fn check_programs(source: &str, wrong: &Path, right: &Path, checks: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut complaints = Vec::new();
    for mistake in mistakes(&path(source)) {
        let (found, shown) = findings(wrong, &mistake.name, folder.path(), checks);
        let is_found = found.iter().any(|each| mistake.has(each, source));
        if is_found == MISSED.contains(&&*mistake.name) {
            complaints.push(format!("{mistake:?}: found: {is_found}\n{shown}"));
        }
        let twin = folder.path().join("right");
        std::fs::create_dir_all(&twin).expect("a folder");
        let (found, shown) = findings(right, &mistake.name, &twin, checks);
        if found.is_empty() == LOUD.contains(&&*mistake.name) {
            complaints.push(format!("the twin of {}: {shown}", mistake.name));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn memory() {
    check(&Twins::new("memory.c", Mode::Offload("-O1")));
}

#[test]
fn race() {
    check(&RACE);
}

/// Without `init`, the compiler announces reads of a loop together.
#[test]
fn race_alone() {
    check_for(&RACE, "race");
}

#[test]
fn orders() {
    check(&Twins::new("orders.c", Mode::Offload("-O1")));
}

/// Explicit tasks in kernels.
#[test]
fn tasks() {
    check(&Twins::new("tasks.c", Mode::Offload("-O1")));
}

#[test]
fn init() {
    check(&Twins::new("init.c", Mode::Offload("-O1")));
}

#[test]
fn sync() {
    check(&Twins::new("sync.c", Mode::Offload("-O1")));
}

#[test]
fn host() {
    check(&HOST);
}

#[test]
fn classes() {
    check(&Twins::new("classes.cpp", Mode::Offload("-O1")));
}

#[test]
fn structures() {
    check(&Twins::new("structures.cpp", Mode::Offload("-O1")));
}

#[test]
fn locals() {
    check(&Twins::new("locals.c", Mode::Offload("-O1")));
}

/// Without optimisation, debug information names local variables.
#[test]
fn locals_with_names() {
    check(&Twins::new("locals.c", Mode::Offload("-O0")));
}

#[test]
fn kernels() {
    check(&Twins::new("kernels.cu", Mode::Cuda("-O1")));
}

#[test]
fn hip() {
    check(&Twins::new("kernels.hip", Mode::Hip("-O1")));
}

#[test]
fn opencl() {
    let kernels = root().join(path("program.cl"));
    let define = format!("-DMISTAKES=\"{}\"", kernels.display());
    let host = path("opencl.c");
    let arguments = ["-O1", &define, &host, "-lOpenCL"];
    check_compiled("program.cl", Path::new("clang-22"), &arguments);
}

#[test]
fn fortran() {
    let source = path("fortran.f90");
    let arguments = ["fc", "-cpp", "-O1", &source, "-J", "FOLDER"];
    check_compiled("fortran.f90", &dist("bin/omptarget"), &arguments);
}

/// There are enough of them, of every kind.
#[test]
fn the_catalogue() {
    let sources = [
        "memory.c",
        "race.c",
        "orders.c",
        "init.c",
        "sync.c",
        "host.c",
        "classes.cpp",
        "structures.cpp",
        "locals.c",
        "kernels.cu",
        "kernels.hip",
        "program.cl",
        "fortran.f90",
    ];
    let all: Vec<_> = sources
        .iter()
        .flat_map(|source| mistakes(&path(source)))
        .collect();
    assert!(all.len() >= 60, "{}", all.len());
    for kind in ["memory", "race", "init", "sync", "host"] {
        let of_kind = all.iter().filter(|mistake| mistake.kind == kind).count();
        assert!(of_kind >= 5, "{kind}: {of_kind}");
    }
}

/// `omptarget check --only host`, of a program of host.c.
fn command(options: &[&str], binary: &Binary, mistake: &str) -> Outcome {
    let program = binary.path.to_str().expect("UTF-8");
    let arguments = [&["check", "--only", "host"], options, &[program, mistake]].concat();
    run(&dist("bin/omptarget"), &arguments, &[])
}

/// The command sums up, and its exit code says whether something was found.
#[test]
fn the_command() {
    let outcome = command(&[], &HOST.wrong, "update_after_region");
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(
        outcome
            .stderr
            .ends_with("omptarget check: 1 finding: 1 host\n"),
        "{outcome:?}"
    );
    let outcome = command(&[], &HOST.right, "update_after_region");
    assert_eq!(
        (outcome.code, &*outcome.stderr),
        (0, "omptarget check: nothing found\n")
    );
    // The program's own exit code for a name that it does not know.
    assert_eq!(command(&[], &HOST.right, "nothing").code, 2);
    assert_eq!(
        run(&dist("bin/omptarget"), &["check", "./no such program"], &[]).code,
        1
    );
}

/// Findings of several runs are put together, as JSON and as SARIF.
#[test]
fn findings_for_tools() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sarif = folder.path().join("found.sarif");
    let file = sarif.to_str().expect("UTF-8");
    let options = ["--json", "--schedules", "2", "--sarif", file];
    let outcome = command(&options, &HOST.wrong, "update_after_region");
    let found: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let [one] = &found.as_array().expect("a list")[..] else {
        panic!("{outcome:?}");
    };
    assert_eq!(one["location"]["function"], "update_after_region");
    assert!(
        outcome.stderr.ends_with("1 finding: 1 host in 2 runs\n"),
        "{outcome:?}"
    );
    let log = std::fs::read_to_string(&sarif).expect("a file");
    let log: Value = serde_json::from_str(&log).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&"host".into(), &"warning".into())
    );
}
