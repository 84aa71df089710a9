//! Computes what every thread of a team can compute alike, instead of loading it from shared memory.
//!
//! A region captures variables by reference, also those that nobody changes: one thread computes them of the kernel's
//! parameters and stores them, all others load them. Each such load takes as long as some ten instructions, and those
//! that follow barriers are done again. If a variable is stored at one place only, and the value depends on nothing but
//! the kernel's parameters and the block's index, every thread has that value. Then each thread computes it itself, and
//! nobody reads the variable any more.

use llvm_sys::LLVMOpcode;

use crate::analysis::intrinsics::is_call_of;
use crate::analysis::kernels::{self, IN_MEMORY};
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Context, Module, Value};

/// The most instructions that a value may take.
const MOST: usize = 8;

/// Reads of what is the same for all threads of a block.
const OF_THE_BLOCK: [&str; 6] = [
    "llvm.nvvm.read.ptx.sreg.ctaid.x",
    "llvm.nvvm.read.ptx.sreg.ctaid.y",
    "llvm.nvvm.read.ptx.sreg.ctaid.z",
    "llvm.amdgcn.workgroup.id.x",
    "llvm.amdgcn.workgroup.id.y",
    "llvm.amdgcn.workgroup.id.z",
];

/// Replaces such loads.
pub fn run(module: &Module) {
    let kernels: Vec<Value> = kernels::find(module)
        .into_iter()
        .map(|kernel| kernel.function)
        .collect();
    for variable in module.globals() {
        let is_variable_of_a_team = variable.is_local()
            && variable.ty().address_space() == SHARED
            && variable.initializer().is_some_and(Value::is_undefined);
        if is_variable_of_a_team {
            forward(module.context, variable, &kernels);
        }
    }
}

/// Replaces the loads of a variable with one store.
fn forward(context: Context, variable: Value, kernels: &[Value]) {
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    if collect(variable, &mut loads, &mut stores).is_none() {
        return;
    }
    let [store] = stores[..] else {
        return;
    };
    let (value, kernel) = (store.operand(0), store.block().function());
    if !kernels.contains(&kernel) {
        return;
    }
    let mut needed = Vec::new();
    if !is_alike(value, kernel, &mut needed) {
        return;
    }
    // Another kernel, or a load before the store, would find what nobody has stored. Functions that are not inlined do
    // not know the parameters.
    let known = |load: &Value| load.block().function() == kernel && load.ty() == value.ty();
    let (known, others): (Vec<_>, Vec<_>) = loads.into_iter().partition(known);
    for load in known {
        let builder = Builder::before(context, load);
        let copies: Vec<Value> = needed.iter().map(|&each| builder.copy_of(each)).collect();
        for copy in &copies {
            for (&each, &new) in needed.iter().zip(&copies) {
                copy.replace_operand(each, new);
            }
        }
        let last = needed.iter().position(|&each| each == value);
        // SAFETY: the list names each load once.
        unsafe { load.replace_with(last.map_or(value, |last| copies[last])) };
    }
    if others.is_empty() {
        // SAFETY: a store has no result, and there is one. (LLVM would keep it where the variable is a pointer.)
        unsafe { store.erase() };
    }
}

/// The plain accesses through a pointer; `None` if anything else is done with it.
fn collect(pointer: Value, loads: &mut Vec<Value>, stores: &mut Vec<Value>) -> Option<()> {
    for user in pointer.users() {
        match user.operation()? {
            LLVMOpcode::LLVMAddrSpaceCast => collect(user, loads, stores)?,
            LLVMOpcode::LLVMLoad if is_plain(user) => loads.push(user),
            LLVMOpcode::LLVMStore if is_plain(user) && user.operand(0) != pointer => {
                stores.push(user);
            }
            _ => return None,
        }
    }
    Some(())
}

fn is_plain(access: Value) -> bool {
    !access.is_volatile() && !access.is_atomic()
}

/// Whether all threads that compute a value get the same. `needed` becomes the instructions for it, in their order.
fn is_alike(value: Value, kernel: Value, needed: &mut Vec<Value>) -> bool {
    if value.is_constant() || needed.contains(&value) {
        return true;
    }
    if value.function_of_parameter() == Some(kernel) {
        // Of what a caller passes in memory, a thread may have a copy at an address of its own.
        let mut parameters = kernel.parameters().into_iter();
        let index = parameters.position(|parameter| parameter == value);
        return index.is_some_and(|index| {
            let has = |name: &&str| kernel.type_attribute_at(index as u32 + 1, name).is_some();
            !IN_MEMORY.iter().any(has)
        });
    }
    let alike = is_call_of(value, &OF_THE_BLOCK)
        || is_arithmetic(value)
            && value
                .operands()
                .into_iter()
                .all(|operand| is_alike(operand, kernel, needed));
    if !alike || needed.len() == MOST {
        return false;
    }
    needed.push(value);
    true
}

/// Whether an instruction computes with its operands alone, and may do so anywhere.
fn is_arithmetic(value: Value) -> bool {
    matches!(
        value.opcode(),
        Some(
            LLVMOpcode::LLVMAdd
                | LLVMOpcode::LLVMSub
                | LLVMOpcode::LLVMMul
                | LLVMOpcode::LLVMAnd
                | LLVMOpcode::LLVMOr
                | LLVMOpcode::LLVMXor
                | LLVMOpcode::LLVMShl
                | LLVMOpcode::LLVMLShr
                | LLVMOpcode::LLVMAShr
                | LLVMOpcode::LLVMTrunc
                | LLVMOpcode::LLVMZExt
                | LLVMOpcode::LLVMSExt
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMICmp
                | LLVMOpcode::LLVMSelect
        )
    )
}
