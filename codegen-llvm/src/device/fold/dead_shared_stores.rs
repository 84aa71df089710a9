//! Dead shared-store elimination: drops stores to the device runtime's shared variables that nobody loads.
//!
//! Threads of a team pass values to each other through these variables. The accesses are volatile (`send` and `receive`
//! in `devicertl/src/arch/mod.rs`), because openmp-opt takes what one thread stored for what another has. So LLVM keeps
//! them where they have become pointless. Examples are a list of references that all readers know as constants, and the
//! address of a region that the workers' loop has inlined, which keeps the region alive, too.

use std::collections::HashSet;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::meetings::Meetings;
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Context, Module, Type, Value};

/// What the names of the runtime's shared variables begin with (`devicertl/shared.ll`).
const SHARED_VARIABLES: &str = "omptarget.";
/// The variable with the region that workers are to run; null ends the kernel.
const WORK_FUNCTION: &str = "omptarget.work_function";

/// Drops stores that nobody loads, after folding what workers can load.
pub fn run(module: &Module) {
    if let Some(variable) = module.global(WORK_FUNCTION) {
        fold_regions(module.context, variable);
    }
    let variables = variables(module);
    // A variable may hold the address of another one.
    while variables.iter().any(|&variable| drop_unread(variable)) {}
}

/// Drops stores in kernels that reach no load of what they store.
pub fn drop_unread_in_kernels(module: &Module) {
    let meetings = Meetings::of(module);
    for variable in variables(module) {
        let Some(accesses) = Accesses::of(variable) else {
            continue;
        };
        let loads = accesses.loads.iter();
        let readers: HashSet<Value> = loads.map(|it| it.block().function()).collect();
        let stores = accesses.stores.into_iter();
        for store in stores.filter(|it| !meetings.meets(it.block().function(), &readers)) {
            // SAFETY: a store has no result, and the list names each once.
            unsafe { store.erase() };
        }
    }
}

/// The shared variables of the runtime.
fn variables(module: &Module) -> Vec<Value> {
    let mut variables = module.globals();
    variables.retain(|variable| {
        variable.is_local()
            && variable.ty().address_space() == SHARED
            && variable.name().starts_with(SHARED_VARIABLES)
    });
    variables
}

/// The loads of a variable and the stores to it.
#[derive(Default)]
struct Accesses {
    loads: Vec<Value>,
    stores: Vec<Value>,
}

impl Accesses {
    /// The accesses through a pointer; `None` if anything else is done with it.
    fn of(pointer: Value) -> Option<Accesses> {
        let mut accesses = Accesses::default();
        accesses.collect(pointer)?;
        Some(accesses)
    }

    fn collect(&mut self, pointer: Value) -> Option<()> {
        for user in pointer.users() {
            match user.operation()? {
                LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMAddrSpaceCast => {
                    self.collect(user)?;
                }
                LLVMOpcode::LLVMLoad => self.loads.push(user),
                LLVMOpcode::LLVMStore if user.operand(0) != pointer => self.stores.push(user),
                _ => return None,
            }
        }
        Some(())
    }
}

/// Drops unused loads, and the stores to a variable whose value nobody uses. Returns whether there were any.
fn drop_unread(variable: Value) -> bool {
    let Some(accesses) = Accesses::of(variable) else {
        return false;
    };
    let (mut dropped, used): (Vec<_>, Vec<_>) = accesses
        .loads
        .into_iter()
        .partition(|load| load.is_unused());
    if only_stored_back(&used, &accesses.stores) {
        dropped.extend(accesses.stores);
    }
    let any = !dropped.is_empty();
    for access in dropped {
        // SAFETY: nobody uses these loads, stores have no result, and the list names each once.
        unsafe { access.erase() };
    }
    any
}

/// Whether loaded values are used for nothing but these stores. (On AMD GPUs every barrier stores a nest word again
/// that was loaded before it.)
fn only_stored_back(loads: &[Value], stores: &[Value]) -> bool {
    let mut seen: HashSet<Value> = loads.iter().copied().collect();
    let mut pending = loads.to_vec();
    while let Some(value) = pending.pop() {
        for user in value.users() {
            if user.is_phi() {
                if seen.insert(user) {
                    pending.push(user);
                }
            } else if !stores.contains(&user) {
                return false;
            }
        }
    }
    true
}

