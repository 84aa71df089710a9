//! The object format of the loader, and its errors.

use object::LittleEndian;
use object::elf::FileHeader64;
use object::read::elf::ElfFile;
use plugin_api::Error;

/// An object as the loader reads it.
pub type Elf<'data> = ElfFile<'data, FileHeader64<LittleEndian>>;

/// Why an object cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It contradicts the ELF format.
    #[error("compiled code is malformed: {0}")]
    Malformed(String),
    /// It needs something that the loader does not have.
    #[error("{0}")]
    Unsupported(String),
    /// The window is full.
    #[error(transparent)]
    Device(#[from] Error),
}

impl From<object::Error> for LoadError {
    fn from(error: object::Error) -> LoadError {
        LoadError::Malformed(error.to_string())
    }
}
