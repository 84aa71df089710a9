//! Replaces inline assembly by intrinsics.
//!
//! Only common single instructions are known. Any other assembly is an error that names its place.

use anyhow::{Result, bail};

use super::dialect::Dialect;
use super::host::Architecture;
use super::unit::Unit;
use crate::analysis::source_locations::describe;
use crate::ir::{Builder, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in unit.module.definitions() {
        for call in function
            .instructions()
            .into_iter()
            .filter(|it| it.is_call() && it.called().is_inline_assembly())
        {
            rewrite(unit, call)?;
        }
    }
    Ok(())
}

fn rewrite(unit: &Unit, call: Value) -> Result<()> {
    let assembly = call.called();
    let text = assembly.assembly_text();
    let statements: Vec<_> = text
        .split([';', '\n'])
        .map(str::trim)
        .filter(|it| !is_comment(it))
        .collect();
    let done = match statements.as_slice() {
        [] => return keep_empty(unit, call),
        [statement] => instruction(unit, call, statement),
        _ => false,
    };
    if !done {
        bail!(
            "the virtual GPU cannot run the inline {} assembly `{}` {}; \
             use the compiler's builtin or an OpenMP construct",
            unit.dialect.target.name,
            text.trim().replace('\n', " "),
            describe(unit.context(), call)
        );
    }
    Ok(())
}

fn is_comment(statement: &str) -> bool {
    statement.is_empty() || statement.starts_with("//")
}

/// Keeps empty assembly, which only restrains the compiler, with the host's register letters.
fn keep_empty(unit: &Unit, call: Value) -> Result<()> {
    let assembly = call.called();
    let constraints: Vec<_> = assembly
        .assembly_constraints()
        .split(',')
        .map(|constraint| host_constraint(unit.dialect, unit.options.host, constraint))
        .collect();
    let kept = Value::inline_assembly(call.called_type(), "", &constraints.join(","), true);
    let replacement =
        Builder::before(unit.context(), call).call(kept, call.called_type(), &call.arguments());
    // SAFETY: `run` looks at each call once.
    unsafe { call.replace_with(replacement) };
    Ok(())
}

/// A constraint with the host's register letters.
fn host_constraint(dialect: &Dialect, host: Architecture, constraint: &str) -> String {
    if constraint.starts_with('~') {
        return constraint.to_owned();
    }
    let letters = constraint.chars();
    letters
        .map(|letter| (dialect.register_class)(letter, host))
        .collect()
}

/// One instruction as a call of the intrinsic that stands for it.
fn instruction(unit: &Unit, call: Value, statement: &str) -> bool {
    let (opcode, rest) = statement
        .split_once(char::is_whitespace)
        .unwrap_or((statement, ""));
    let operands: Vec<_> = rest
        .split(',')
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    let Some(intrinsic) = (unit.dialect.instruction)(opcode, &operands) else {
        return false;
    };
    let is_result = |operand: &str| operand == "$0" && !call.ty().is_void();
    let inputs = operands
        .iter()
        .filter(|operand| !is_result(operand) && !operand.starts_with('%'));
    let outputs = u32::from(!call.ty().is_void());
    let Some(arguments) = inputs
        .map(|text| operand(unit, call, text, outputs))
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let types: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
    let function = unit
        .module
        .declare(&intrinsic, Type::function(call.ty(), &types));
    let replacement = Builder::before(unit.context(), call).call_function(function, &arguments);
    // SAFETY: `run` looks at each call once.
    unsafe { call.replace_with(replacement) };
    true
}

/// The value of an input operand: `$n` or a number.
fn operand(unit: &Unit, call: Value, text: &str, outputs: u32) -> Option<Value> {
    if let Some(index) = text.strip_prefix('$') {
        let index = index.parse::<u32>().ok()?.checked_sub(outputs)?;
        return call.arguments().get(index as usize).copied();
    }
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => text.parse::<u64>().ok()?,
    };
    Some(Value::int(Type::int(unit.context(), 32), number))
}

#[cfg(test)]
mod tests {
    use super::super::dialect::DIALECTS;
    use super::*;

    #[test]
    fn register_letters_become_the_hosts() {
        let on = |host, constraint| host_constraint(&DIALECTS[0], host, constraint);
        assert_eq!(on(Architecture::X86_64, "=f"), "=x");
        assert_eq!(on(Architecture::Aarch64, "=f"), "=w");
        for host in [Architecture::X86_64, Architecture::Aarch64] {
            assert_eq!(on(host, "l"), "r");
            assert_eq!(on(host, "~{memory}"), "~{memory}");
        }
    }
}
