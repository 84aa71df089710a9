//! The kernels of an image, with their launch bounds and parameters.
//!
//! A kernel is a function with its target's calling convention for kernels (`ptx_kernel`, `amdgpu_kernel`:
//! `llvm/IR/CallingConv.h`) or, in older NVPTX images, with an `nvvm.annotations` entry
//! `!{ptr @f, !"kernel", i32 1}`.

use std::collections::BTreeMap;

use vgpu_abi::artifact::Parameter;

use super::target::TARGETS;
use crate::ir::{Layout, Module, Type, Value, metadata_string};

/// The offsets and sizes of a kernel's parameters in one structure of them all.
pub fn parameters(layout: Layout, kernel: Value) -> Vec<Parameter> {
    let mut end = 0;
    let place = |(index, parameter): (usize, Value)| {
        let index = index as u32 + 1;
        let ty = in_memory(kernel, index).unwrap_or(parameter.ty());
        let stated = kernel
            .int_attribute_at(index, "align")
            .filter(|_| ty != parameter.ty());
        let offset = u64::next_multiple_of(end, stated.unwrap_or(layout.alignment(ty)).max(1));
        let size = layout.alloc_size(ty);
        end = offset + size;
        Parameter {
            offset: offset as u32,
            size: size as u32,
        }
    };
    kernel
        .parameters()
        .into_iter()
        .enumerate()
        .map(place)
        .collect()
}

/// The type that parameter `index`, counted from 1, points at, if the caller fills that memory.
pub fn in_memory(kernel: Value, index: u32) -> Option<Type> {
    IN_MEMORY
        .iter()
        .find_map(|name| kernel.type_attribute_at(index, name))
}

/// The least alignment of structures passed in memory: the largest that a C type has without an attribute.
const STACK_ALIGNMENT: u32 = 16;

/// The alignment of a local copy of the structure that parameter `index`, counted from 1, is.
pub fn stack_alignment(kernel: Value, index: u32) -> u32 {
    let stated = kernel.int_attribute_at(index, "align");
    stated.map_or(STACK_ALIGNMENT, |stated| STACK_ALIGNMENT.max(stated as u32))
}

/// Attributes of parameters that the caller passes in memory (NVPTX, AMDGCN).
pub const IN_MEMORY: [&str; 2] = ["byval", "byref"];

/// The attribute that bounds the threads of a block on NVIDIA's GPUs, dimension by dimension.
pub const NVIDIA_BOUND: &str = "nvvm.maxntid";
/// The attribute that says exactly how many they are.
pub const NVIDIA_BLOCK: &str = "nvvm.reqntid";
/// The attribute that bounds them on AMD's GPUs: minimum and maximum.
pub const AMD_BOUND: &str = "amdgpu-flat-work-group-size";

/// A kernel of an image.
pub struct Found {
    /// Its function.
    pub function: Value,
    /// Its name.
    pub name: String,
    /// Most threads per block, if stated.
    pub bound: Option<u32>,
    /// The threads that every block has, if stated.
    pub block: Option<[u32; 3]>,
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
        let kernel = TARGETS
            .iter()
            .any(|target| target.kernel_convention == convention);
        if kernel || annotated {
            let block = block(function, notes);
            let of_block = |[x, y, z]: [u32; 3]| x.saturating_mul(y).saturating_mul(z);
            kernels.push(Found {
                function,
                bound: launch_bound(function, notes).or(block.map(of_block)),
                block,
                name,
            });
        }
    }
    kernels
}

/// The upper end of `amdgpu-flat-work-group-size` (`"1,256"`), or the product of `nvvm.maxntid`'s dimensions, as
/// attribute (`"128,1,1"`) or annotations.
fn launch_bound(function: Value, notes: Option<&BTreeMap<String, u64>>) -> Option<u32> {
    if let Some(range) = function.text_attribute(AMD_BOUND) {
        return range.split_once(',')?.1.trim().parse().ok();
    }
    let keys = ["maxntidx", "maxntidy", "maxntidz"];
    let dimensions = dimensions(function, notes, NVIDIA_BOUND, keys);
    let product = dimensions
        .iter()
        .try_fold(1u64, |all, each| all.checked_mul(*each))
        .unwrap_or(0);
    u32::try_from(product)
        .ok()
        .filter(|bound| *bound != 0 && !dimensions.is_empty())
}

/// `nvvm.reqntid`, as attribute or annotations. Dimensions that are not there are 1.
fn block(function: Value, notes: Option<&BTreeMap<String, u64>>) -> Option<[u32; 3]> {
    let keys = ["reqntidx", "reqntidy", "reqntidz"];
    let dimensions = dimensions(function, notes, NVIDIA_BLOCK, keys);
    let mut block = [1; 3];
    for (place, given) in block.iter_mut().zip(&dimensions) {
        *place = u32::try_from(*given).ok()?;
    }
    (!dimensions.is_empty() && !block.contains(&0)).then_some(block)
}

/// What an attribute says of a block's dimensions, else annotations.
fn dimensions(
    function: Value,
    notes: Option<&BTreeMap<String, u64>>,
    attribute: &str,
    keys: [&str; 3],
) -> Vec<u64> {
    match (function.text_attribute(attribute), notes) {
        (Some(text), _) => {
            let parts = text.split(',');
            parts.filter_map(|part| part.trim().parse().ok()).collect()
        }
        (None, Some(notes)) => {
            let values = keys.iter().filter_map(|key| notes.get(*key).copied());
            values.collect()
        }
        (None, None) => Vec::new(),
    }
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
