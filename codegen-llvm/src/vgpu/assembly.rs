//! Needs: inline assembly in calls. Leaves: the same as intrinsics; anything that is not one
//! of the common single instructions is an error with its place.

use anyhow::{Result, bail};

use super::dialect::Dialect;
use super::sites::describe;
use super::unit::Unit;
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
            "the virtual GPU cannot run the inline {} assembly `{}` {}; use the compiler's builtin or an OpenMP construct",
            unit.dialect.name,
            text.trim().replace('\n', " "),
            describe(unit.context(), call)
        );
    }
    Ok(())
}

fn is_comment(statement: &str) -> bool {
    statement.is_empty() || statement.starts_with("//")
}

/// Empty assembly only holds the compiler: x86 understands it too, given its register letters.
fn keep_empty(unit: &Unit, call: Value) -> Result<()> {
    let assembly = call.called();
    let constraints: Vec<_> = assembly
        .assembly_constraints()
        .split(',')
        .map(|constraint| host_constraint(unit.dialect, constraint))
        .collect();
    let kept = Value::inline_assembly(call.called_type(), &constraints.join(","), true);
    let replacement =
        Builder::before(unit.context(), call).call(kept, call.called_type(), &call.arguments());
    call.replace_all_uses(replacement);
    call.erase();
    Ok(())
}

/// A constraint with the host's register letters.
fn host_constraint(dialect: &Dialect, constraint: &str) -> String {
    if constraint.starts_with('~') {
        return constraint.to_owned();
    }
    constraint.chars().map(dialect.register_class).collect()
}

/// NVPTX's register letters as x86's: 16-, 32- and 64-bit integers are `r`, floats `x`.
pub fn ptx_register_class(letter: char) -> char {
    match letter {
        'h' | 'c' | 'l' => 'r',
        'f' | 'd' => 'x',
        other => other,
    }
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
    call.replace_all_uses(replacement);
    call.erase();
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

/// The intrinsic for a PTX opcode and its operands.
pub fn ptx_intrinsic(opcode: &str, operands: &[&str]) -> Option<String> {
    let name = match (opcode, operands) {
        ("trap" | "brkpt", []) => return Some("llvm.trap".to_owned()),
        ("exit", []) => "exit",
        ("membar.cta" | "fence.acq_rel.cta" | "fence.sc.cta" | "fence.cta", []) => "membar.cta",
        ("membar.gl" | "membar.sys", []) => "membar.sys",
        (fence, []) if fence.starts_with("fence.") => "membar.sys",
        (
            "bar.sync"
            | "barrier.sync"
            | "barrier.sync.aligned"
            | "bar.cta.sync"
            | "barrier.cta.sync",
            [_],
        ) => "barrier.cta.sync.all",
        (
            "bar.sync"
            | "barrier.sync"
            | "barrier.sync.aligned"
            | "bar.cta.sync"
            | "barrier.cta.sync",
            [_, _],
        ) => "barrier.cta.sync.count",
        (
            "bar.arrive" | "barrier.arrive" | "barrier.arrive.aligned" | "barrier.cta.arrive",
            [_, _],
        ) => "barrier.cta.arrive.count",
        ("bar.warp.sync", [_]) => "bar.warp.sync",
        ("activemask.b32", ["$0"]) => "activemask",
        ("nanosleep.u32", [_]) => "nanosleep",
        ("prmt.b32", ["$0", _, _, _]) => "prmt",
        (copy, ["$0", source]) if copy.starts_with("mov.") => return register_read(source),
        _ => return None,
    };
    Some(format!("llvm.nvvm.{name}"))
}

/// `%lanemask_lt` → `llvm.nvvm.read.ptx.sreg.lanemask.lt`
fn register_read(source: &str) -> Option<String> {
    let register = source.strip_prefix('%')?.trim_start_matches('%');
    let register = match register {
        "dynamic_smem_size" | "total_smem_size" | "aggr_smem_size" => register.to_owned(),
        _ => register.replace('_', "."),
    };
    Some(format!("llvm.nvvm.read.ptx.sreg.{register}"))
}

#[cfg(test)]
mod tests {
    use super::super::dialect::DIALECTS;
    use super::*;

    #[test]
    fn instructions_map_to_intrinsics() {
        assert_eq!(
            ptx_intrinsic("mov.u32", &["$0", "%laneid"]).unwrap(),
            "llvm.nvvm.read.ptx.sreg.laneid"
        );
        assert_eq!(
            register_read("%lanemask_lt").unwrap(),
            "llvm.nvvm.read.ptx.sreg.lanemask.lt"
        );
        assert_eq!(
            register_read("%total_smem_size").unwrap(),
            "llvm.nvvm.read.ptx.sreg.total_smem_size"
        );
        assert_eq!(
            ptx_intrinsic("bar.sync", &["1", "64"]).unwrap(),
            "llvm.nvvm.barrier.cta.sync.count"
        );
        assert_eq!(ptx_intrinsic("mov.u32", &["$0", "$1"]), None);
        assert_eq!(ptx_intrinsic("mma.sync", &[]), None);
    }

    #[test]
    fn register_letters_become_the_hosts() {
        assert_eq!(host_constraint(&DIALECTS[0], "=f"), "=x");
        assert_eq!(host_constraint(&DIALECTS[0], "l"), "r");
        assert_eq!(host_constraint(&DIALECTS[0], "~{memory}"), "~{memory}");
    }
}
