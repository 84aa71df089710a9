//! `--aot=sm_80,sm_90` of `omptarget cc`: machine code made ahead of time. Clang links through our linker
//! ([`crate::linker`]), which makes the machine code.

use std::ffi::OsString;
use std::process::Command;

use omptarget_driver::{Failure, Result, dist};

/// The option.
const OPTION: &str = "--aot=";
/// The options that our linker gets: one for each architecture, and one for the linker that it calls.
pub const ARCHITECTURE: &str = "--omptarget-aot=";
/// See [`ARCHITECTURE`].
pub const LINKER: &str = "--omptarget-linker=";
/// The name under which this program is our linker.
pub const PROGRAM: &str = "omptarget-ld";

/// The architectures that `arguments` ask for, and the other arguments.
pub fn split(arguments: &[OsString]) -> Result<(Vec<String>, Vec<OsString>)> {
    let mut architectures: Vec<String> = Vec::new();
    let mut others = Vec::new();
    for argument in arguments {
        let text = argument.to_string_lossy();
        if text == "--aot" {
            return Err(Failure::Usage(
                "--aot needs architectures: --aot=sm_80,sm_90".into(),
            ));
        }
        let Some(list) = text.strip_prefix(OPTION) else {
            others.push(argument.clone());
            continue;
        };
        for name in list.split(',') {
            if !is_architecture(name) {
                return Err(Failure::Usage(format!(
                    "{argument}: {name:?} is not an architecture of NVIDIA's such as sm_80",
                    argument = argument.display()
                )));
            }
            if !architectures.iter().any(|known| known == name) {
                architectures.push(name.to_owned());
            }
        }
    }
    Ok((architectures, others))
}

/// `sm_80`, `sm_90a`.
fn is_architecture(name: &str) -> bool {
    let digits = name
        .strip_prefix("sm_")
        .map(|rest| rest.trim_end_matches(['a', 'f']));
    digits.is_some_and(|digits| {
        (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Makes `clang` link through our linker. `arguments` may name the linker that ours is to call.
pub fn request(
    clang: &mut Command,
    architectures: &[String],
    arguments: &[OsString],
) -> Result<()> {
    let mut path = OsString::from("--ld-path=");
    path.push(dist::file(&format!("libexec/{PROGRAM}"))?);
    // Nothing is linked with -c and the like.
    clang.arg("--start-no-unused-arguments").arg(path);
    for name in architectures {
        clang.arg(format!("-Wl,{ARCHITECTURE}{name}"));
    }
    if let Some(linker) = linker(arguments) {
        let mut told = OsString::from(format!("-Wl,{LINKER}"));
        told.push(linker);
        clang.arg(told);
    }
    clang.arg("--end-no-unused-arguments");
    Ok(())
}

/// The linker that the arguments ask for: `--ld-path=FILE`, `-fuse-ld=NAME` (`ld.NAME`) or `-fuse-ld=FILE`.
fn linker(arguments: &[OsString]) -> Option<OsString> {
    arguments.iter().rev().find_map(|argument| {
        let text = argument.to_str()?;
        if let Some(path) = text.strip_prefix("--ld-path=") {
            return Some(path.into());
        }
        let name = text.strip_prefix("-fuse-ld=")?;
        Some(match (name.contains('/'), name) {
            (true, file) => file.into(),
            (false, "ld" | "") => "ld".into(),
            (false, name) => format!("ld.{name}").into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn architectures_are_taken_out() {
        let (architectures, others) =
            split(&owned(&["-O2", "--aot=sm_80,sm_90a", "a.c", "--aot=sm_80"])).unwrap();
        assert_eq!(architectures, ["sm_80", "sm_90a"]);
        assert_eq!(others, owned(&["-O2", "a.c"]));
    }

    #[test]
    fn what_is_no_architecture_is_refused() {
        for wrong in [
            "--aot=",
            "--aot=gfx90a",
            "--aot=sm_80,",
            "--aot=sm_8",
            "--aot=90",
            "--aot",
        ] {
            let refused = split(&owned(&[wrong])).unwrap_err().to_string();
            assert!(refused.contains("sm_80"), "{wrong}: {refused}");
        }
    }

    #[test]
    fn the_users_linker_is_known() {
        let of = |words: &[&str]| linker(&owned(words));
        assert_eq!(of(&["-O2"]), None);
        assert_eq!(of(&["-fuse-ld=lld"]), Some("ld.lld".into()));
        assert_eq!(
            of(&["-fuse-ld=bfd", "--ld-path=/x/ld"]),
            Some("/x/ld".into())
        );
        assert_eq!(of(&["-fuse-ld=/y/mold"]), Some("/y/mold".into()));
    }
}
