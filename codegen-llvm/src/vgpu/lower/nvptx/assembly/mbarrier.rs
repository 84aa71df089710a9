//! Barriers in memory and bulk copies that they wait for (PTX ISA, "mbarrier", "cp.async.bulk"). A cluster is a block
//! of its own, and a copy is done at once.

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{PREDICATE, unsigned};

type Argument = (String, String);

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let operands = instruction.operands.as_slice();
    match instruction.opcode[0].as_str() {
        "mbarrier" => mbarrier(emitter, instruction, operands),
        "cp" if instruction.has("bulk") => bulk(emitter, instruction, operands),
        "cp" if instruction.has("mbarrier") => arrive_after_copies(emitter, instruction, operands),
        _ => None,
    }
}

/// The object at an address, as an argument.
fn object(emitter: &mut Emitter, at: &Operand) -> Option<Argument> {
    Some(("ptr".to_owned(), emitter.address(at, true)?))
}

/// The same where LLVM has no generic form.
fn shared_object(emitter: &mut Emitter, at: &Operand) -> Option<Argument> {
    let (_, object) = object(emitter, at)?;
    let shared = emitter.op(&format!("addrspacecast ptr {object} to ptr addrspace(3)"));
    Some(("ptr addrspace(3)".to_owned(), shared))
}

fn count(emitter: &mut Emitter, operand: &Operand) -> Option<Argument> {
    Some(("i32".to_owned(), emitter.value(operand, unsigned(32))?))
}

fn mbarrier(emitter: &mut Emitter, instruction: &Instruction, operands: &[Operand]) -> Option<()> {
    let operation = instruction.opcode.get(1)?.as_str();
    match (operation, operands) {
        ("init", [at, number]) => {
            let arguments = [object(emitter, at)?, count(emitter, number)?];
            emitter.call("void", "llvm.nvvm.mbarrier.init", &arguments);
            Some(())
        }
        ("inval", [at]) => {
            let arguments = [object(emitter, at)?];
            emitter.call("void", "llvm.nvvm.mbarrier.inval", &arguments);
            Some(())
        }
        ("expect_tx" | "complete_tx", [at, bytes]) => {
            transaction(emitter, &operation.replace('_', "."), at, bytes)
        }
        // Of a barrier that may be another block's there is no state.
        ("arrive" | "arrive_drop", [at @ Operand::Address(..), number @ ..]) => {
            let nothing = Operand::Name("_".to_owned());
            arrive(emitter, instruction, &nothing, at, number)
        }
        ("arrive" | "arrive_drop", [state, at, number @ ..]) => {
            arrive(emitter, instruction, state, at, number)
        }
        ("pending_count", [to, state]) => {
            let state = ("i64".to_owned(), emitter.value(state, unsigned(64))?);
            let value = emitter.call("i32", "llvm.nvvm.mbarrier.pending.count", &[state]);
            emitter.assign(to, unsigned(32), &value)
        }
        ("test_wait" | "try_wait", [to, at, state, ..]) => {
            wait(emitter, instruction, operation, to, at, state)
        }
        _ => None,
    }
}

/// Bytes that a phase waits for, or that have come.
fn transaction(emitter: &mut Emitter, name: &str, at: &Operand, bytes: &Operand) -> Option<()> {
    let arguments = [shared_object(emitter, at)?, count(emitter, bytes)?];
    let name = format!("llvm.nvvm.mbarrier.{name}.scope.cta.space.cta");
    emitter.call("void", &name, &arguments);
    Some(())
}

/// A count needs the form that says it, which gives the same.
fn arrive(
    emitter: &mut Emitter,
    instruction: &Instruction,
    state: &Operand,
    at: &Operand,
    number: &[Operand],
) -> Option<()> {
    let operation = instruction.opcode.get(1)?.replace('_', ".");
    let plain = match (instruction.has("expect_tx"), number) {
        (true, [bytes]) => {
            transaction(emitter, "expect.tx", at, bytes)?;
            true
        }
        (false, []) => true,
        (false, [_]) => false,
        _ => return None,
    };
    let mut arguments = vec![object(emitter, at)?];
    let mut name = format!("llvm.nvvm.mbarrier.{operation}");
    if !plain {
        arguments.push(count(emitter, &number[0])?);
        name += ".noComplete";
    }
    let value = emitter.call("i64", &name, &arguments);
    emitter.assign(state, unsigned(64), &value)
}

fn wait(
    emitter: &mut Emitter,
    instruction: &Instruction,
    operation: &str,
    to: &Operand,
    at: &Operand,
    state: &Operand,
) -> Option<()> {
    // A thread that tries lets the others run: so does one that waits for a while.
    if operation == "try_wait" {
        let none = ("i32".to_owned(), "0".to_owned());
        emitter.call("void", "llvm.nvvm.nanosleep", &[none]);
    }
    let value = if instruction.has("parity") {
        let arguments = [shared_object(emitter, at)?, count(emitter, state)?];
        let name = "llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta";
        emitter.call("i1", name, &arguments)
    } else {
        let state = ("i64".to_owned(), emitter.value(state, unsigned(64))?);
        let arguments = [object(emitter, at)?, state];
        emitter.call("i1", "llvm.nvvm.mbarrier.test.wait", &arguments)
    };
    emitter.assign(to, PREDICATE, &value)
}

/// `cp.async.mbarrier.arrive`: the copies are done. Without `.noinc` the phase first waits for one arrival more.
fn arrive_after_copies(
    emitter: &mut Emitter,
    instruction: &Instruction,
    operands: &[Operand],
) -> Option<()> {
    let [at] = operands else {
        return None;
    };
    if instruction.has("noinc") {
        let arguments = [object(emitter, at)?];
        emitter.call("i64", "llvm.nvvm.mbarrier.arrive", &arguments);
    }
    Some(())
}

/// `cp.async.bulk.to.from.completion [to], [from], size{, [mbarrier]}`
fn bulk(emitter: &mut Emitter, instruction: &Instruction, operands: &[Operand]) -> Option<()> {
    let unknown = ["tensor", "reduce", "cp_mask", "ignore_oob"];
    if unknown.into_iter().any(|form| instruction.has(form)) {
        return None;
    }
    let nothing_left = ["commit_group", "wait_group", "prefetch"];
    if nothing_left.into_iter().any(|form| instruction.has(form)) {
        return Some(());
    }
    let [_, _, _, space_of_to, space_of_from, ..] = instruction.opcode.as_slice() else {
        return None;
    };
    // A mask of the blocks that get a copy, and advice to caches, come last.
    let [to, from, size, rest @ ..] = operands else {
        return None;
    };
    let notifies = instruction.has("mbarrier::complete_tx::bytes");
    let is_shared = |space: &str| space.starts_with("shared");
    let (to, from) = (
        emitter.address(to, is_shared(space_of_to))?,
        emitter.address(from, is_shared(space_of_from))?,
    );
    let bytes = emitter.value(size, unsigned(32))?;
    let bytes = emitter.resize(&bytes, 32, 64, false);
    let copied = [
        ("ptr", to.as_str()),
        ("ptr", from.as_str()),
        ("i64", bytes.as_str()),
        ("i1", "false"),
    ];
    emitter.call(
        "void",
        "llvm.memcpy.p0.p0.i64",
        &copied.map(|(ty, value)| (ty.to_owned(), value.to_owned())),
    );
    match (notifies, rest) {
        (true, [at, ..]) => transaction(emitter, "complete.tx", at, size),
        (false, _) => Some(()),
        _ => None,
    }
}
