//! Kernel parameters whose value reaches a place unchanged, in code as clang emits it.
//!
//! clang stores each parameter of a function into a local, and reads it from there wherever it is used. A captured
//! number goes so from the kernel through the functions that it outlines for `teams` and `distribute`.

use llvm_sys::LLVMOpcode;

use super::captures;
use crate::ir::Value;

/// As many bits of the parameter arrive.
const LOW_BITS: u32 = 32;

/// The kernel and the number of its parameter of which a value has the low 32 bits. `None` if it is not known.
pub fn origin(value: Value, kernels: &[Value]) -> Option<(Value, usize)> {
    // A chain has two links for each function on the way.
    const LONGEST: usize = 32;
    let mut value = value;
    for _ in 0..LONGEST {
        if let Some(stored) = only_value(value) {
            value = stored;
            continue;
        }
        if value.opcode() == Some(LLVMOpcode::LLVMTrunc) {
            value = value.operand(0);
            continue;
        }
        let function = value.function_of_parameter()?;
        let number = function.parameters().iter().position(|it| *it == value)?;
        if kernels.contains(&function) {
            return Some((function, number));
        }
        value = only_call(function)?.arguments().get(number).copied()?;
    }
    None
}

/// What a load from a local reads, where the function stores into the local once and nobody else can.
fn only_value(load: Value) -> Option<Value> {
    if load.opcode() != Some(LLVMOpcode::LLVMLoad) || load.is_volatile() {
        return None;
    }
    let address = load.operand(0);
    let local = match address.opcode()? {
        LLVMOpcode::LLVMAddrSpaceCast => address.operand(0),
        _ => address,
    };
    if local.opcode() != Some(LLVMOpcode::LLVMAlloca) {
        return None;
    }
    let mut stored = None;
    for address in captures::same_address(local) {
        for user in address.users() {
            match user.opcode() {
                Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMAddrSpaceCast) => {}
                Some(LLVMOpcode::LLVMStore) if user.operand(0) != address => {
                    if stored.replace(user.operand(0)).is_some() {
                        return None;
                    }
                }
                _ if captures::only_marks(user) => {}
                _ => return None,
            }
        }
    }
    stored.filter(|stored| stored.ty().is_int() && stored.ty().int_width() >= LOW_BITS)
}

/// The one call of a function of this module that nothing else refers to.
pub fn only_call(function: Value) -> Option<Value> {
    let users = function.users();
    let [call] = users[..] else { return None };
    let calls = call.called_function() == Some(function) && !call.arguments().contains(&function);
    (function.is_local() && calls).then_some(call)
}
