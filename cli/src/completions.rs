//! `omptarget completions`: what a shell needs to complete the command's words.

use clap::CommandFactory;
use clap_complete::Shell;
use omptarget_driver::Result;

/// Arguments of `omptarget completions`.
#[derive(clap::Args)]
pub struct Options {
    /// The shell
    shell: Shell,
}

/// Prints the shell's script.
pub fn completions(options: &Options) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut crate::Cli::command(),
        "omptarget",
        &mut script,
    );
    anstream::print!("{}", String::from_utf8_lossy(&script));
    Ok(())
}
