//! Groups of kernels, each compiled when one of its kernels is first launched
//! (docs/decisions/0148-kernels-compiled-when-first-launched.md).
//!
//! A large image is divided. Its variables are in one object, and each group's code is in another, with a copy of each
//! function that it calls. Functions whose address some code takes keep one address: kernels that may take the same
//! function's are one group.
//!
//! A kernel whose threads never wait starts in a form that takes little time to compile, in an object of its own
//! (docs/decisions/0159-kernels-start-thread-by-thread.md).
//!
//! Needs: entries built, variables listed in the manifest.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMAvailableExternallyLinkage, LLVMInternalLinkage};
use vgpu_abi::Checks;
use vgpu_abi::artifact::Start;

use super::entries;
use super::lower::engine::SHARED_BASE;
use super::unit::{Forms, Kernel, Unit};
use super::warp::thread_loops;
use crate::analysis::indirect_calls::has_address_taken;
use crate::analysis::reach;
use crate::ir::{Module, Value};

/// Fewest groups for which an image is divided. Of a few kernels a program launches most.
const FEWEST: usize = 8;
/// Fewest instructions of an image that is divided. It takes some two seconds to compile all of them.
const LARGE: usize = 4000;

/// Microseconds that the forms of a kernel take to compile, for each of its instructions. Most take 300 to 1,500.
const EACH_TAKES: usize = 500;
/// What fraction of that time a kernel runs in the form in which it starts: one over this.
const FRACTION: usize = 10;

/// Most instructions of the kernels that share an object of forms in which they start. It takes a twentieth of a second
/// to compile.
const TOGETHER: usize = 600;

/// The groups of an image.
pub struct Groups {
    groups: Vec<Group>,
    /// The groups of which each object has the forms in which they start.
    starts: Vec<Vec<usize>>,
}

/// A group.
#[derive(Clone, Default)]
struct Group {
    /// The kernels by their names, and forms of them.
    kernels: HashSet<String>,
    /// If there is a form in which they start: how many instructions they have.
    startable: Option<usize>,
}

/// What to compile of a divided image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// What all kernels share: the variables, and code that prepares them.
    Base,
    /// The kernels of the group with this number.
    Group(usize),
    /// The kernels of the object with this number in the forms in which they start.
    Start(usize),
}

/// Divides the image if it is large and can be divided.
pub fn divide(unit: &Unit) -> Option<Groups> {
    if instructions(&unit.module.definitions()) < LARGE {
        return None;
    }
    let groups = groups(unit).filter(|groups| groups.len() >= FEWEST)?;
    Some(Groups {
        starts: started_together(&groups),
        groups,
    })
}

/// The groups whose kernels start in another form, in the objects with these forms.
fn started_together(groups: &[Group]) -> Vec<Vec<usize>> {
    let (mut objects, mut room) = (Vec::<Vec<usize>>::new(), 0);
    for (number, group) in groups.iter().enumerate() {
        let Some(instructions) = group.startable else {
            continue;
        };
        match objects.last_mut() {
            Some(object) if instructions <= room => {
                object.push(number);
                room -= instructions;
            }
            _ => {
                objects.push(vec![number]);
                room = TOGETHER.saturating_sub(instructions);
            }
        }
    }
    objects
}

/// How many instructions functions have.
fn instructions(functions: &[Value]) -> usize {
    functions.iter().map(|it| it.instructions().len()).sum()
}

/// The groups. `None` if variables, constructors or other names of functions mention functions whose address a kernel
/// may take as well.
fn groups(unit: &Unit) -> Option<Vec<Group>> {
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
    let mut groups = vec![Group::default(); unit.kernels.len()];
    for (kernel, &group) in unit.kernels.iter().zip(&group_of) {
        groups[group].kernels.insert(kernel.name.clone());
    }
    for (number, kernel) in unit.kernels.iter().enumerate() {
        let shares_a_function = group_of.iter().filter(|it| **it == number).count() > 1;
        if group_of[number] == number && !shares_a_function {
            groups[number].startable = startable(unit, kernel);
        }
    }
    groups.retain(|group| !group.kernels.is_empty());
    Some(groups)
}

/// How many instructions a kernel has, with all that it may call, if it may start in another form. Its threads wait for
/// nothing then, have no shared memory, as its warps may rely on lockstep there (`warp::analysis::width`), and do not
/// tell functions by their addresses: the form has copies.
fn startable(unit: &Unit, kernel: &Kernel) -> Option<usize> {
    let options = &unit.options;
    let wanted =
        options.forms == Forms::All && options.level >= 2 && options.checks == Checks::NONE;
    let optimised = !kernel.function.has_function_attribute("optnone");
    let may = wanted && optimised && kernel.short_rows.is_none() && kernel.refusal.is_none();
    let runs_alone = may && thread_loops::never_waits(kernel.function);
    let reached = runs_alone.then(|| reach::mentioned(vec![kernel.function]))?;
    let functions: Vec<_> = reached.into_iter().filter(|it| it.is_function()).collect();
    let may_be_copied = |it: &Value| it.is_declaration() || !has_address_taken(*it);
    let fits = |it: &Value| it.name() != SHARED_BASE && may_be_copied(it);
    functions.iter().all(fits).then(|| instructions(&functions))
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
        self.groups
            .iter()
            .position(|group| group.kernels.contains(kernel))
    }

    /// The form in which the kernels of a group start, if they do.
    pub fn start(&self, group: usize) -> Option<Start> {
        let instructions = self.groups[group].startable?;
        let object = self.starts.iter().position(|it| it.contains(&group))?;
        Some(Start {
            object: object as u32,
            patience: (instructions * EACH_TAKES / FRACTION) as u32,
        })
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is such a share.
    pub fn has(&self, share: Share) -> bool {
        match share {
            Share::Base => true,
            Share::Group(number) => number < self.groups.len(),
            Share::Start(number) => number < self.starts.len(),
        }
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
            Share::Group(number) => self.groups[number].kernels.contains(kernel),
            Share::Start(number) => {
                let mut started = self.starts[number].iter();
                started.any(|it| self.groups[*it].kernels.contains(kernel))
            }
        };
        let entries = unit.kernels.iter().map(|kernel| &kernel.name);
        let mut dropped: Vec<_> = entries
            .filter(|name| !is_kept(name))
            .map(|name| entries::symbol(name))
            .collect();
        unit.kernels.retain(|kernel| is_kept(&kernel.name));
        if let Share::Start(_) = share {
            unit.options.forms = Forms::Start;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_follow_each_other_start_together() {
        let sizes = [Some(300), None, Some(200), Some(150), Some(900), Some(1)];
        let groups = sizes.map(|startable| Group {
            startable,
            ..Group::default()
        });
        let started = started_together(&groups);
        assert_eq!(started, [vec![0, 2], vec![3], vec![4], vec![5]]);
        assert!(started_together(&groups[1..2]).is_empty());
    }
}
