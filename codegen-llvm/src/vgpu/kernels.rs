//! Needs: the calling conventions and annotations of the image. Leaves: the list of kernels.
//!
//! A kernel is a function with its dialect's calling convention for kernels (`ptx_kernel`, `amdgpu_kernel`:
//! `llvm/IR/CallingConv.h`) or, in older NVPTX images, with an `nvvm.annotations` entry
//! `!{ptr @f, !"kernel", i32 1}`.

use std::collections::BTreeMap;

use anyhow::Result;

use super::dialect::DIALECTS;
use super::unit::{Kernel, Unit};
use crate::ir::{Module, Value, metadata_string};

/// Threads a block of any kernel may have. `nvvm.maxntid` and its like do not bound it: that is a promise to the
/// allocator of a GPU's registers, and in generic kernels it leaves out the master's warp (docs/abi.md).
const MAX_THREADS: u32 = 1024;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    unit.kernels = find(&unit.module)
        .into_iter()
        .map(|found| Kernel {
            function: found.function,
            parameters: found.function.parameters().len() as u32,
            name: found.name,
            max_threads: MAX_THREADS,
            static_shared: 0,
        })
        .collect();
    Ok(())
}

/// A kernel as the image has it.
pub struct Found {
    /// Its function.
    pub function: Value,
    /// Its name.
    pub name: String,
    /// Most threads per block, if stated.
    pub bound: Option<u32>,
}

/// The kernels of an image.
pub fn find(module: &Module) -> Vec<Found> {
    let annotations = annotations(module);
    let mut kernels = Vec::new();
    for function in module.definitions() {
        let name = function.name();
        let notes = annotations.get(&name);
        let annotated =
            notes.is_some_and(|notes| notes.get("kernel").is_some_and(|&value| value != 0));
        let convention = function.calling_convention();
        let kernel = DIALECTS
            .iter()
            .any(|dialect| dialect.kernel_convention == convention);
        if kernel || annotated {
            kernels.push(Found {
                function,
                bound: launch_bound(function, notes),
                name,
            });
        }
    }
    kernels
}

/// The upper end of `amdgpu-flat-work-group-size` (`"1,256"`), or the product of `nvvm.maxntid`'s dimensions, as
/// attribute (`"128,1,1"`) or annotations.
fn launch_bound(function: Value, notes: Option<&BTreeMap<String, u64>>) -> Option<u32> {
    if let Some(range) = function.text_attribute("amdgpu-flat-work-group-size") {
        return range.split_once(',')?.1.trim().parse().ok();
    }
    let attribute = function.text_attribute("nvvm.maxntid");
    let dimensions: Vec<u64> = match (attribute, notes) {
        (Some(text), _) => text
            .split(',')
            .filter_map(|part| part.trim().parse().ok())
            .collect(),
        (None, Some(notes)) => ["maxntidx", "maxntidy", "maxntidz"]
            .iter()
            .filter_map(|key| notes.get(*key).copied())
            .collect(),
        (None, None) => Vec::new(),
    };
    let product = dimensions
        .iter()
        .try_fold(1u64, |all, each| all.checked_mul(*each))
        .unwrap_or(0);
    u32::try_from(product)
        .ok()
        .filter(|bound| *bound != 0 && !dimensions.is_empty())
}

/// `nvvm.annotations` by function name: key → value.
fn annotations(module: &Module) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut all: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for tuple in module.named_metadata("nvvm.annotations") {
        let Some(function) = tuple
            .first()
            .copied()
            .flatten()
            .filter(|value| value.is_function())
        else {
            continue;
        };
        let notes = all.entry(function.name()).or_default();
        for pair in tuple[1..].chunks_exact(2) {
            if let (Some(key), Some(value)) = (pair[0], pair[1]) {
                notes.insert(metadata_string(key), value.as_int().unwrap_or(0));
            }
        }
    }
    all
}
