//! The search for a compiler: one that the user names, else the usual names on the path.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::failure::{Failure, Result};

/// The oldest clang, and flang, whose device code fits the device runtime.
pub const VERSION: u32 = 22;

/// What is searched.
pub(crate) struct Search {
    /// The compiler, as its version text and Debian's package call it.
    pub what: &'static str,
    /// The variable that names one.
    pub variable: &'static str,
    /// The usual names, in order.
    pub names: &'static [&'static str],
}

impl Search {
    /// The first that there is, if it is new enough.
    pub fn find(&self) -> Result<OsString> {
        let candidates = match std::env::var_os(self.variable) {
            Some(named) if !named.is_empty() => vec![named],
            _ => self.names.iter().map(OsString::from).collect(),
        };
        let mut missing = None;
        for candidate in &candidates {
            match Command::new(candidate).arg("--version").output() {
                Ok(output) => {
                    return self.check(candidate, &String::from_utf8_lossy(&output.stdout));
                }
                Err(error) => missing = Some(error),
            }
        }
        let tried = candidates
            .iter()
            .map(|name| name.display().to_string())
            .collect::<Vec<_>>()
            .join(", ");
        Err(Failure::NoCompiler {
            what: self.what,
            variable: self.variable,
            tried,
            source: missing.expect("there is a candidate, and it did not run"),
        })
    }

    fn check(&self, program: &OsStr, says: &str) -> Result<OsString> {
        let version = match self.major_version(says) {
            Some(major) if major >= VERSION => return Ok(program.to_owned()),
            Some(major) => major.to_string(),
            None => format!(
                "unknown (it says {:?})",
                says.lines().next().unwrap_or_default()
            ),
        };
        Err(Failure::OldCompiler {
            what: self.what,
            variable: self.variable,
            program: program.display().to_string(),
            version,
        })
    }

    /// The major version in what `--version` prints: `Debian clang version 22.1.8 (…)`.
    fn major_version(&self, says: &str) -> Option<u32> {
        let (_, rest) = says.split_once(&format!("{} version ", self.what))?;
        rest.split(|c: char| !c.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLANG: Search = Search {
        what: "clang",
        variable: "OMPTARGET_CLANG",
        names: &[],
    };

    #[test]
    fn versions() {
        let debian = "Debian clang version 22.1.8 (1~deb12u1)\nTarget: x86_64";
        assert_eq!(CLANG.major_version(debian), Some(22));
        assert_eq!(CLANG.major_version("clang version 9.0.1"), Some(9));
        assert_eq!(CLANG.major_version("gcc (Debian 12.2.0-14) 12.2.0"), None);
        assert_eq!(CLANG.major_version("Fortran version 22.1.8"), None);
        assert_eq!(CLANG.major_version(""), None);
    }

    #[test]
    fn old_or_foreign_compilers_are_refused() {
        let name = OsStr::new("some-clang");
        assert!(CLANG.check(name, "clang version 22.1.0").is_ok());
        assert!(CLANG.check(name, "clang version 23.0.0git").is_ok());
        let old = CLANG
            .check(name, "clang version 19.1.7")
            .expect_err("too old")
            .to_string();
        assert!(
            old.contains("some-clang") && old.contains("19") && old.contains("OMPTARGET_CLANG"),
            "{old}"
        );
        let foreign = CLANG
            .check(name, "gcc 12\nCopyright")
            .expect_err("no clang")
            .to_string();
        assert!(foreign.contains("gcc 12"), "{foreign}");
    }
}
