//! What threads of a team send each other through the device runtime's shared variables, and nobody receives.
//!
//! The runtime's accesses to these variables are volatile (`send` and `receive` in `devicertl/src/arch/mod.rs`), because openmp-opt
//! takes what one thread stored for what another has. So LLVM keeps them where they have become pointless: a list of references whose
//! readers know them all as constants, or the address of a region that the workers' loop has inlined, and the region with it.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::analysis::target::SHARED;
use crate::ir::{Builder, Context, Module, Type, Value};

/// What the names of the runtime's own variables begin with.
const RUNTIME_VARIABLES: &str = "omptarget.";
/// The region that workers are to run, null for the end of the kernel.
const WORK_FUNCTION: &str = "omptarget.work_function";

/// Drops what nobody receives, and says what workers may receive.
pub fn run(module: &Module) {
    if let Some(variable) = module.global(WORK_FUNCTION) {
        name_regions(module.context, variable);
    }
    let mut variables = module.globals();
    variables.retain(|variable| {
        variable.is_local()
            && variable.ty().address_space() == SHARED
            && variable.name().starts_with(RUNTIME_VARIABLES)
    });
    // A variable may be sent in another.
    while variables.iter().any(|&variable| drop_unreceived(variable)) {}
}

/// The loads of a variable and the stores to it.
#[derive(Default)]
struct Accesses {
    loads: Vec<Value>,
    stores: Vec<Value>,
}

impl Accesses {
    /// Those through a pointer; `None` where something else is done with it.
    fn of(pointer: Value) -> Option<Accesses> {
        let mut accesses = Accesses::default();
        accesses.collect(pointer)?;
        Some(accesses)
    }

    fn collect(&mut self, pointer: Value) -> Option<()> {
        for user in pointer.users() {
            match user.opcode().or_else(|| user.constant_opcode())? {
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

/// Drops loads that nobody uses, and the stores to a variable that nobody loads; whether there was any.
fn drop_unreceived(variable: Value) -> bool {
    let Some(accesses) = Accesses::of(variable) else {
        return false;
    };
    let (mut dropped, received): (Vec<_>, Vec<_>) = accesses
        .loads
        .into_iter()
        .partition(|load| load.is_unused());
    if received.is_empty() {
        dropped.extend(accesses.stores);
    }
    let any = !dropped.is_empty();
    for access in dropped {
        // SAFETY: nobody uses these loads, stores have no result, and the list names each once.
        unsafe { access.erase() };
    }
    any
}

/// Where workers only compare what they get to run, a number serves as well as a region's address, and the region is not kept for its
/// address. Where there is one region, what is not null is it.
fn name_regions(context: Context, variable: Value) {
    let Some(accesses) = Accesses::of(variable) else {
        return;
    };
    let mut sent: Vec<Value> = Vec::new();
    for store in &accesses.stores {
        let value = store.operand(0);
        if !value.is_constant() {
            return;
        }
        if value != Value::zero(value.ty()) && !sent.contains(&value) {
            sent.push(value);
        }
    }
    if let [only] = sent[..] {
        for load in &accesses.loads {
            know_region(context, *load, only);
        }
    }
    if accesses.loads.iter().all(|load| is_only_compared(*load)) {
        number_regions(context, &accesses, &sent);
    }
}

/// Answers whether what was loaded is the only region there is, and calls it by name.
fn know_region(context: Context, load: Value, only: Value) {
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

/// The constant that a question for equality compares a value with.
fn comparand(question: Value, value: Value) -> Option<Value> {
    let asks_for_equality = question.opcode()? == LLVMOpcode::LLVMICmp
        && matches!(
            question.int_predicate(),
            LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE
        );
    if !asks_for_equality {
        return None;
    }
    let (left, right) = (question.operand(0), question.operand(1));
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
fn number_regions(context: Context, accesses: &Accesses, sent: &[Value]) {
    let questions = accesses.loads.iter().flat_map(|load| load.users());
    let places: Vec<Value> = questions.chain(accesses.stores.iter().copied()).collect();
    for (index, &region) in sent.iter().enumerate() {
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
