//! clang, and the commands that run it.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::dist;
use crate::failure::Result;
use crate::search::Search;

const CLANG: Search = Search {
    what: "clang",
    variable: "OMPTARGET_CLANG",
    names: &["clang-22", "clang"],
};

/// A command for the right clang, with the configuration file as its first argument. The GPU that the file names is
/// only for command lines that name none.
pub fn for_offload(arguments: &[OsString]) -> Result<Command> {
    with_configuration("etc/omptarget.cfg", arguments)
}

/// The same for CUDA programs, which have several configuration files.
pub fn for_cuda(configuration: &str, arguments: &[OsString]) -> Result<Command> {
    with_configuration(configuration, arguments)
}

/// The same for HIP programs.
pub fn for_hip(arguments: &[OsString]) -> Result<Command> {
    with_configuration("etc/omptarget-hip.cfg", arguments)
}

fn with_configuration(file: &str, arguments: &[OsString]) -> Result<Command> {
    let mut config = OsString::from("--config=");
    config.push(dist::file(file)?);
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
    CLANG.find()
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
}
