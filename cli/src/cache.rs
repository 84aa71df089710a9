//! `omptarget cache`: the disk cache of compiled kernels.

use codegen::Cache;
use omptarget_driver::{Failure, Result};

use crate::info::size;

/// Arguments of `omptarget cache`.
#[derive(clap::Args)]
pub struct Options {
    /// Remove every entry
    #[arg(long)]
    clear: bool,
}

/// Shows or clears the cache.
pub fn cache(options: &Options) -> Result<()> {
    let Some(cache) = Cache::of_user() else {
        anstream::println!(
            "no cache: OMPTARGET_CACHE=0, or neither XDG_CACHE_HOME nor HOME is set"
        );
        return Ok(());
    };
    let folder = cache.folder().display();
    let failed = |source| Failure::System {
        what: format!("cannot use the cache {folder}"),
        source,
    };
    if options.clear {
        let (entries, bytes) = cache.clear().map_err(failed)?;
        anstream::println!("{folder}: {entries} entries removed, {}", size(bytes));
    } else {
        let (entries, bytes) = cache.usage().map_err(failed)?;
        anstream::println!(
            "{folder}: {entries} entries, {} of at most {}",
            size(bytes),
            size(cache.limit())
        );
    }
    Ok(())
}
