//! `nvcc -dlink`: an object with the device code of relocatable objects, linked, and the code that registers it. Any
//! linker makes a program of it and those objects.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use omptarget_driver::{Failure, Result};

use super::{clang, nvcc, wait_for};
use crate::{aot, device_object};

/// The option, which `nvcc` takes with one dash and two.
const OPTIONS: [&str; 3] = ["-dlink", "--dlink", "--device-link"];
/// What `nvcc` calls the object if nobody says.
const OUTPUT: &str = "a_dlink.o";

/// The other arguments of a command line that asks for it.
pub fn asked(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let asks = |argument: &&OsString| OPTIONS.iter().any(|option| argument == option);
    arguments.iter().find(asks)?;
    // The object is the same for a library that is shared.
    let is_other = |argument: &&OsString| !asks(argument) && *argument != "-shared";
    Some(arguments.iter().filter(is_other).cloned().collect())
}

/// Makes the object. clang links the device code as for a program; our linker keeps what clang adds for it.
pub fn make(arguments: &[OsString]) -> Result<()> {
    let (mut command, rest) = clang(&nvcc::translate(arguments)?)?;
    command.arg(aot::own_linker()?);
    let option = rest.iter().position(|argument| argument == "-o");
    let output = option.and_then(|at| rest.get(at + 1));
    let is_input = |it: &&OsString| is_object(it) && Some(*it) != output;
    for input in rest.iter().filter(is_input) {
        if !Path::new(input).is_file() {
            let file = input.display().to_string();
            let why = "it does not exist".into();
            return Err(Failure::File { file, why });
        }
        command.args(["-Xlinker".into(), device_object::of(input)]);
    }
    command
        .args(["-Xlinker", device_object::OPTION])
        .args(&rest);
    if option.is_none() {
        command.args(["-o", OUTPUT]);
    }
    wait_for(&mut command)
}

fn is_object(argument: &OsStr) -> bool {
    Path::new(argument).extension() == Some(OsStr::new("o"))
        && !argument.as_encoded_bytes().starts_with(b"-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_that_ask() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(Into::into).collect() };
        let others = asked(&words("-arch=sm_80 -shared -dlink a.o -o b.o"));
        assert_eq!(others, Some(words("-arch=sm_80 a.o -o b.o")));
        assert_eq!(asked(&words("-shared a.o -o b.so")), None);
    }
}
