//! Locals, as clang leaves them before anything is optimised: what is stored to them and loaded from them.

use llvm_sys::LLVMOpcode;

use super::captures;
use crate::ir::Value;

/// A number before conversions between integers of different widths and pointers.
pub fn converted(mut value: Value) -> Value {
    use LLVMOpcode::{LLVMIntToPtr, LLVMSExt, LLVMTrunc, LLVMZExt};
    while let Some(LLVMIntToPtr | LLVMSExt | LLVMTrunc | LLVMZExt) = value.opcode() {
        value = value.operand(0);
    }
    value
}

/// The local that a value was loaded from.
pub fn loaded_from(value: Value) -> Option<Value> {
    let load = converted(value);
    (load.opcode() == Some(LLVMOpcode::LLVMLoad)).then(|| load.operand(0).address_base())
}

/// Whether a local is the one that clang gives a parameter.
pub fn holds_parameter_itself(local: Value, parameter: Option<Value>) -> bool {
    stores_to(local).any(|value| Some(value) == parameter)
}

/// The local that clang gives a parameter.
pub fn local_of(parameter: Value) -> Option<Value> {
    let [store] = parameter.users()[..] else {
        return None;
    };
    let stores = store.opcode() == Some(LLVMOpcode::LLVMStore) && store.operand(0) == parameter;
    stores.then(|| store.operand(1))
}

/// The stores to a local.
pub fn stores(local: Value) -> impl Iterator<Item = Value> {
    let addresses = captures::same_address(local.address_base()).into_iter();
    addresses.flat_map(move |address| {
        let users = address.users().into_iter();
        users.filter(move |user| {
            user.opcode() == Some(LLVMOpcode::LLVMStore) && user.operand(1) == address
        })
    })
}

/// What is stored to a local.
pub fn stores_to(local: Value) -> impl Iterator<Item = Value> {
    stores(local).map(|store| store.operand(0))
}

/// What a store adds to the local that it stores to: `by` of `local = local + by`.
pub fn added(store: Value, local: Value) -> Option<Value> {
    let sum = store.operand(0);
    let goes_on =
        sum.opcode() == Some(LLVMOpcode::LLVMAdd) && loaded_from(sum.operand(0)) == Some(local);
    goes_on.then(|| sum.operand(1))
}

/// Whether a local gets the value of a parameter, by way of the local that clang gives each parameter.
pub fn holds_parameter(local: Value, parameter: Option<Value>) -> bool {
    stores_to(local)
        .filter_map(loaded_from)
        .any(|own| holds_parameter_itself(own, parameter))
}
