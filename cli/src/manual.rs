//! `omptarget manual`: the pages for `man`, one for the command and one for each subcommand.

use std::path::PathBuf;

use clap::CommandFactory;
use omptarget_driver::{Failure, Result};

/// Arguments of `omptarget manual`.
#[derive(clap::Args)]
pub struct Options {
    /// The folder for the pages, which is made if it is missing
    folder: PathBuf,
}

/// Writes the pages.
pub fn manual(options: &Options) -> Result<()> {
    let folder = &options.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(crate::Cli::command(), folder))
        .map_err(|source| Failure::System {
            what: format!("cannot write manual pages to {}", folder.display()),
            source,
        })
}
