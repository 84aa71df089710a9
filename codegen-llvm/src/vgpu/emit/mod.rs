//! Emits the object and its manifest, after all passes.
//!
//! The back end takes most of the time. Parts of a large module go through it at the same time
//! (docs/decisions/0145-machine-code-in-parts.md).

mod join;
mod parts;

use std::io;

use anyhow::{Context as _, Result, bail};
use object::{Object, ObjectSymbol};
use vgpu_abi::artifact::{Artifact, KernelEntry};

use super::entries;
use super::undefined::is_known;
use super::unit::{Unit, counted};
use crate::child::Child;
use crate::ir::{Machine, Module};
use parts::Parts;

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
    let divided = parts::divide(&module, &machine, options.parts);
    let progress = &options.instrumentation;
    progress.tell(&format!(
        "machine code of {} in {} at once",
        counted(kernels.len(), "kernel"),
        counted(divided.count(), "part")
    ));
    let object = machine_code(&module, &machine, divided)?;
    check_symbols(&object)?;
    Ok(Artifact { manifest, object })
}

/// The object of a module. The first part is this process's work, each other that of a copy of it.
fn machine_code(module: &Module, machine: &Machine, parts: Parts) -> Result<Vec<u8>> {
    if parts.count() == 1 {
        return machine.emit_object(module);
    }
    parts.connect(module);
    let part = |number| {
        parts.keep(module, number);
        machine.emit_object(module)
    };
    let others = 1..parts.count();
    // SAFETY: the compiler process has one thread.
    let others = others.map(|number| unsafe { Child::start(|| part(number)) });
    let Ok(others) = others.collect::<io::Result<Vec<_>>>() else {
        // The system allows no more processes, or has no memory for them.
        return machine.emit_object(module);
    };
    let mut objects = vec![part(0)?];
    for other in others {
        objects.push(other.answer()?);
    }
    join::run(&objects)
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
