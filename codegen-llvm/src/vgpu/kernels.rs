//! Needs: the calling conventions and annotations of the image. Leaves: the list of kernels.
//!
//! A kernel is a function with the calling convention `ptx_kernel` (`llvm/IR/CallingConv.h`) or,
//! in older images, with an `nvvm.annotations` entry `!{ptr @f, !"kernel", i32 1}`.

use std::collections::BTreeMap;

use anyhow::Result;

use super::unit::{Kernel, Unit};
use crate::ir::{Value, metadata_string};

/// `llvm::CallingConv::PTX_Kernel`.
const PTX_KERNEL: u32 = 71;
/// Threads per block when the image states no bound.
const DEFAULT_MAX_THREADS: u32 = 1024;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let annotations = annotations(unit);
    for function in unit.module.definitions() {
        let name = function.name();
        let notes = annotations.get(&name);
        let annotated =
            notes.is_some_and(|notes| notes.get("kernel").is_some_and(|&value| value != 0));
        if function.calling_convention() == PTX_KERNEL || annotated {
            let max_threads = launch_bound(function, notes);
            unit.kernels.push(Kernel {
                function,
                name,
                max_threads,
                static_shared: 0,
            });
        }
    }
    Ok(())
}

/// The product of `nvvm.maxntid`'s dimensions, as attribute (`"128,1,1"`) or annotations.
fn launch_bound(function: Value, notes: Option<&BTreeMap<String, u64>>) -> u32 {
    let from_attribute = function.text_attribute("nvvm.maxntid").and_then(|text| {
        text.split(',')
            .map(|part| part.trim().parse::<u64>().ok())
            .try_fold(1u64, |all, part| all.checked_mul(part?))
    });
    let from_notes = notes.and_then(|notes| {
        let dimensions: Vec<_> = ["maxntidx", "maxntidy", "maxntidz"]
            .iter()
            .filter_map(|key| notes.get(*key))
            .collect();
        (!dimensions.is_empty()).then(|| dimensions.into_iter().product())
    });
    let bound = from_attribute.or(from_notes).unwrap_or(0);
    if bound == 0 {
        DEFAULT_MAX_THREADS
    } else {
        bound.min(u64::from(DEFAULT_MAX_THREADS)) as u32
    }
}

/// `nvvm.annotations` by function name: key → value.
fn annotations(unit: &Unit) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut all: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for tuple in unit.module.named_metadata("nvvm.annotations") {
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
