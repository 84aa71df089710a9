//! Runs the compiler on every `tests/ll/*.ll` and checks what each file says of the result:
//!
//! * `; RUN: arguments`: how to run `omptarget-codegen`; `%s` is the file. Several lines are several
//!   runs, and each is followed by what is expected of it.
//! * `; CHECK: text`: the output has the text, after the previous `CHECK`'s.
//! * `; NOT: text`: the output has the text nowhere.
//! * `; ERROR: text`: the run fails cleanly (exit code 1) and its message has the text.
//!
//! `…` in a text stands for anything within the line.

use std::path::Path;
use std::process::Command;

/// One run and what is expected of it.
struct Case {
    arguments: Vec<String>,
    checks: Vec<String>,
    absent: Vec<String>,
    errors: Vec<String>,
}

fn cases(text: &str, file: &Path) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("; ")) {
        let Some((directive, value)) = line.split_once(": ") else {
            continue;
        };
        let value = value.trim().to_owned();
        if directive == "RUN" {
            let file = file.display().to_string();
            let arguments = value
                .split_whitespace()
                .map(|word| word.replace("%s", &file))
                .collect();
            cases.push(Case {
                arguments,
                checks: Vec::new(),
                absent: Vec::new(),
                errors: Vec::new(),
            });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        match directive {
            "CHECK" => case.checks.push(value),
            "NOT" => case.absent.push(value),
            "ERROR" => case.errors.push(value),
            _ => {}
        }
    }
    cases
}

/// Position after the first line from `from` on that has the pattern.
fn find(text: &str, from: usize, pattern: &str) -> Option<usize> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if matches(line, pattern) {
            return Some(at + line.len());
        }
        at += line.len();
    }
    None
}

fn matches(line: &str, pattern: &str) -> bool {
    let mut rest = line;
    for part in pattern.split('…') {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

fn verify(case: &Case) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_omptarget-codegen"))
        .args(&case.arguments)
        .output()
        .map_err(|error| error.to_string())?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = if case.errors.is_empty() { 0 } else { 1 };
    if output.status.code() != Some(expected) {
        return Err(format!(
            "{} instead of exit code {expected}\n{stderr}",
            output.status
        ));
    }
    if let Some(missing) = case
        .errors
        .iter()
        .find(|text| find(&stderr, 0, text).is_none())
    {
        return Err(format!("no message `{missing}` in\n{stderr}"));
    }
    let text = format!("{stderr}{stdout}");
    let mut from = 0;
    for check in &case.checks {
        from = find(&text, from, check)
            .ok_or_else(|| format!("no `{check}` from here on:\n{}", &text[from..]))?;
    }
    match case
        .absent
        .iter()
        .find(|absent| find(&text, 0, absent).is_some())
    {
        Some(present) => Err(format!("`{present}` in\n{text}")),
        None => Ok(()),
    }
}

#[test]
fn every_file_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ll");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 20, "the test files are missing");
    let mut failures = Vec::new();
    for file in files {
        let cases = cases(&std::fs::read_to_string(&file).unwrap(), &file);
        if cases
            .iter()
            .all(|case| case.checks.len() + case.absent.len() + case.errors.len() == 0)
        {
            failures.push(format!("{}: checks nothing", file.display()));
        }
        for case in cases {
            if let Err(why) = verify(&case) {
                failures.push(format!(
                    "{} ({}): {why}",
                    file.display(),
                    case.arguments.join(" ")
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