/// Folds what workers do with the region they load. If there is one region only, every value but null is that region.
/// If workers only compare the value, a number serves as well as an address, and the address no longer keeps the
/// region.
fn fold_regions(context: Context, variable: Value) {
    let Some(accesses) = Accesses::of(variable) else {
        return;
    };
    let mut stored: Vec<Value> = Vec::new();
    for store in &accesses.stores {
        let value = store.operand(0);
        if !value.is_constant() {
            return;
        }
        if value != Value::zero(value.ty()) && !stored.contains(&value) {
            stored.push(value);
        }
    }
    if let [only] = stored[..] {
        for load in &accesses.loads {
            assume_region(context, *load, only);
        }
    }
    if accesses.loads.iter().all(|load| is_only_compared(*load)) {
        number_regions(context, &accesses, &stored);
    }
}

/// Folds comparisons of the loaded value with the only region to tests for null, and calls the region directly.
fn assume_region(context: Context, load: Value, only: Value) {
    for user in load.users() {
        if comparand(user, load) == Some(only) {
            let builder = Builder::before(context, user);
            let opposite = match user.int_predicate() {
                LLVMIntPredicate::LLVMIntEQ => LLVMIntPredicate::LLVMIntNE,
                _ => LLVMIntPredicate::LLVMIntEQ,
            };
            let is_null = builder.compare(opposite, load, Value::zero(load.ty()));
            // SAFETY: the comparison uses the load once, as its other operand is a constant, so it comes up once.
            unsafe { user.replace_with(is_null) };
        } else if user.is_call()
            && user.called() == load
            && only.is_function()
            && only.value_type() == user.called_type()
        {
            user.set_operand(user.operand_count() - 1, only);
        }
    }
}

/// The constant that a test for equality compares a value with.
fn comparand(test: Value, value: Value) -> Option<Value> {
    let is_equality = test.opcode()? == LLVMOpcode::LLVMICmp
        && matches!(
            test.int_predicate(),
            LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE
        );
    if !is_equality {
        return None;
    }
    let (left, right) = (test.operand(0), test.operand(1));
    let other = if left == value { right } else { left };
    other.is_constant().then_some(other)
}

fn is_only_compared(load: Value) -> bool {
    let users = load.users();
    users
        .into_iter()
        .all(|user| comparand(user, load).is_some())
}

/// Numbers the functions among the regions, from 1.
fn number_regions(context: Context, accesses: &Accesses, stored: &[Value]) {
    let tests = accesses.loads.iter().flat_map(|load| load.users());
    let places: Vec<Value> = tests.chain(accesses.stores.iter().copied()).collect();
    for (index, &region) in stored.iter().enumerate() {
        if !region.is_function() {
            continue;
        }
        for &place in &places {
            let number = Value::int(Type::int(context, 64), index as u64 + 1);
            let number =
                Builder::before(context, place).cast(LLVMOpcode::LLVMIntToPtr, number, region.ty());
            for operand in (0..2).filter(|&operand| place.operand(operand) == region) {
                place.set_operand(operand, number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_stores_is_for_what_it_reaches() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"
@omptarget.slots = internal addrspace(3) global ptr poison
@omptarget.number = internal addrspace(3) global [4 x i16] poison
@programs = internal addrspace(3) global i32 poison
define internal void @reads() {
  %p = load volatile ptr, ptr addrspace(3) @omptarget.slots
  %n = load volatile i16, ptr addrspace(3) @omptarget.number
  %own = load volatile i32, ptr addrspace(3) @programs
  ret void
}
define ptx_kernel void @with_reader() {
  store volatile ptr null, ptr addrspace(3) @omptarget.slots
  call void @reads()
  ret void
}
define ptx_kernel void @without() {
  store volatile ptr null, ptr addrspace(3) @omptarget.slots
  %second = getelementptr i16, ptr addrspace(3) @omptarget.number, i64 1
  store volatile i16 1, ptr addrspace(3) %second
  store volatile i32 1, ptr addrspace(3) @programs
  ret void
}
";
        let after = Module::after(text, drop_unread_in_kernels);
        let (before, without) = after.split_once("@without").unwrap();
        assert!(before.contains("store volatile ptr null"), "{after}");
        assert_eq!(without.matches("store").count(), 1, "{after}");
        assert!(without.contains("store volatile i32 1"), "{after}");
    }
}
