//! Runs the `; RUN:` lines of every `tests/ll/*.ll`.
//!
//! The lines are written as for LLVM's lit: shell commands, in which `%s` is the file and `%t` the start of paths
//! of temporary files; a `\` at the end continues a command on the next `RUN` line. LLVM's FileCheck compares the
//! output with the file's `CHECK` lines (<https://llvm.org/docs/CommandGuide/FileCheck.html>). `not` in front of a
//! command expects it to fail cleanly.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The shell commands of a file.
fn commands(text: &str, file: &Path, temporary: &Path) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("; RUN: "));
    let script: String = lines.flat_map(|line| [line, "\n"]).collect();
    let script = script.replace("\\\n", " ");
    let commands = script.lines();
    commands
        .map(|command| {
            command
                .replace("%s", &file.display().to_string())
                .replace("%t", &temporary.display().to_string())
        })
        .collect()
}

/// The folders of the compiler and of LLVM's tools, in front of the usual ones.
fn search_path() -> std::ffi::OsString {
    let compiler = Path::new(env!("CARGO_BIN_EXE_omptarget-codegen"));
    let llvm = std::env::var_os("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let own = [
        compiler.parent().unwrap().to_owned(),
        PathBuf::from(llvm).join("bin"),
    ];
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(std::env::split_paths(&usual));
    std::env::join_paths(all).unwrap()
}

/// Runs a command; an error is what it and FileCheck wrote.
fn run(command: &str, path: &std::ffi::OsStr) -> Result<(), String> {
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", command])
        .env("PATH", path)
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(format!(
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&text)
    ))
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
    let path = search_path();
    let temporary = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let commands = commands(&text, &file, &temporary.path().join("file"));
        if commands.is_empty() {
            failures.push(format!("{}: no RUN line", file.display()));
        }
        for command in commands {
            if let Err(why) = run(&command, &path) {
                failures.push(format!("{command}: {why}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
