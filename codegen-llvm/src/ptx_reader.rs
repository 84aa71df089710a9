//! Reads an image that is bitcode or PTX text.

use anyhow::{Context as _, Result};
use ptx::MODULE_METADATA;

use crate::ir::{Context, Module};

/// The module of an image. PTX is translated (crate `ptx`).
pub fn read(context: Context, image: &[u8]) -> Result<Module> {
    // A driver takes text that ends with zeros.
    let end = image
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    match std::str::from_utf8(&image[..end]) {
        Ok(text) if ptx::is_ptx(text) => {
            let translated = ptx::translate(text)?;
            let module = Module::parse(context, &translated, "internal error: what PTX became");
            let module = module?;
            module
                .verify("as PTX was translated")
                .context("internal error")?;
            Ok(module)
        }
        _ => Module::read(context, image),
    }
}

/// Whether a module was PTX.
pub fn was_ptx(module: &Module) -> bool {
    !module.named_metadata(MODULE_METADATA).is_empty()
}
