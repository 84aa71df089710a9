//! Refuses kernels that need what the virtual GPU does not have. The others of the image run.

use anyhow::{Result, bail};

use super::unit::Unit;
use crate::analysis::reach;
use crate::ir::{Builder, Type, Value};

/// A call of something that the virtual GPU does not have.
pub struct Refused {
    /// The call.
    pub call: Value,
    /// What it is, and where.
    pub why: String,
}

/// Refuses the kernels that reach one of the calls, and makes these trap. An image without a kernel that runs is refused
/// as a whole.
pub fn refuse(unit: &mut Unit, calls: Vec<Refused>) -> Result<()> {
    let Some(first) = calls.first().map(|refused| refused.why.clone()) else {
        return Ok(());
    };
    for kernel in &mut unit.kernels {
        let reached = reach::mentioned(vec![kernel.function]);
        let found = calls
            .iter()
            .find(|refused| reached.contains(&refused.call.block().function()));
        if let Some(refused) = found
            && kernel.refusal.is_none()
        {
            kernel.refusal = Some(refused.why.clone());
        }
    }
    if unit.kernels.iter().all(|kernel| kernel.refusal.is_some()) {
        bail!("{first}");
    }
    let trap = Type::function(Type::void(unit.context()), &[]);
    let trap = unit.module.declare("llvm.trap", trap);
    for Refused { call, .. } in calls {
        Builder::before(unit.context(), call).call_function(trap, &[]);
        let nothing = Value::poison(call.ty());
        // SAFETY: each call is in the list once.
        unsafe { call.replace_with(nothing) };
    }
    Ok(())
}
