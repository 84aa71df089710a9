//! Compiles images.

use codegen::{CompileError, Compiler, VgpuOptions};
use device_image::Image;
use plugin_api::{Error, LoadOptions, Result};
use vgpu_abi::artifact::Artifact;

use crate::config::Config;
use crate::window;

/// Compiles an image for a device with this configuration, or takes the result from the cache.
pub fn compile(image: &Image<'_>, options: &LoadOptions, config: &Config) -> Result<Artifact> {
    let options = VgpuOptions {
        // With unified shared memory, device code may use every address of the process.
        window_check: !options.unified_shared_memory,
        window: window::index()?,
        count: config.count,
        cpu: config.cpu,
        // Instructions are counted per thread, so code in warp form cannot count them.
        warp_forms: config.engine.wants_warp_forms() && !config.count,
        ..VgpuOptions::default()
    };
    let compiled = Compiler::locate().and_then(|compiler| compiler.vgpu(image.bytes, &options));
    compiled.map_err(|error| match error {
        CompileError::System { what, source } => Error::System { what, source },
        other => Error::Load(other.to_string()),
    })
}
