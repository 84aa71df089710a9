//! Emits the object and its manifest, after all passes.
//!
//! The back end takes most of the time. Parts of a large module go through it at the same time
//! (docs/decisions/0145-machine-code-in-parts.md).

mod join;
mod parts;

use std::collections::HashSet;
use std::io;

use anyhow::{Context as _, Result, bail};
use object::{Object, ObjectSymbol};
use vgpu_abi::artifact::{Artifact, KernelEntry, Manifest};

use super::entries;
use super::undefined::is_known;
use super::unit::{Kernel, Unit, counted};
use crate::child::Child;
use crate::ir::{Machine, Module};
use parts::Parts;

/// Emits them.
pub fn run(unit: &Unit) -> Result<Artifact> {
    let (module, machine) = (&unit.module, &unit.machine);
    if !unit.shared.is_empty() {
        // What is known of other objects' constants has been of use.
        machine.run_passes(module, "elim-avail-extern")?;
    }
    let divided = parts::divide(module, machine, unit.options.parts);
    unit.options.instrumentation.tell(&format!(
        "machine code of {} in {} at once",
        counted(unit.kernels.len(), "kernel"),
        counted(divided.count(), "part")
    ));
    let object = machine_code(module, machine, divided)?;
    check_symbols(&object, &unit.shared)?;
    let manifest = manifest(unit);
    Ok(Artifact { manifest, object })
}

/// The manifest of what was compiled.
fn manifest(unit: &Unit) -> Manifest {
    Manifest {
        kernels: unit.kernels.iter().map(entry).collect(),
        sites: unit.locations.table(),
        ..unit.manifest.clone()
    }
}

/// A kernel's line of the manifest, as far as it is known.
pub fn entry(kernel: &Kernel) -> KernelEntry {
    KernelEntry {
        name: kernel.name.clone(),
        symbol: entries::symbol(&kernel.name),
        parameters: kernel.parameters.clone(),
        max_threads: kernel.max_threads,
        block: kernel.block,
        static_shared: kernel.static_shared as u32,
        warp: kernel.warp.clone(),
        threads: kernel.threads.clone(),
        short_rows: kernel.short_rows.clone(),
        refusal: kernel.refusal.clone(),
        group: None,
        start: None,
    }
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
/// functions for operations that the CPU has no instruction for. `shared` are variables of another object.
fn check_symbols(object: &[u8], shared: &HashSet<String>) -> Result<()> {
    let file = object::File::parse(object).context("the back end's object does not parse")?;
    let mut unknown = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.is_undefined()) {
        let name = symbol.name().unwrap_or_default();
        if !name.is_empty() && !is_known(name) && !shared.contains(name) {
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
