//! Barriers in memory (PTX ISA, "mbarrier"). A cluster is a block of its own.

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{PREDICATE, unsigned};

type Argument = (String, String);

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let operands = instruction.operands.as_slice();
    match instruction.opcode[0].as_str() {
        "mbarrier" => mbarrier(emitter, instruction, operands),
        "cp" if instruction.has("mbarrier") && !instruction.has("bulk") => {
            arrive_after_copies(emitter, instruction, operands)
        }
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
            let bytes = count(emitter, bytes)?;
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

/// Tells a barrier that so many bytes, a number of 32 bits, have come.
pub fn have_come(emitter: &mut Emitter, at: &Operand, bytes: &str) -> Option<()> {
    let bytes = ("i32".to_owned(), bytes.to_owned());
    transaction(emitter, "complete.tx", at, bytes)
}

/// Bytes that a phase waits for, or that have come.
fn transaction(emitter: &mut Emitter, name: &str, at: &Operand, bytes: Argument) -> Option<()> {
    let arguments = [shared_object(emitter, at)?, bytes];
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
            let bytes = count(emitter, bytes)?;
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
