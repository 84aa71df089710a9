//! The bitcode of a code object.

use std::path::{Path, PathBuf};
use std::process::Command;

use fake_driver::images::Images;

use crate::call::settings;
use crate::code_object::CodeObject;

/// Finds the bitcode that a code object was made of, and links the services to it.
pub fn of(code: &CodeObject, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let settings = settings().map_err(|_| "the settings are invalid")?;
    let folder = settings.bitcode.as_deref();
    let images = Images::read(folder.ok_or("FAKE_HSA_BITCODE is not set")?)?;
    let image = match &code.image {
        Some(hash) => images.with_hash(hash)?,
        None => images.only_bitcode_beside(bytes)?,
    };
    match &settings.services {
        Some(archive) => link(&image, archive),
        None => Ok(image),
    }
}

/// Links what an image needs of the services to it, as the link of its code object did.
fn link(image: &[u8], archive: &Path) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("image.bc"), image).map_err(|error| error.to_string())?;
    let llvm = std::env::var_os("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let linker = PathBuf::from(llvm).join("bin/llvm-link");
    let output = Command::new(&linker)
        .arg("--only-needed")
        .args([&at("image.bc"), archive])
        .arg("-o")
        .arg(at("linked.bc"))
        .output()
        .map_err(|error| format!("{}: {error}", linker.display()))?;
    match output.status.success() {
        true => std::fs::read(at("linked.bc")).map_err(|error| error.to_string()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
