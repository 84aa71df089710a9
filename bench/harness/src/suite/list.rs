//! Lists of programs: bench/programs.json, or others of the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use omptarget_driver::{Failure, Result};
use serde::Deserialize;

/// A program of a public suite: where its sources lie, how to compile and run it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    pub name: String,
    #[serde(default = "hecbench")]
    pub suite: String,
    /// In the suite; HeCBench's programs have the folder `src/NAME-omp`.
    folder: Option<String>,
    /// Patterns of file names in the folder, with `*` at most once.
    #[serde(default = "main")]
    sources: Vec<String>,
    /// Additional arguments of the compiler, separated by spaces.
    #[serde(default)]
    flags: String,
    /// Separated by spaces.
    #[serde(default)]
    arguments: String,
    /// Files that the suite's own build makes, and inputs of another size, by their lines. They are written into the
    /// folder that `{build}` in flags and arguments stands for.
    #[serde(default)]
    files: BTreeMap<String, Vec<String>>,
    /// The status that it ends with: another than 0 where it has no reference for these arguments.
    #[serde(default)]
    pub status: i32,
    /// Data files in the folder that it reads. They are not checked in everywhere.
    #[serde(default)]
    data: Vec<String>,
    /// What lines that differ from run to run contain, besides times.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// The relative difference that numbers of the output may have.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
    /// It relies on teams of the size that it asks for. On fewer threads, as the host gives, its results are wrong.
    #[serde(default)]
    pub blocks: bool,
    /// Why its output cannot be compared.
    #[serde(default)]
    pub varies: Option<String>,
}

fn hecbench() -> String {
    "hecbench".into()
}

fn main() -> Vec<String> {
    vec!["main.cpp".into()]
}

fn tolerance() -> f64 {
    1e-3
}

/// The programs of a list: of bench/programs.json, if no other is given.
pub fn programs(list: Option<&Path>) -> Result<Vec<Program>> {
    let Some(list) = list else {
        let text = include_str!("../../../programs.json");
        return Ok(serde_json::from_str(text).expect("a test reads the list"));
    };
    let shown = list.display();
    let text =
        std::fs::read_to_string(list).map_err(Failure::system(format!("cannot read {shown}")))?;
    serde_json::from_str(&text).map_err(|error| Failure::Other(format!("{shown}: {error}")))
}

impl Program {
    /// Its folder in the suite, with everything in it that it needs.
    pub fn folder(&self, suite: &Path) -> Result<PathBuf> {
        let folder = match &self.folder {
            Some(folder) => suite.join(folder),
            None => suite.join(format!("src/{}-omp", self.name)),
        };
        let missing = self.data.iter().map(|file| folder.join(file));
        let missing = std::iter::once(folder.clone()).chain(missing);
        match missing.into_iter().find(|path| !path.exists()) {
            Some(path) => Err(Failure::Other(format!("{} is missing", path.display()))),
            None => Ok(folder),
        }
    }

    /// Its source files.
    pub fn sources(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for pattern in &self.sources {
            let found = matching(&folder.join(pattern))?;
            if found.is_empty() {
                let why = format!("no file {pattern} in {}", folder.display());
                return Err(Failure::Other(why));
            }
            files.extend(found);
        }
        Ok(files)
    }

    /// Writes its files into the folder for what is built.
    pub fn write_files(&self, build: &Path) -> Result<()> {
        for (name, lines) in &self.files {
            let path = build.join(name);
            let failure = Failure::system(format!("cannot write {}", path.display()));
            std::fs::write(path, lines.join("\n") + "\n").map_err(failure)?;
        }
        Ok(())
    }

    pub fn flags(&self, build: &Path) -> impl Iterator<Item = String> {
        words(&self.flags, build)
    }

    pub fn arguments(&self, build: &Path) -> impl Iterator<Item = String> {
        words(&self.arguments, build)
    }
}

/// The words of a text in which `{build}` stands for a folder.
fn words(text: &str, build: &Path) -> impl Iterator<Item = String> {
    let build = build.to_string_lossy();
    let words = text.split_whitespace();
    words.map(move |word| word.replace("{build}", &build))
}

/// The files whose names match the last part of `pattern`, in order.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    let Some((start, end)) = name.split_once('*') else {
        return Ok(pattern
            .exists()
            .then(|| pattern.to_owned())
            .into_iter()
            .collect());
    };
    let folder = pattern.parent().unwrap_or(Path::new("."));
    let failure = || Failure::system(format!("cannot list {}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failure())? {
        let path = entry.map_err(failure())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let programs = programs(None).expect("the list of the project");
        let names: BTreeSet<_> = programs.iter().map(|program| &program.name).collect();
        assert_eq!(names.len(), programs.len());
    }

    #[test]
    fn the_list_of_mini_apps() {
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mini-apps.json");
        let programs = programs(Some(&list)).expect("a list");
        assert!(programs.iter().all(|program| program.folder.is_some()));
    }

    #[test]
    fn files_and_the_folder_that_they_are_in() {
        let text = r#"{
            "name": "a",
            "files": {"a.in": ["1", "2"]},
            "flags": "-I{build} -O",
            "arguments": "{build}/a.in"
        }"#;
        let program: Program = serde_json::from_str(text).expect("a program");
        let build = tempfile::tempdir().expect("a folder");
        program.write_files(build.path()).expect("written");
        let written = std::fs::read_to_string(build.path().join("a.in"));
        assert_eq!(written.expect("the file"), "1\n2\n");
        let shown = build.path().display();
        let flags: Vec<_> = program.flags(build.path()).collect();
        assert_eq!(flags, [format!("-I{shown}"), "-O".into()]);
        let arguments: Vec<_> = program.arguments(build.path()).collect();
        assert_eq!(arguments, [format!("{shown}/a.in")]);
    }

    #[test]
    fn patterns_of_sources() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["b.cpp", "a.cpp", "a.h"] {
            std::fs::write(folder.path().join(file), "").expect("writable");
        }
        let found = |pattern| matching(&folder.path().join(pattern)).expect("listed");
        let paths = |names: &[&str]| -> Vec<_> {
            names.iter().map(|name| folder.path().join(name)).collect()
        };
        assert_eq!(found("*.cpp"), paths(&["a.cpp", "b.cpp"]));
        assert_eq!(found("a.cpp"), paths(&["a.cpp"]));
        assert_eq!(found("c.cpp"), paths(&[]));
    }
}
