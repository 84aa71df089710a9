//! The linker of `nvcc -dlink`: of what clang gives a linker it takes the objects that clang has added, with the linked
//! device code and what registers it, and makes one of them. The program's own objects are linked by somebody else.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use omptarget_driver::{Failure, Result, clang};

use crate::containers::LANGUAGES;
use crate::linker;

/// The option that asks for it.
pub const OPTION: &str = "--omptarget-device-object";
/// Each object of the program's.
const OF: &str = "--omptarget-of=";

/// The option that says that an object is the program's.
pub fn of(object: &OsStr) -> OsString {
    let mut option = OsString::from(OF);
    option.push(object);
    option
}

/// Whether a linker's arguments ask for it.
pub fn is_asked(words: &[OsString]) -> bool {
    words.iter().any(|word| word == OPTION)
}

/// Makes the object.
pub fn link(words: &[OsString]) -> Result<ExitCode> {
    let (made, output) = chosen(words)?;
    let mut command = match made.is_empty() {
        false => Command::new(linker::program("ld".as_ref())?),
        // No object has device code that waits for a link.
        true => clang::plain()?,
    };
    match made.is_empty() {
        false => command.arg("-r").args(made),
        true => command.args(["-x", "c", "-c", "/dev/null"]),
    };
    linker::wait_for(command.arg("-o").arg(output))
}

/// The objects that clang has added, and the output's name.
fn chosen(words: &[OsString]) -> Result<(Vec<PathBuf>, OsString)> {
    let is_own = |word: &OsString| words.contains(&of(word));
    let mut made = Vec::new();
    for word in words.iter().filter(|word| !is_own(word)) {
        let path = Path::new(word);
        if path.extension() == Some(OsStr::new("o")) && path.is_file() && registers(path)? {
            made.push(path.to_owned());
        }
    }
    let output = words.iter().position(|word| word == "-o");
    let output = output.and_then(|at| words.get(at + 1));
    let missing = || Failure::Usage(format!("{OPTION} without -o FILE"));
    Ok((made, output.ok_or_else(missing)?.clone()))
}

/// Whether an object registers device code.
fn registers(path: &Path) -> Result<bool> {
    let cannot = format!("cannot read {}", path.display());
    let data = std::fs::read(path).map_err(Failure::system(cannot))?;
    let Ok(file) = object::File::parse(&*data) else {
        return Ok(false);
    };
    let has = |section: &str| linker::loaded(&file, section).is_some();
    Ok(LANGUAGES.iter().any(|language| has(language.section)))
}
