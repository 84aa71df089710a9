//! Passes structures to kernels as words.
//!
//! The caller of a kernel fills the memory of a structure that the kernel takes by value (`byval`, `byref`). Here the
//! kernel takes the structure's words as integers, and stores them to a local variable of its own. What it reads of
//! them is then known to be the same for all threads, and nothing is left of the variable where it is read at constant
//! offsets only. So such kernels can have warp forms: each lane may change its copy.
//!
//! Structures of more than [`MAX_WORDS`] stay in memory (`entries`).
//!
//! Needs: kernels known, their calling convention C. Leaves: [`Kernel::places`] of the new parameters.

use anyhow::Result;

use super::unit::{Kernel, Unit};
use crate::analysis::kernels::{in_memory, stack_alignment};
use crate::ir::{Builder, Context, Module, Type, Value};

/// Most words of all structures of a kernel. What has more is read by index, so that words serve nothing.
const MAX_WORDS: u32 = 128;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let (module, context) = (&unit.module, unit.module.context);
    for kernel in &mut unit.kernels {
        let structures: Vec<_> = structures(kernel).collect();
        let words: u32 = structures
            .iter()
            .map(|&at| kernel.parameters[at].words())
            .sum();
        if (1..=MAX_WORDS).contains(&words) {
            pass_words(module, context, kernel, &structures);
        }
    }
    Ok(())
}

/// The parameters of a kernel that are structures in memory.
fn structures(kernel: &Kernel) -> impl Iterator<Item = usize> {
    let function = kernel.function;
    (0..kernel.parameters.len()).filter(move |&at| in_memory(function, at as u32 + 1).is_some())
}

/// Replaces a kernel by a function that takes the words of `structures`.
fn pass_words(module: &Module, context: Context, kernel: &mut Kernel, structures: &[usize]) {
    let old = kernel.function;
    let word = Type::int(context, 64);
    let (mut types, mut places) = (Vec::new(), Vec::new());
    let mut firsts = Vec::new();
    for (at, parameter) in old.parameters().into_iter().enumerate() {
        let (ty, count) = match structures.contains(&at) {
            true => (word, kernel.parameters[at].words()),
            false => (parameter.ty(), 1),
        };
        firsts.push(types.len());
        types.extend((0..count).map(|_| ty));
        places.extend((0..count).map(|nth| kernel.places[at] + nth));
    }
    old.set_name(&format!("{}.by_value", kernel.name));
    let new = module.declare(&kernel.name, Type::function(Type::void(context), &types));
    let begin = Builder::before(context, old.blocks()[0].instructions()[0]);
    for (at, parameter) in old.parameters().into_iter().enumerate() {
        let own = &new.parameters()[firsts[at]..];
        let index = at as u32 + 1;
        if structures.contains(&at) {
            let count = kernel.parameters[at].words() as usize;
            let alignment = stack_alignment(old, index);
            let local = store_words(&begin, word, &own[..count], alignment);
            parameter.replace_all_uses(begin.to_space(local, parameter.ty()));
        } else {
            own[0].set_name(&parameter.name());
            new.copy_attributes(firsts[at] as u32 + 1, old, index);
        }
    }
    new.take_body(context, old);
    for (at, parameter) in old.parameters().into_iter().enumerate() {
        if !structures.contains(&at) {
            parameter.replace_all_uses(new.parameters()[firsts[at]]);
        }
    }
    // To LLVM, reading an AMD kernel's parameters is reading constants, and not reading memory.
    new.remove_attribute("memory");
    old.replace_all_uses(new);
    // SAFETY: it has no code and no users, and `kernel` gets the new function.
    unsafe { old.delete_function() };
    (kernel.function, kernel.places) = (new, places);
}

/// A local variable that has these words.
fn store_words(builder: &Builder, word: Type, words: &[Value], alignment: u32) -> Value {
    let local = builder.stack_slot(word.array(words.len() as u64), alignment);
    for (nth, &value) in words.iter().enumerate() {
        let place = builder.byte_offset(local, Value::int(word, 8 * nth as u64));
        builder.store(value, place);
    }
    local
}
