//! Programs that compile.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The program that a variable of the environment names, or the first of the names in `PATH`.
pub fn find(variable: &str, names: &[&str]) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(variable).filter(|name| !name.is_empty()) {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let candidates = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates
        .filter(|file| file.is_file())
        .find_map(|file| file.canonicalize().ok())
}

/// What changes when a program does.
pub fn state(program: &Path) -> String {
    fs::metadata(program).map_or(String::new(), |file| {
        format!("{} {} {}", file.size(), file.mtime(), file.mtime_nsec())
    })
}
