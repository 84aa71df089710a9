//! The folder with the bitcode that modules were compiled from. Machine code and PTX cannot run here; their bitcode
//! can.

use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};

/// The files of a folder.
pub struct Images {
    folder: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Images {
    /// Reads them.
    pub fn read(folder: &Path) -> Result<Images, String> {
        let files = read_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Images {
            folder: folder.to_owned(),
            files,
        })
    }

    /// The file with this SHA-256, in hexadecimal.
    pub fn with_hash(self, wanted: &str) -> Result<Vec<u8>, String> {
        let hash = |content: &[u8]| hex::encode(Sha256::digest(content));
        let mut files = self.files.into_iter();
        let found = files.find(|(_, content)| hash(content) == wanted);
        let folder = self.folder.display();
        found
            .map(|(_, content)| content)
            .ok_or_else(|| format!("{folder} has no file with SHA-256 {wanted}"))
    }

    /// The only bitcode file, for code that does not name its own. The folder must contain that very code, too.
    pub fn only_bitcode_beside(self, code: &[u8]) -> Result<Vec<u8>, String> {
        let folder = self.folder.display();
        if !self.files.iter().any(|(_, content)| content == code) {
            return Err(format!("{folder} does not have this code"));
        }
        let is_bitcode = |path: &Path| path.extension().is_some_and(|extension| extension == "bc");
        let mut sources = self.files.into_iter().filter(|(path, _)| is_bitcode(path));
        match (sources.next(), sources.next()) {
            (Some((_, content)), None) => Ok(content),
            _ => Err(format!(
                "{folder} has not one file of bitcode for this code"
            )),
        }
    }
}

fn read_all(folder: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    fs::read_dir(folder)?
        .map(|entry| {
            let path = entry?.path();
            let content = fs::read(&path)?;
            Ok((path, content))
        })
        .collect()
}
