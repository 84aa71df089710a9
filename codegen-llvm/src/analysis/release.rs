//! Which release of the project an image's device runtime is from. `scripts/build-device` writes it beside the names of
//! the compilers, in `llvm.ident`.

use crate::ir::{Module, metadata_string};

/// The release of this compiler.
const OWN: &str = env!("CARGO_PKG_VERSION");
/// What stands in front of the release, and behind it.
const WORDS: (&str, &str) = ("omptarget ", " device runtime");

/// The release of the image's device runtime. None: the image has none yet, or another project's.
pub fn of_runtime(module: &Module) -> Option<String> {
    let identities = module.named_metadata("llvm.ident");
    let mut texts = identities
        .into_iter()
        .flatten()
        .flatten()
        .map(metadata_string);
    texts.find_map(|text| {
        let release = text.strip_prefix(WORDS.0)?.strip_suffix(WORDS.1)?;
        Some(release.to_owned())
    })
}

/// Warns of an image that another release made. It may run: what the releases must agree on has versions of its own.
pub fn report_difference(module: &Module) {
    if let Some(other) = of_runtime(module).filter(|release| release != OWN) {
        eprintln!(
            "warning: the image's device runtime is of omptarget {other}, this is {OWN}: link the program again"
        );
    }
}
