//! Accesses go through flat addresses.
//!
//! The device link knows of many addresses that they are of global memory, and casts them right before the access. To a
//! host all spaces are one. But LLVM's analysis of loops does not see through a cast: it does not know then which
//! elements a loop accesses, and makes no vectors of it.
//!
//! Needs: warp forms made, which want to know which memory an access goes to. They keep their casts.

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::optimise::scalar_forms;
use super::unit::Unit;
use crate::ir::Value;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in scalar_forms(unit) {
        function.instructions().into_iter().for_each(flatten);
    }
    Ok(())
}

/// Lets an access through a cast of a flat address do without the cast.
fn flatten(access: Value) {
    let Some(at) = access.accessed_operand() else {
        return;
    };
    let address = access.operand(at);
    if address.opcode() == Some(LLVMOpcode::LLVMAddrSpaceCast)
        && address.operand(0).ty().address_space() == 0
    {
        access.set_operand(at, address.operand(0));
    }
}
