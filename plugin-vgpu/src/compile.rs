//! From image to compiled code.

use codegen::artifact::Artifact;
use plugin_api::{Error, Image, LoadOptions, Result};

/// Compiles an image.
pub fn compile(_image: &Image<'_>, _options: &LoadOptions) -> Result<Artifact> {
    Err(Error::Load(
        "the compiler is not part of this build yet".to_owned(),
    ))
}
