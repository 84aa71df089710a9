//! The files of the built tree, relative to this command.

use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// The path of a file in the built tree, which must be there.
pub fn file(name: &str) -> Result<PathBuf> {
    let command =
        std::env::current_exe().map_err(Failure::system("cannot find this command's own file"))?;
    let root = command
        .parent()
        .and_then(Path::parent)
        .unwrap_or(Path::new("/"));
    let path = root.join(name);
    if path.exists() {
        Ok(path)
    } else {
        Err(Failure::NotInDist(path))
    }
}
