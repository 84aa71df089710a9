//! flang, and the commands that run it.

use std::ffi::OsString;
use std::process::Command;

use crate::clang::names_gpu;
use crate::dist;
use crate::failure::Result;
use crate::search::Search;

const FLANG: Search = Search {
    what: "flang",
    variable: "OMPTARGET_FLANG",
    names: &["flang-22", "flang"],
};

/// A command for the right flang, with the configuration file as its first argument. That file is for flang alone, and
/// names a GPU of AMD's, for which flang needs no help. Command lines that name no GPU get NVIDIA's, as with clang.
pub fn for_offload(arguments: &[OsString]) -> Result<Command> {
    let mut config = OsString::from("--config=");
    config.push(dist::file("etc/omptarget-fortran.cfg")?);
    let mut command = Command::new(FLANG.find()?);
    command.arg(config).arg("--no-offload-arch=all");
    if !arguments.iter().any(|argument| names_gpu(argument)) {
        command.arg("--offload-arch=sm_80");
    }
    Ok(command)
}
