//! Builds an entry that calls the image's constructors in order, and one for its destructors.
//!
//! Needs: `llvm.global_ctors` and `llvm.global_dtors`. Leaves: neither array.

use anyhow::Result;

use super::unit::Unit;
use crate::ir::{Builder, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let mut constructors = take_list(unit, "llvm.global_ctors");
    constructors.sort_by_key(|(priority, _)| *priority);
    let mut destructors = take_list(unit, "llvm.global_dtors");
    // In the reverse of the constructors' order, as ELF runs `.fini_array`.
    destructors.reverse();
    destructors.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
    unit.manifest.constructors = entry(unit, "vgpu.constructors", &constructors);
    unit.manifest.destructors = entry(unit, "vgpu.destructors", &destructors);
    Ok(())
}

/// Reads the (priority, function) pairs of one of the arrays, and deletes it.
fn take_list(unit: &Unit, name: &str) -> Vec<(u64, Value)> {
    let Some(array) = unit.module.global(name) else {
        return Vec::new();
    };
    let elements = array.initializer().map(Value::operands).unwrap_or_default();
    let pairs = elements.into_iter().filter_map(|element| {
        let fields = element.operands();
        let function = fields
            .get(1)
            .copied()
            .filter(|function| function.is_function())?;
        Some((fields[0].as_int().unwrap_or(65535), function))
    });
    let pairs = pairs.collect();
    // SAFETY: no code uses the array, and what it lists has been read.
    unsafe { array.delete_global() };
    pairs
}

/// A function with the signature of `vgpu_abi::EntryFn` that calls `functions`.
fn entry(unit: &Unit, name: &str, functions: &[(u64, Value)]) -> Option<String> {
    if functions.is_empty() {
        return None;
    }
    let context = unit.context();
    let pointer = Type::pointer(context);
    let entry = unit.module.declare(
        name,
        Type::function(Type::void(context), &[pointer, pointer]),
    );
    entry.add_attribute(context, "nounwind");
    entry.hide();
    let builder = Builder::at_end(context, Builder::append_block(context, entry, "entry"));
    for (_, function) in functions {
        builder.call_function(*function, &[]);
    }
    builder.return_void();
    Some(name.to_owned())
}
