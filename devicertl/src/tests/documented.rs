//! Every entry point says what it is, who calls it and what text specifies it. A scan of the source text: macros that
//! define entry points pass doc comments on, and those that `libc` and `ompx` have are not compiled for the host.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const SECTIONS: [&str; 2] = ["OpenMP 5.2, §", "OpenMP 6.0, §"];
const CALLERS: [&str; 5] = [
    "clang",
    "openmp-opt",
    "OpenMPIRBuilder",
    "OMPKinds",
    "paper",
];
const OTHERS: [&str; 10] = [
    "ISO C17, §",
    "ISO C++, `[",
    "Itanium C++ ABI, §",
    "(POSIX)",
    "(GNU)",
    "(BSD)",
    "glibc",
    "`omp.h`",
    "CUDA",
    "LLVM",
];

/// Whether the doc comment of an entry point names what its kind needs: OpenMP's routines their section, clang's
/// functions their caller, others either or another standard.
fn is_complete(name: &str, doc: &str) -> bool {
    let names = |places: &[&str]| places.iter().any(|place| doc.contains(place));
    if name.starts_with("omp_") || name.starts_with("ompc_") {
        names(&SECTIONS)
    } else if name.starts_with("__kmpc_") {
        names(&CALLERS)
    } else {
        names(&SECTIONS) || names(&CALLERS) || names(&OTHERS)
    }
}

/// The doc comment in front of a line, in one line.
fn doc_before(lines: &[&str], item: usize) -> String {
    let mut doc: Vec<&str> = lines[..item]
        .iter()
        .rev()
        .map(|line| line.trim())
        .take_while(|line| {
            line.starts_with("///") || line.trim_start_matches("$(").starts_with("#[")
        })
        .filter(|line| line.starts_with("///") || line.contains("#[doc"))
        .map(|line| line.trim_start_matches('/').trim())
        .collect();
    doc.reverse();
    doc.join(" ")
}

/// The name in front of a parameter list, behind `fn` if there is one.
fn name_of(item: &str) -> Option<&str> {
    let name = item.strip_prefix("fn ").unwrap_or(item).split_once('(')?.0;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let is_one = name.chars().all(is_name) && name.contains(|c: char| c.is_ascii_alphabetic());
    is_one.then_some(name)
}

/// Macros that make an entry point of each item they get, with the item's own name and doc comment.
fn forwarding(text: &str) -> BTreeSet<&str> {
    let mut current = "";
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("macro_rules! ") {
            current = rest.split(' ').next().unwrap_or_default();
        } else if line.contains("extern \"C\" fn $name(") {
            found.insert(current);
        }
    }
    found
}

/// Name and doc comment of each entry point of a file.
fn entry_points(text: &str, forwarding: &BTreeSet<&str>) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    // The indentation of the items of a forwarding macro's call.
    let mut inside: Option<usize> = None;
    for (at, line) in lines.iter().enumerate() {
        let item = line.trim_start();
        let indent = line.len() - item.len();
        if item
            .strip_suffix("! {")
            .is_some_and(|name| forwarding.contains(name))
        {
            inside = Some(indent + 4);
        } else if item == "}" && inside == Some(indent + 4) {
            inside = None;
        }
        let name = if let Some((before, rest)) = line.split_once("extern \"C\" fn ") {
            name_of(rest).filter(|&name| before.trim_start().starts_with("pub") && name != "$name")
        } else if inside == Some(indent) {
            name_of(item)
        } else {
            None
        };
        if let Some(name) = name {
            found.push((name.to_owned(), doc_before(&lines, at)));
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("a source").path();
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_entry_point_says_who_calls_it_and_what_specifies_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["src", "text/src", "services/src"] {
        sources(&root.join(folder), &mut paths);
    }
    paths.sort();
    let texts: Vec<String> = paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a source"))
        .collect();
    let forwarding = texts.iter().flat_map(|text| forwarding(text)).collect();
    let (mut names, mut wrong) = (BTreeSet::new(), Vec::new());
    for (path, text) in paths.iter().zip(&texts) {
        for (name, doc) in entry_points(text, &forwarding) {
            if !is_complete(&name, &doc) {
                wrong.push(format!("{}: {name}: {doc:?}", path.display()));
            }
            names.insert(name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // One of each way to define an entry point: the scan sees them.
    for name in [
        "__kmpc_parallel_60",
        "omp_get_level",
        "$for",
        "strlen",
        "$newer",
        "kmp_free",
        "malloc",
    ] {
        assert!(names.contains(name), "{name} was not found");
    }
}

#[test]
fn what_is_missing_is_seen() {
    let text = "macro_rules! all {\n    () => { pub extern \"C\" fn $name() {} };\n}\n\
                all! {\n    /// `omp_a`.\n    omp_a() -> 0;\n}\n\
                /// Begins.\n#[unsafe(no_mangle)]\npub extern \"C\" fn __kmpc_b() {}\n\
                /// Begins (clang: `emitB`).\npub unsafe extern \"C\" fn __kmpc_c() {}\n\
                pub extern \"C\" fn d() {}\n";
    let found = entry_points(text, &forwarding(text));
    let complete: Vec<_> = found
        .iter()
        .map(|(name, doc)| (name.as_str(), is_complete(name, doc)))
        .collect();
    let expected = [
        ("omp_a", false),
        ("__kmpc_b", false),
        ("__kmpc_c", true),
        ("d", false),
    ];
    assert_eq!(complete, expected);
}
