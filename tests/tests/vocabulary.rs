//! Files, types and functions have the field's names (docs/glossary.md). The private names that they once had stay
//! gone.

use std::fs;
use std::path::{Path, PathBuf};

use e2e::root;

/// Names of files and folders of source code that must not come back, without their suffix. Each line has the name that
/// took the place of the old one. The last names say nothing about what a file has in it.
const FILES: &[(&str, &str)] = &[
    ("turns", "lane_serialisation"),
    ("strips", "subgroups"),
    ("portions", "block_ranges"),
    ("lookout", "spin_then_park"),
    ("ever", "sticky_flag"),
    ("pending", "incomplete_tasks"),
    ("private", "thread_state"),
    ("share", "data_sharing"),
    ("sent", "dead_shared_stores"),
    ("paper_interface", "legacy_abi"),
    ("bound", "launch_bounds"),
    ("sites", "source_locations"),
    ("order", "linearise"),
    ("apart", "divergent_barriers"),
    ("records", "interleaved_access"),
    ("places", "affine_address"),
    ("words", "promoted_state"),
    ("waiting", "forward_progress"),
    ("clamps", "umin_to_branch"),
    ("chunks", "loop_versioning"),
    ("carry", "loop_load_elimination"),
    ("common", "the name of the concept"),
    ("utils", "the name of the concept"),
    ("helpers", "the name of the concept"),
    ("misc", "the name of the concept"),
];

/// Identifiers that must not come back, with the names that took their places.
const IDENTIFIERS: &[(&str, &str)] = &[
    ("Pace", "Completion"),
    ("Attended", "Blocking"),
    ("Detached", "Asynchronous"),
    ("Former", "Vectoriser"),
    ("take_turns", "serialise_lanes"),
    ("Strip", "Subgroup"),
    ("Strips", "Subgroups"),
    ("strips", "subgroups"),
    ("Portion", "BlockRange"),
    ("Portions", "BlockRanges"),
    ("portions", "block_ranges"),
    ("Lookout", "spin_then_park"),
    ("lookout", "spin_then_park"),
    ("Book", "Allocations"),
    ("Piece", "Allocation"),
    ("After", "OnCompletion"),
    ("Work", "DeviceWork"),
    ("paper_interface", "legacy_abi"),
];

/// Functions that print are called `report_…` or `log`.
const PRINTING: &[&str] = &["fn tell_", "fn say(", "fn say<"];

/// Lines of a source file: fewer than this.
const LONGEST_FILE: usize = 600;
/// Characters of a line of comments: at most this.
const LONGEST_LINE: usize = 120;

/// Folders without source code of the project.
const SKIPPED: &[&str] = &["target", "dist", "corpus"];

/// Every file of the project whose suffix is among `suffixes`.
fn files(folder: &Path, suffixes: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a folder's entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                files(&path, suffixes, found);
            }
        } else if path
            .extension()
            .is_some_and(|suffix| suffixes.iter().any(|wanted| *wanted == suffix))
        {
            found.push(path);
        }
    }
}

/// The source files, but this one, which has all the names.
fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&root(), &["rs"], &mut found);
    found.retain(|path| !path.ends_with(file!()));
    assert!(
        found.len() > 300,
        "the project has more source files than {}",
        found.len()
    );
    found
}

/// The identifiers in a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}

#[test]
fn files_have_the_fields_names() {
    let root = root();
    for path in sources() {
        let path = path
            .strip_prefix(&root)
            .expect("it lies in the project")
            .with_extension("");
        for part in path.iter() {
            let old = FILES.iter().find(|(old, _)| *old == part);
            assert!(old.is_none(), "{}: {old:?}", path.display());
        }
    }
}

#[test]
fn identifiers_are_the_fields() {
    for path in sources() {
        let text = fs::read_to_string(&path).expect("source code is text");
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for (number, line) in code.enumerate() {
            let mut words = identifiers(line);
            let old = words.find_map(|word| IDENTIFIERS.iter().find(|(old, _)| *old == word));
            assert!(
                old.is_none(),
                "{}, line of code {}: {old:?}",
                path.display(),
                number + 1
            );
        }
    }
}

#[test]
fn functions_that_print_report_or_log() {
    for path in sources() {
        let text = fs::read_to_string(&path).expect("source code is text");
        let old = PRINTING.iter().find(|name| text.contains(**name));
        assert!(old.is_none(), "{}: {old:?}", path.display());
    }
}

#[test]
fn files_are_short() {
    for path in sources() {
        let text = fs::read_to_string(&path).expect("source code is text");
        let lines = text.lines().count();
        assert!(
            lines < LONGEST_FILE,
            "{}: {lines} lines; two files read better",
            path.display()
        );
    }
}

/// Rows of tables may be longer: a doc comment has no other way to write them.
#[test]
fn comments_have_short_lines() {
    for path in sources() {
        let text = fs::read_to_string(&path).expect("source code is text");
        for (number, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//") && !line.contains("| ");
            let length = line.chars().count();
            let fits = !is_comment || length <= LONGEST_LINE;
            assert!(
                fits,
                "{}:{}: {length} characters",
                path.display(),
                number + 1
            );
        }
    }
}

/// A module that is a folder is `name/mod.rs`, never `name.rs` beside `name/`.
#[test]
fn modules_have_one_layout() {
    for path in sources() {
        let folder = path.with_extension("");
        let beside = folder.is_dir()
            && fs::read_dir(&folder)
                .expect("a readable folder")
                .any(|entry| {
                    entry.is_ok_and(|entry| {
                        entry
                            .path()
                            .extension()
                            .is_some_and(|suffix| suffix == "rs")
                    })
                });
        assert!(
            !beside,
            "{} stands beside a folder of its name",
            path.display()
        );
    }
}
