//! The Markdown documents: lines of at most 120 characters, links that lead somewhere.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest line of prose. Rows of tables and fenced code, which shows output as it is, may be longer.
const LONGEST_LINE: usize = 120;

/// Folders that hold no documents of the project: what is built, and what tools keep.
const SKIPPED: [&str; 3] = ["target", "dist", ".git"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Every Markdown file below `folder`.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !SKIPPED.contains(&name) {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The lines outside of fenced code, with their numbers from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((index + 1, line));
        }
    }
    assert!(!fenced, "a code fence is not closed");
    lines
}

/// The fragment that GitHub gives a heading.
fn fragment(heading: &str) -> String {
    let keep = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => c.to_lowercase().next(),
        _ => None,
    };
    heading.trim().chars().filter_map(keep).collect()
}

fn fragments(document: &Path) -> HashSet<String> {
    let text = fs::read_to_string(document).unwrap();
    let headings = prose(&text).into_iter().map(|(_, line)| line);
    headings
        .filter(|line| line.starts_with('#'))
        .map(|line| fragment(line.trim_start_matches('#')))
        .collect()
}

/// The targets of the links and pictures in a line: `](target)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// What is wrong with a link, if anything.
fn defect(document: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") {
        return None;
    }
    let (path, wanted) = target.split_once('#').unwrap_or((target, ""));
    let linked = if path.is_empty() {
        document.to_owned()
    } else {
        document.parent().unwrap().join(path)
    };
    if !linked.exists() {
        return Some("no such file");
    }
    let has_heading = wanted.is_empty() || fragments(&linked).contains(wanted);
    (!has_heading).then_some("no such heading")
}

/// Fails with all the complaints that `check` has about the lines of the documents.
fn check_lines(check: impl Fn(&Path, &str) -> Vec<String>) {
    let root = root();
    let mut found = Vec::new();
    documents(&root, &mut found);
    assert!(found.contains(&root.join("README.md")));
    let mut complaints = Vec::new();
    for document in &found {
        let text = fs::read_to_string(document).unwrap();
        let name = document.strip_prefix(&root).unwrap().display();
        for (number, line) in prose(&text) {
            for complaint in check(document, line) {
                complaints.push(format!("{name}:{number}: {complaint}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn lines_are_short() {
    check_lines(|_, line| {
        let length = line.chars().count();
        let too_long = length > LONGEST_LINE && !line.starts_with('|');
        Vec::from_iter(too_long.then(|| format!("{length} characters")))
    });
}

#[test]
fn links_lead_somewhere() {
    check_lines(|document, line| {
        targets(line)
            .filter_map(|target| defect(document, target).map(|why| format!("{target}: {why}")))
            .collect()
    });
}

#[test]
fn headings_get_githubs_fragments() {
    let expected = [
        ("Machine code, unit by unit", "machine-code-unit-by-unit"),
        (
            "On a machine with a GPU: `scripts/gpu-check`",
            "on-a-machine-with-a-gpu-scriptsgpu-check",
        ),
        (
            "1. `<kernel>_env` — clang writes",
            "1-kernel_env--clang-writes",
        ),
    ];
    for (heading, wanted) in expected {
        assert_eq!(fragment(heading), wanted);
    }
}
