//! Objects of `nvcc -c`. Unless it is told to leave device code relocatable, they have it complete, with the code that
//! registers it, so that any linker makes a program of them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use omptarget_driver::{Failure, Result};

/// Options that leave device code to a later link by `nvcc`.
const RELOCATABLE: [&str; 6] = [
    "-dc",
    "--device-c",
    "-rdc=true",
    "--relocatable-device-code=true",
    "-dlink",
    // A reference is found among the entries of a program that clang links (texture_references_omptarget.h).
    "-DOMPTARGET_TEXTURE_REFERENCES",
];

/// The objects that a command line of `nvcc` makes and whose device code is to be complete.
pub fn objects(arguments: &[OsString]) -> Vec<PathBuf> {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let follows = |option: &str, value: &str| {
        let mut pairs = arguments.windows(2);
        pairs.any(|pair| pair[0] == option && pair[1] == value)
    };
    let is_kept = RELOCATABLE.iter().any(|option| has(option)) || follows("-rdc", "true");
    if is_kept || !(has("-c") || has("--compile")) {
        return Vec::new();
    }
    let is_cuda = follows("-x", "cu") || follows("-x", "cuda");
    let is_source = |argument: &&OsString| {
        let extension = Path::new(argument).extension();
        let cuda = extension == Some(OsStr::new("cu"));
        (cuda || is_cuda && extension.is_some()) && !argument.to_string_lossy().starts_with('-')
    };
    let sources: Vec<_> = arguments.iter().filter(is_source).collect();
    let output = arguments.iter().position(|argument| argument == "-o");
    match (
        output.and_then(|at| arguments.get(at + 1)),
        sources.as_slice(),
    ) {
        (Some(output), [_, ..]) => vec![output.into()],
        _ => sources.iter().filter_map(|source| beside(source)).collect(),
    }
}

/// The object of a source, in the current folder.
fn beside(source: &OsStr) -> Option<PathBuf> {
    let name = Path::new(source).file_name()?;
    Some(Path::new(name).with_extension("o"))
}

/// Completes an object. `link` runs clang with arguments.
pub fn complete(object: &Path, link: impl FnOnce(&[OsString]) -> Result<()>) -> Result<()> {
    let mut name = object.as_os_str().to_owned();
    name.push(".complete");
    let made = PathBuf::from(name);
    let done = link(&["-r".into(), object.into(), "-o".into(), made.clone().into()]);
    if done.is_err() {
        // An object without registration would fail when it runs.
        let _ = std::fs::remove_file(object);
        return done;
    }
    let cannot = format!("cannot replace {}", object.display());
    std::fs::rename(&made, object).map_err(Failure::system(cannot))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<PathBuf> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        objects(&words)
    }

    #[test]
    fn objects_of_command_lines() {
        let names = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(of("-c d/a.cu -o b.o"), names(&["b.o"]));
        assert_eq!(of("-c d/a.cu e.cpp f.cu"), names(&["a.o", "f.o"]));
        assert_eq!(of("-c -x cu a.cpp"), names(&["a.o"]));
        for none in [
            "-dc a.cu",
            "-c -rdc=true a.cu",
            "-c -rdc true a.cu",
            "-c a.cpp",
            "a.cu -o p",
        ] {
            assert_eq!(of(none), names(&[]), "{none}");
        }
    }
}
