//! C files on a command line of `nvcc`. It compiles them with the host's C compiler, and `-std=c++17` is for the
//! others; clang refuses a C++ standard for C.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use tempfile::TempDir;

use omptarget_driver::{Failure, Result};

/// Whether an argument names a C file.
fn is_c(argument: &OsStr) -> bool {
    !argument.to_string_lossy().starts_with('-')
        && Path::new(argument).extension() == Some(OsStr::new("c"))
}

/// Whether an argument chooses a standard of C++.
fn is_standard(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    text.starts_with("-std=c++") || text.starts_with("-std=gnu++")
}

/// Other files that clang compiles.
fn is_other_source(argument: &OsStr) -> bool {
    let extension = Path::new(argument).extension().and_then(OsStr::to_str);
    let known = ["cu", "cpp", "cc", "cxx", "C"];
    !argument.to_string_lossy().starts_with('-')
        && extension.is_some_and(|name| known.contains(&name))
}

/// What is left for the last command, and what goes before it.
pub struct Split {
    /// Compilations of C files.
    pub before: Vec<Vec<OsString>>,
    /// The command with their objects in place of the files.
    pub rest: Vec<OsString>,
    /// Holds the objects of a command that links.
    pub objects: Option<TempDir>,
}

/// Splits a command line, if a C++ standard meets C files. `links`: it makes a program, not objects.
pub fn split(arguments: Vec<OsString>, links: bool) -> Result<Split> {
    let names_language = arguments.iter().any(|argument| argument == "-x");
    let mixed = arguments.iter().any(|argument| is_other_source(argument));
    let both = arguments.iter().any(|argument| is_c(argument))
        && arguments.iter().any(|argument| is_standard(argument));
    let mut split = Split {
        before: Vec::new(),
        rest: arguments,
        objects: None,
    };
    if !both || names_language {
        return Ok(split);
    }
    if !mixed {
        split.rest.retain(|argument| !is_standard(argument));
        return Ok(split);
    }
    let compilation = for_c(&split.rest);
    let folder = match links {
        true => {
            Some(tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?)
        }
        false => None,
    };
    let sources: Vec<usize> = (0..split.rest.len())
        .filter(|index| is_c(&split.rest[*index]))
        .collect();
    for index in sources.into_iter().rev() {
        let mut command = compilation.clone();
        command.push(split.rest[index].clone());
        match &folder {
            Some(folder) => {
                let object = folder.path().join(format!("{index}.o"));
                command.extend(["-c".into(), "-o".into(), object.clone().into()]);
                split.rest[index] = object.into();
            }
            None => drop(split.rest.remove(index)),
        }
        split.before.push(command);
    }
    split.objects = folder;
    Ok(split)
}

/// The options that a C file is compiled with: no other file, no output, nothing for the linker.
fn for_c(arguments: &[OsString]) -> Vec<OsString> {
    let mut kept = vec![OsString::from("-Wno-unused-command-line-argument")];
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        match &*text {
            "-o" => drop(rest.next()),
            "-I" | "-D" | "-U" | "-include" | "-isystem" | "-Xarch_host" => {
                kept.push(argument.clone());
                kept.extend(rest.next().cloned());
            }
            _ if text.starts_with('-') && !is_standard(argument) => kept.push(argument.clone()),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn c_alone_loses_the_standard() {
        let made = split(words("-std=c++17 -O2 -c a.c"), false).expect("no folder is needed");
        assert!(made.before.is_empty());
        assert_eq!(made.rest, words("-O2 -c a.c"));
    }

    #[test]
    fn c_beside_others_is_compiled_before() {
        let made = split(words("-std=c++17 -I d a.c b.cu -lm -o p"), true).expect("a folder");
        assert_eq!(made.before.len(), 1);
        let command = &made.before[0];
        assert_eq!(
            command[..5],
            words("-Wno-unused-command-line-argument -I d -lm a.c")
        );
        assert_eq!(made.rest[3], *command.last().expect("an output"));
        assert_eq!(made.rest[4..], words("b.cu -lm -o p"));
    }

    #[test]
    fn other_command_lines_stay() {
        for line in [
            "-std=c99 a.c b.cu",
            "-std=c++17 b.cu",
            "-std=c++17 -x cuda a.c",
        ] {
            let made = split(words(line), true).expect("no folder is needed");
            assert!(made.before.is_empty() && made.rest == words(line));
        }
    }
}
