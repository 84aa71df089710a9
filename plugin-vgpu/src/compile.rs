//! From image to compiled code.

use codegen::artifact::Artifact;
use codegen::{CompileError, Compiler, VgpuOptions};
use plugin_api::{Error, Image, LoadOptions, Result};

/// Compiles an image, or takes what was compiled earlier from the cache.
///
/// `count`: the code counts the instructions it executes.
pub fn compile(image: &Image<'_>, options: &LoadOptions, count: bool) -> Result<Artifact> {
    let options = VgpuOptions {
        // With unified shared memory every address of the process is the device's too.
        window_check: !options.unified_shared_memory,
        count,
        ..VgpuOptions::default()
    };
    let compiled = Compiler::locate().and_then(|compiler| compiler.vgpu(image.bytes, &options));
    compiled.map_err(|error| match error {
        CompileError::System { what, source } => Error::System { what, source },
        other => Error::Load(other.to_string()),
    })
}
