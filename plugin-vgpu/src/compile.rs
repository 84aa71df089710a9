//! Compiles images.

use std::borrow::Cow;

use codegen::{CompileError, Compiler, KernelCompiler, PtxOptions, VgpuOptions};
use device_image::{Image, ImageKind};
use plugin_api::{Error, LoadOptions, Result};
use vgpu_abi::artifact::Artifact;

use crate::config::Config;
use crate::{fat_ptx, window};

/// The architecture of PTX that is made of an image which names none.
const USUAL: &str = "sm_80";

/// Compiles an image for a device with this configuration, or takes the result from the cache. Kernels of a large image
/// may be left to the compiler that is returned.
pub fn compile(
    image: &Image<'_>,
    options: &LoadOptions,
    config: &Config,
) -> Result<(Artifact, Option<KernelCompiler>)> {
    with_compiler(image, options, config, Compiler::vgpu_by_group)
}

/// Compiles all of an image, or finds that it is in the cache.
pub fn compile_whole(
    image: &Image<'_>,
    options: &LoadOptions,
    config: &Config,
) -> Result<Artifact> {
    with_compiler(image, options, config, Compiler::vgpu)
}

/// Has the compiler do what is wanted with an image that it can read.
fn with_compiler<T>(
    image: &Image<'_>,
    options: &LoadOptions,
    config: &Config,
    wanted: impl Fn(&Compiler, &[u8], &VgpuOptions) -> std::result::Result<T, CompileError>,
) -> Result<T> {
    let vgpu = VgpuOptions {
        // With unified shared memory, device code may use every address of the process.
        window_check: !options.unified_shared_memory,
        window: window::index()?,
        count: config.count,
        checks: config.compiled_checks(),
        cpu: config.cpu,
        // Instructions are counted per thread, so code in warp form cannot count them.
        warp_forms: config.engine.wants_warp_forms() && !config.count,
        ..VgpuOptions::default()
    };
    let bytes = match image.kind {
        ImageKind::Fatbinary => fat_ptx::of(image)?,
        _ => Cow::Borrowed(image.bytes),
    };
    let compiled = Compiler::locate().and_then(|compiler| {
        let through_ptx = config.through_ptx
            && image.kind == ImageKind::Bitcode
            && !image.triple.starts_with("amdgcn");
        match through_ptx {
            true => {
                let ptx = compiler.ptx(&bytes, &as_for_a_gpu(image))?;
                wanted(&compiler, ptx.as_bytes(), &vgpu)
            }
            false => wanted(&compiler, &bytes, &vgpu),
        }
    });
    compiled.map_err(error)
}

/// The device's error for the compiler's.
pub fn error(error: CompileError) -> Error {
    match error {
        CompileError::System { what, source } => Error::System { what, source },
        other => Error::Load(other.to_string()),
    }
}

/// How `plugin-cuda` has PTX made.
fn as_for_a_gpu(image: &Image<'_>) -> PtxOptions {
    let arch = if image.arch.is_empty() {
        USUAL
    } else {
        image.arch
    };
    PtxOptions {
        arch: arch.to_owned(),
        level: 2,
    }
}
