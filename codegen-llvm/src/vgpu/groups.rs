//! Groups of kernels, each compiled when one of its kernels is first launched
//! (docs/decisions/0148-kernels-compiled-when-first-launched.md).
//!
//! A large image is divided. Its variables are in one object, and each group's code is in another, with a copy of each
//! function that it calls. Functions whose address some code takes keep one address: kernels that may take the same
//! function's are one group.
//!
//! Needs: entries built, variables listed in the manifest.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMAvailableExternallyLinkage, LLVMInternalLinkage};

use super::entries;
use super::unit::Unit;
use crate::analysis::indirect_calls::has_address_taken;
use crate::analysis::reach;
use crate::ir::{Module, Value};

/// Fewest groups for which an image is divided. Of a few kernels a program launches most.
const FEWEST: usize = 8;
/// Fewest instructions of an image that is divided. It takes some two seconds to compile all of them.
const LARGE: usize = 4000;

/// The groups of an image.
pub struct Groups(Vec<Group>);

/// The kernels of a group by their names, and forms of them.
type Group = HashSet<String>;

/// What to compile of a divided image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// What all kernels share: the variables, and code that prepares them.
    Base,
    /// The kernels of the group with this number.
    Group(usize),
}

/// Divides the image if it is large and can be divided.
pub fn divide(unit: &Unit) -> Option<Groups> {
    let functions = unit.module.definitions().into_iter();
    let instructions: usize = functions.map(|it| it.instructions().len()).sum();
    if instructions < LARGE {
        return None;
    }
    let groups = groups(unit)?;
    (groups.0.len() >= FEWEST).then_some(groups)
}

/// The groups. `None` if variables, constructors or other names of functions mention functions whose address a kernel
/// may take as well.
fn groups(unit: &Unit) -> Option<Groups> {
    let module = &unit.module;
    let is_whole = module.has_aliases() || !module.inline_assembly().is_empty();
    let in_variables = reach::mentioned(module.globals());
    if is_whole || in_variables.into_iter().any(Value::is_function) {
        return None;
    }
    let constructors = [&unit.manifest.constructors, &unit.manifest.destructors];
    let constructors = constructors.into_iter().flatten();
    let constructors = constructors.filter_map(|name| module.function(name));
    let taken_once = taken(constructors.collect());
    let mut group_of: Vec<usize> = (0..unit.kernels.len()).collect();
    let mut taker_of = HashMap::new();
    for (number, kernel) in unit.kernels.iter().enumerate() {
        for function in taken(vec![kernel.function]) {
            if taken_once.contains(&function) {
                return None;
            }
            let taker = *taker_of.entry(function).or_insert(number);
            join(&mut group_of, number, taker);
        }
        if let Some(rows) = &kernel.short_rows {
            let of = unit.kernels.iter().position(|it| it.name == rows.of)?;
            join(&mut group_of, number, of);
        }
    }
    let mut groups: Vec<Group> = vec![HashSet::new(); unit.kernels.len()];
    for (kernel, &group) in unit.kernels.iter().zip(&group_of) {
        groups[group].insert(kernel.name.clone());
    }
    groups.retain(|group| !group.is_empty());
    Some(Groups(groups))
}

/// The functions whose address may be taken by code that these functions reach.
fn taken(functions: Vec<Value>) -> Vec<Value> {
    let mut found = reach::mentioned(functions);
    found.retain(|it| it.is_function() && !it.is_declaration() && has_address_taken(*it));
    found
}

/// Makes one group of two kernels' groups.
fn join(group_of: &mut [usize], one: usize, other: usize) {
    let (kept, joined) = (group_of[other], group_of[one]);
    group_of
        .iter_mut()
        .filter(|group| **group == joined)
        .for_each(|group| *group = kept);
}

impl Groups {
    /// The number of the group that a kernel is in.
    pub fn of(&self, kernel: &str) -> Option<usize> {
        self.0.iter().position(|group| group.contains(kernel))
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Gives all variables that code may tell from each other names by which objects refer to them. Constants whose
    /// address does not matter may be copied.
    pub fn connect(&self, module: &Module) {
        let variables = module.globals().into_iter();
        let own = variables.filter(|it| it.is_local() && !it.has_any_address() && !is_llvms(*it));
        for (number, variable) in own.enumerate() {
            variable.share(&format!("vgpu.shared.{number}"));
        }
    }

    /// Drops what is not of a share. It can be done once.
    pub fn keep(&self, unit: &mut Unit, share: Share) -> Result<()> {
        let is_kept = |kernel: &str| match share {
            Share::Base => false,
            Share::Group(number) => self.0[number].contains(kernel),
        };
        let entries = unit.kernels.iter().map(|kernel| &kernel.name);
        let mut dropped: Vec<_> = entries
            .filter(|name| !is_kept(name))
            .map(|name| entries::symbol(name))
            .collect();
        unit.kernels.retain(|kernel| is_kept(&kernel.name));
        if share != Share::Base {
            dropped.extend(unit.manifest.constructors.take());
            dropped.extend(unit.manifest.destructors.take());
            unit.manifest.globals.clear();
        }
        for entry in dropped.iter().filter_map(|name| unit.module.function(name)) {
            entry.show();
            entry.set_linkage(LLVMInternalLinkage);
        }
        unit.machine.run_passes(&unit.module, "globaldce")?;
        if share != Share::Base {
            unit.shared = leave_in_base(&unit.module);
        }
        Ok(())
    }
}

/// Leaves the variables to the base object. Gives the names of those that are used.
fn leave_in_base(module: &Module) -> HashSet<String> {
    let variables = module.globals().into_iter();
    let shared = variables.filter(|it| !it.is_declaration() && !it.is_local() && !is_llvms(*it));
    let names = shared.map(|variable| {
        let name = variable.name();
        if !variable.is_unused() {
            variable.replace_all_uses(stand_in(module, variable));
        }
        // SAFETY: it has no uses, and the list names it once.
        unsafe { variable.delete_global() };
        name
    });
    names.collect()
}

/// A declaration of a variable of the base object. What is in constants stays known.
///
/// That object is far away, so code finds the address in a table. To LLVM, a variable that was hidden once is near for
/// ever.
fn stand_in(module: &Module, variable: Value) -> Value {
    let space = variable.ty().address_space();
    let declaration = module.add_global_in(variable.value_type(), space);
    declaration.set_alignment(variable.alignment() as u32);
    // What the host writes before launches is not in the image: CUDA's `__constant__`.
    if let Some(value) = variable.initializer()
        && variable.is_constant_variable()
        && !variable.is_externally_initialised()
    {
        declaration.set_constant_variable();
        declaration.set_initializer(value);
        declaration.set_linkage(LLVMAvailableExternallyLinkage);
    }
    let name = variable.name();
    variable.set_name("");
    declaration.set_name(&name);
    declaration
}

/// Whether it is one of LLVM's own tables.
fn is_llvms(variable: Value) -> bool {
    variable.name().starts_with("llvm.")
}
