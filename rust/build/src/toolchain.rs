//! The Rust that compiles kernels.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, Result};

/// The LLVM of omptarget's compiler. It reads bitcode of no newer one.
const NEWEST_LLVM: u32 = 22;

/// The first release whose functions for GPUs are convergent: an older one lets LLVM move barriers. 1.N.
const OLDEST_RUST: u32 = 96;

/// Where Debian's packages put Rust.
const DEBIANS: (&str, &str) = ("/usr/bin/rustc", "/usr/bin/cargo");

/// A Rust for device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// Its compiler.
    pub rustc: PathBuf,
    /// Its cargo.
    pub cargo: PathBuf,
}

impl Toolchain {
    /// The first Rust that serves: see the crate's description.
    pub fn find() -> Result<Toolchain> {
        let variable = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
        let named = [
            variable("OMPTARGET_DEVICE_RUSTC"),
            variable("OMPTARGET_DEVICE_CARGO"),
        ];
        // Whoever names one does not want another.
        let candidates = match named {
            [None, None] => vec![
                toolchain(
                    variable("RUSTC").unwrap_or("rustc".into()),
                    variable("CARGO").unwrap_or("cargo".into()),
                ),
                toolchain(DEBIANS.0.into(), DEBIANS.1.into()),
            ],
            [rustc, cargo] => vec![toolchain(
                rustc.unwrap_or(DEBIANS.0.into()),
                cargo.unwrap_or(DEBIANS.1.into()),
            )],
        };
        Toolchain::first_of(candidates)
    }

    /// The first of `candidates` that serves.
    pub fn first_of(candidates: Vec<Toolchain>) -> Result<Toolchain> {
        let mut reasons = Vec::new();
        for candidate in candidates {
            match candidate.unfit() {
                None => return Ok(candidate),
                Some(why) => reasons.push(format!("  {}: {why}", candidate.rustc.display())),
            }
        }
        Err(Error::NoToolchain(reasons))
    }

    /// Why it cannot compile kernels; `None` if it can.
    fn unfit(&self) -> Option<String> {
        let version = match output(&self.rustc, "-vV") {
            Ok(version) => version,
            Err(why) => return Some(why),
        };
        if let Err(why) = output(&self.cargo, "--version") {
            return Some(format!("its cargo, {}: {why}", self.cargo.display()));
        }
        if let Some(why) = unfit_version(&version) {
            return Some(why);
        }
        let root = match output(&self.rustc, "--print=sysroot") {
            Ok(root) => root,
            Err(why) => return Some(why),
        };
        let sources = Path::new(root.trim()).join("lib/rustlib/src/rust/library/core/Cargo.toml");
        (!sources.is_file())
            .then(|| format!("the sources of `core` are not at {}", sources.display()))
    }
}

fn toolchain(rustc: OsString, cargo: OsString) -> Toolchain {
    Toolchain {
        rustc: rustc.into(),
        cargo: cargo.into(),
    }
}

/// What a program prints.
fn output(program: &Path, argument: &str) -> std::result::Result<String, String> {
    let output = Command::new(program)
        .arg(OsStr::new(argument))
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("`{argument}` gives {}", output.status)),
    }
}

/// Why a Rust with this answer to `-vV` cannot compile kernels.
fn unfit_version(version: &str) -> Option<String> {
    let field = |name: &str| {
        let mut lines = version.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    let release = field("release")?;
    let minor = release.strip_prefix("1.")?.split('.').next()?.parse();
    if minor.is_ok_and(|minor: u32| minor < OLDEST_RUST) {
        return Some(format!(
            "it is Rust {release}; kernels need 1.{OLDEST_RUST} or newer"
        ));
    }
    let llvm = field("LLVM version")?;
    let major = llvm.split('.').next()?.parse();
    major.is_ok_and(|major: u32| major > NEWEST_LLVM).then(|| {
        format!("it is built on LLVM {llvm}, and omptarget's compiler reads bitcode of LLVM {NEWEST_LLVM} or older")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(release: &str, llvm: &str) -> Option<String> {
        unfit_version(&format!(
            "rustc {release}\nrelease: {release}\nLLVM version: {llvm}\n"
        ))
    }

    #[test]
    fn versions() {
        assert_eq!(version("1.96.0", "22.1.8"), None);
        assert_eq!(version("1.97.0-nightly", "22.1.4"), None);
        assert!(
            version("1.95.0", "22.1.2")
                .unwrap()
                .contains("need 1.96 or newer")
        );
        assert!(
            version("1.99.0", "23.1.0")
                .unwrap()
                .contains("LLVM 22 or older")
        );
    }

    #[test]
    fn each_unfit_one_is_named() {
        let missing = toolchain("no/such/rustc".into(), "no/such/cargo".into());
        let error = Toolchain::first_of(vec![missing]).unwrap_err().to_string();
        for part in [
            "no/such/rustc",
            "rust-src",
            "rust-web-src",
            "OMPTARGET_DEVICE_RUSTC",
        ] {
            assert!(error.contains(part), "{error}");
        }
    }
}
