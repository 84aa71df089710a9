//! Refuses what LLVM's back ends for GPUs have no code for.
//!
//! The back end would end the process with an internal message.

use anyhow::{Result, bail};
use llvm_sys::LLVMTypeKind::{LLVMFP128TypeKind, LLVMX86_FP80TypeKind};

use crate::analysis::source_locations::describe;
use crate::ir::{Module, Type, Value};

/// Refuses the first instruction that has no code, and names its place.
pub fn refuse(module: &Module) -> Result<()> {
    for function in module.definitions() {
        for instruction in function.instructions() {
            if let Some(what) = unsupported(instruction) {
                bail!(
                    "device code uses {what}, {}",
                    describe(module.context, instruction)
                );
            }
        }
    }
    Ok(())
}

fn unsupported(instruction: Value) -> Option<&'static str> {
    let types = || {
        let operands = instruction.operands().into_iter().map(Value::ty);
        operands.chain([instruction.ty()])
    };
    types()
        .any(is_long_double)
        .then_some("long double, which GPUs do not have (double has 64 bits there)")
}

fn is_long_double(ty: Type) -> bool {
    matches!(ty.kind(), LLVMX86_FP80TypeKind | LLVMFP128TypeKind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    fn refusal(body: &str) -> Option<String> {
        let text = format!("define i128 @f(i128 %a, i128 %b, double %d) {{\n{body}\n}}");
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        refuse(&module).err().map(|error| error.to_string())
    }

    #[test]
    fn long_double() {
        let refused = refusal("%x = fpext double %d to x86_fp80\nret i128 0").unwrap();
        assert!(refused.contains("long double"), "{refused}");
    }
}
