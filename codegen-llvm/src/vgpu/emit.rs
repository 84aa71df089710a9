//! Emits the object and its manifest, after all passes.

use anyhow::{Context as _, Result, bail};
use object::{Object, ObjectSymbol};
use vgpu_abi::artifact::{Artifact, KernelEntry};

use super::entries;
use super::undefined::is_known;
use super::unit::{Unit, counted};

/// Emits them.
pub fn run(unit: Unit) -> Result<Artifact> {
    let Unit {
        module,
        machine,
        kernels,
        locations,
        mut manifest,
        options,
        ..
    } = unit;
    let progress = &options.instrumentation;
    progress.tell(&format!("machine code of {}", counted(kernels.len())));
    manifest.kernels = kernels
        .iter()
        .map(|kernel| KernelEntry {
            name: kernel.name.clone(),
            symbol: entries::symbol(&kernel.name),
            parameters: kernel.parameters.clone(),
            max_threads: kernel.max_threads,
            block: kernel.block,
            static_shared: kernel.static_shared as u32,
            warp: kernel.warp.clone(),
            short_rows: kernel.short_rows.clone(),
            refusal: kernel.refusal.clone(),
        })
        .collect();
    manifest.sites = locations.into_table();
    let object = machine.emit_object(&module)?;
    check_symbols(&object)?;
    Ok(Artifact { manifest, object })
}

/// Checks that the engine resolves every symbol that the object needs. The back end itself adds calls of support
/// functions for operations that the CPU has no instruction for.
fn check_symbols(object: &[u8]) -> Result<()> {
    let file = object::File::parse(object).context("the back end's object does not parse")?;
    let mut unknown = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.is_undefined()) {
        let name = symbol.name().unwrap_or_default();
        if !name.is_empty() && !is_known(name) {
            unknown.push(name.to_owned());
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    bail!(
        "device code needs {}, support the virtual GPU does not have \
         (128-bit floating point, 16-byte or misaligned atomics)",
        unknown
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    )
}
