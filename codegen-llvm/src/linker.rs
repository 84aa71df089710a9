//! LLVM's linker, `ld.lld`: makes a shared object of an object for an AMD GPU.
//!
//! It is a program: LLVM offers it as a C++ library only, without a stable interface. Whoever compiles for AMD GPUs has
//! it, because clang's own device link runs it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};

/// Where the linker is looked for: by the names of Debian's packages and of LLVM's own in `PATH`, and in the folder of
/// Debian's package.
const CANDIDATES: [&str; 3] = ["ld.lld-22", "/usr/lib/llvm-22/bin/ld.lld", "ld.lld"];

/// Links an object into a shared object, without undefined symbols.
pub fn link(object: &[u8]) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir().context("making a temporary folder")?;
    let (input, output) = (
        folder.path().join("image.o"),
        folder.path().join("image.so"),
    );
    std::fs::write(&input, object).context("writing the object to link")?;
    let mut arguments: Vec<OsString> = ["-shared", "--no-undefined", "-o"].map(Into::into).into();
    arguments.extend([output.clone().into(), input.into()]);
    run(&CANDIDATES, &arguments)?;
    read(&output)
}

/// Runs the first of the programs that exists.
fn run(candidates: &[&str], arguments: &[OsString]) -> Result<()> {
    for program in candidates {
        match Command::new(program).args(arguments).output() {
            Ok(output) => return check(program, &output),
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("starting {program}")),
        }
    }
    bail!(
        "LLVM's linker was not found (looked for {}): code objects for AMD GPUs need it. Install lld 22 (Debian: \
         lld-22)",
        candidates.join(", ")
    )
}

fn check(program: &str, output: &Output) -> Result<()> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{program} ended with {}: {}", output.status, said.trim());
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).context("reading what the linker made")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_exists_links() {
        run(&["/nonexistent/ld.lld", "true", "false"], &[]).unwrap();
    }

    #[test]
    fn a_missing_linker_is_named() {
        let refused = run(&["/nonexistent/ld.lld"], &[]).unwrap_err().to_string();
        for fact in ["/nonexistent/ld.lld", "lld-22"] {
            assert!(refused.contains(fact), "{refused}");
        }
    }

    #[test]
    fn the_linkers_message_arrives() {
        let refused = link(b"no object").unwrap_err().to_string();
        assert!(refused.contains("unknown"), "{refused}");
    }
}
