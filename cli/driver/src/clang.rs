//! The search for clang, and the commands that run it.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::dist;
use crate::failure::{Failure, Result};

/// The oldest clang whose device code fits the device runtime.
pub const VERSION: u32 = 22;

/// A command for the right clang, with the configuration file as its first argument. The GPU that the file names is
/// only for command lines that name none.
pub fn for_offload(arguments: &[OsString]) -> Result<Command> {
    let mut config = OsString::from("--config=");
    config.push(dist::file("etc/omptarget.cfg")?);
    let mut command = Command::new(find()?);
    command.arg(config);
    if arguments.iter().any(|argument| names_gpu(argument)) {
        command.arg("--no-offload-arch=all");
    }
    Ok(command)
}

/// A command for the right clang, without configuration.
pub fn plain() -> Result<Command> {
    find().map(Command::new)
}

/// Whether an argument of clang names a GPU to compile for.
pub fn names_gpu(argument: &OsStr) -> bool {
    let option = argument.to_string_lossy();
    option == "--offload-arch" || option.starts_with("--offload-arch=")
}

/// The clang to use.
pub fn find() -> Result<OsString> {
    let candidates = match std::env::var_os("OMPTARGET_CLANG") {
        Some(clang) if !clang.is_empty() => vec![clang],
        _ => vec!["clang-22".into(), "clang".into()],
    };
    let mut missing = None;
    for candidate in &candidates {
        match Command::new(candidate).arg("--version").output() {
            Ok(output) => {
                return check_version(candidate, &String::from_utf8_lossy(&output.stdout));
            }
            Err(error) => missing = Some(error),
        }
    }
    let tried = candidates
        .iter()
        .map(|name| name.display().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    Err(Failure::NoClang {
        tried,
        source: missing.expect("there is a candidate, and it did not run"),
    })
}

fn check_version(clang: &OsStr, says: &str) -> Result<OsString> {
    match major_version(says) {
        Some(major) if major >= VERSION => Ok(clang.to_owned()),
        Some(major) => Err(Failure::OldClang {
            clang: clang.display().to_string(),
            version: major.to_string(),
        }),
        None => Err(Failure::OldClang {
            clang: clang.display().to_string(),
            version: format!(
                "unknown (it says {:?})",
                says.lines().next().unwrap_or_default()
            ),
        }),
    }
}

/// The major version in what `clang --version` prints: `Debian clang version 22.1.8 (…)`.
fn major_version(says: &str) -> Option<u32> {
    let (_, rest) = says.split_once("clang version ")?;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_named() {
        for (argument, names) in [
            ("--offload-arch=gfx90a", true),
            ("--offload-arch", true),
            ("--no-offload-arch=all", false),
            ("offload-arch.c", false),
        ] {
            assert_eq!(names_gpu(OsStr::new(argument)), names, "{argument}");
        }
    }

    #[test]
    fn versions() {
        assert_eq!(
            major_version("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x86_64"),
            Some(22)
        );
        assert_eq!(major_version("clang version 9.0.1"), Some(9));
        assert_eq!(major_version("gcc (Debian 12.2.0-14) 12.2.0"), None);
        assert_eq!(major_version(""), None);
    }

    #[test]
    fn old_or_foreign_compilers_are_refused() {
        let name = OsStr::new("some-clang");
        assert!(check_version(name, "clang version 22.1.0").is_ok());
        assert!(check_version(name, "clang version 23.0.0git").is_ok());
        let old = check_version(name, "clang version 19.1.7")
            .expect_err("too old")
            .to_string();
        assert!(
            old.contains("some-clang") && old.contains("19") && old.contains("OMPTARGET_CLANG"),
            "{old}"
        );
        let foreign = check_version(name, "gcc 12\nCopyright")
            .expect_err("no clang")
            .to_string();
        assert!(foreign.contains("gcc 12"), "{foreign}");
    }
}
