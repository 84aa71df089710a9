//! Defines the number of zeros in front of or behind the ones of a mask that has none.
//!
//! A warp form asks which lane is the first or the last that takes part, where it knows that one does, and takes that
//! lane's element of a vector. LLVM may compute both ahead of the branch that asks whether any lane takes part: a
//! number that is poison makes a poisonous element, which nobody uses. But the back end, which keeps such a vector in
//! memory, takes the number for one below the vector's length, and reads wherever a register happens to point.
//!
//! Needs: everything optimised, as optimisations derive the poison anew. Leaves: counts without poison, for which the
//! back end keeps elements inside of their vector.

use anyhow::Result;

use super::unit::Unit;
use crate::ir::{Context, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in unit.module.definitions() {
        define(unit.context(), function);
    }
    Ok(())
}

fn define(context: Context, function: Value) {
    for call in function.instructions() {
        let callee = call.is_call().then(|| call.called_function()).flatten();
        let counts = callee.is_some_and(|callee| {
            let name = callee.name();
            name.starts_with("llvm.ctlz.i") || name.starts_with("llvm.cttz.i")
        });
        if counts {
            call.set_operand(1, Value::zero(Type::int(context, 1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    #[test]
    fn a_count_is_never_poison() {
        let text = "declare i32 @llvm.ctlz.i32(i32, i1)\n\n\
                    define float @f(<32 x float> %all, i32 %mask) {\n  \
                    %above = call i32 @llvm.ctlz.i32(i32 %mask, i1 true)\n  %last = sub i32 31, %above\n  \
                    %one = extractelement <32 x float> %all, i32 %last\n  ret float %one\n}\n";
        let context = Context::new();
        let module = Module::parse(context, text, "test").unwrap();
        define(context, module.definitions()[0]);
        assert!(
            module
                .print()
                .contains("@llvm.ctlz.i32(i32 %mask, i1 false)")
        );
    }
}
