//! Copies, reductions and stores that a thread does not wait for (PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk",
//! "st.async", "red.async", "st.bulk", "clusterlaunchcontrol"). They are done at once.

use super::atomic::{self, operation};
use super::emitter::Emitter;
use super::mbarrier::have_come;
use super::memory::{elements, store};
use super::syntax::{Instruction, Operand};
use super::types::{PREDICATE, Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let operands = instruction.operands.as_slice();
    let name = instruction.opcode[0].as_str();
    match (name, operands) {
        ("cp", _) if instruction.has("bulk") => bulk(emitter, instruction, operands),
        ("st", [to, value, rest @ ..]) if instruction.has("async") => {
            store(emitter, instruction, to, value)?;
            notify(emitter, instruction, rest, elements(value).len())
        }
        ("red", [to, value, rest @ ..]) if instruction.has("async") => {
            let value = std::slice::from_ref(value);
            atomic::emit(emitter, instruction, None, to, value)?;
            notify(emitter, instruction, rest, 1)
        }
        ("st", [to, size, Operand::Number(0)]) if instruction.has("bulk") => {
            clear(emitter, to, size)
        }
        ("clusterlaunchcontrol", _) => launch_control(emitter, instruction, operands),
        _ => None,
    }
}

/// Whether the barrier in memory that comes last is told of the bytes.
fn notifies(instruction: &Instruction) -> bool {
    instruction.has("mbarrier::complete_tx::bytes")
}

/// Tells the barrier of so many elements of the instruction's type, if there is one.
fn notify(
    emitter: &mut Emitter,
    instruction: &Instruction,
    rest: &[Operand],
    count: usize,
) -> Option<()> {
    let ty = Ty::of(instruction.opcode.last()?)?;
    match (notifies(instruction), rest) {
        (true, [barrier]) => {
            let bytes = ty.size() / 8 * count as u32;
            have_come(emitter, barrier, &bytes.to_string())
        }
        (false, []) => Some(()),
        _ => None,
    }
}

fn is_shared(space: &str) -> bool {
    space.starts_with("shared")
}

/// A transfer of bytes.
struct Transfer {
    to: String,
    from: String,
    /// 64 bits.
    bytes: String,
}

/// `cp[.reduce].async.bulk.to.from.completion [to], [from], size{, …}{, [mbarrier]}`
fn bulk(emitter: &mut Emitter, instruction: &Instruction, operands: &[Operand]) -> Option<()> {
    if instruction.has("tensor") {
        return None;
    }
    let nothing_left = ["commit_group", "wait_group", "prefetch"];
    if nothing_left.into_iter().any(|form| instruction.has(form)) {
        return Some(());
    }
    let reduces = instruction.has("reduce");
    let spaces = instruction.opcode.get(3 + usize::from(reduces)..)?;
    let ([space_of_to, space_of_from, ..], [to, from, size, rest @ ..]) = (spaces, operands) else {
        return None;
    };
    let bytes = emitter.value(size, unsigned(32))?;
    let transfer = Transfer {
        to: emitter.address(to, is_shared(space_of_to))?,
        from: emitter.address(from, is_shared(space_of_from))?,
        bytes: emitter.resize(&bytes, 32, 64, false),
    };
    // A mask of the blocks that get a copy, and advice to caches, come last.
    let rest = if reduces {
        transfer.reduce(emitter, instruction)?;
        rest
    } else if instruction.has("cp_mask") {
        let (mask, rest) = rest.split_last()?;
        transfer.copy_masked(emitter, mask)?;
        rest
    } else if instruction.has("ignore_oob") {
        let [left, right, rest @ ..] = rest else {
            return None;
        };
        transfer.copy_inside(emitter, left, right)?;
        rest
    } else {
        transfer.copy(emitter);
        rest
    };
    match (notifies(instruction), rest) {
        (true, [barrier, ..]) => have_come(emitter, barrier, &bytes),
        (false, _) => Some(()),
        _ => None,
    }
}

impl Transfer {
    fn copy(&self, emitter: &mut Emitter) {
        let arguments = [
            ("ptr", self.to.as_str()),
            ("ptr", &self.from),
            ("i64", &self.bytes),
            ("i1", "false"),
        ];
        let arguments = arguments.map(|(ty, value)| (ty.to_owned(), value.to_owned()));
        emitter.call("void", "llvm.memcpy.p0.p0.i64", &arguments);
    }

    /// The address of a byte, in either memory.
    fn at(&self, emitter: &mut Emitter, offset: &str) -> [String; 2] {
        [&self.to, &self.from]
            .map(|base| emitter.op(&format!("getelementptr i8, ptr {base}, i64 {offset}")))
    }

    /// Element by element: each is an atomic operation.
    fn reduce(&self, emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
        let ty = Ty::of(instruction.opcode.last()?)?;
        let (llvm, size) = (ty.llvm(), ty.size() / 8);
        let operation = operation(instruction, ty)?;
        emitter.repeat(&self.bytes, size, |emitter, offset| {
            let [to, from] = self.at(emitter, offset);
            let value = emitter.op(&format!("load {llvm}, ptr {from}, align {size}"));
            emitter.op(&format!(
                "atomicrmw {operation} ptr {to}, {llvm} {value} monotonic"
            ));
            Some(())
        })
    }

    /// Of each 16 bytes those whose bits are set.
    fn copy_masked(&self, emitter: &mut Emitter, mask: &Operand) -> Option<()> {
        let mask = emitter.value(mask, unsigned(16))?;
        emitter.repeat(&self.bytes, 1, |emitter, offset| {
            let bit = emitter.op(&format!("trunc i64 {offset} to i16"));
            let bit = emitter.op(&format!("and i16 {bit}, 15"));
            let bit = emitter.op(&format!("lshr i16 {mask}, {bit}"));
            let is_set = emitter.op(&format!("trunc i16 {bit} to i1"));
            self.copy_byte(emitter, offset, &is_set)
        })
    }

    /// Without so many bytes at the begin and at the end, which lie outside of the source.
    fn copy_inside(&self, emitter: &mut Emitter, left: &Operand, right: &Operand) -> Option<()> {
        let [left, right] = [left, right].map(|count| {
            let count = emitter.value(count, unsigned(32))?;
            Some(emitter.resize(&count, 32, 64, false))
        });
        let (left, right) = (left?, right?);
        let end = emitter.op(&format!("sub i64 {}, {right}", self.bytes));
        emitter.repeat(&self.bytes, 1, |emitter, offset| {
            let begun = emitter.op(&format!("icmp uge i64 {offset}, {left}"));
            let before = emitter.op(&format!("icmp slt i64 {offset}, {end}"));
            let inside = emitter.op(&format!("and i1 {begun}, {before}"));
            self.copy_byte(emitter, offset, &inside)
        })
    }

    fn copy_byte(&self, emitter: &mut Emitter, offset: &str, condition: &str) -> Option<()> {
        let [copies, after] = [(); 2].map(|()| emitter.fresh());
        emitter.line(&format!(
            "  br i1 {condition}, label {copies}, label {after}"
        ));
        emitter.line(&format!("{}:", &copies[1..]));
        let [to, from] = self.at(emitter, offset);
        let value = emitter.op(&format!("load i8, ptr {from}"));
        emitter.line(&format!("  store i8 {value}, ptr {to}\n  br label {after}"));
        emitter.line(&format!("{}:", &after[1..]));
        Some(())
    }
}

/// `st.bulk [a], size, 0`
fn clear(emitter: &mut Emitter, to: &Operand, size: &Operand) -> Option<()> {
    let arguments = [
        ("ptr", emitter.address(to, true)?),
        ("i8", "0".to_owned()),
        ("i64", emitter.value(size, unsigned(64))?),
        ("i1", "false".to_owned()),
    ];
    let arguments = arguments.map(|(ty, value)| (ty.to_owned(), value));
    emitter.call("void", "llvm.memset.p0.i64", &arguments);
    Some(())
}

/// A request to take over a cluster that has not begun. Here none is left: each answer, 16 bytes, is the refusal, which
/// every program has to expect, and all blocks run as they were launched.
fn launch_control(
    emitter: &mut Emitter,
    instruction: &Instruction,
    operands: &[Operand],
) -> Option<()> {
    match operands {
        [answer, barrier] if instruction.has("try_cancel") => {
            let answer = emitter.address(answer, true)?;
            emitter.line(&format!("  store i128 0, ptr {answer}, align 16"));
            have_come(emitter, barrier, "16")
        }
        [to, answer] if instruction.has("is_canceled") => {
            let answer = emitter.value(answer, unsigned(128))?;
            let accepted = emitter.op(&format!("icmp ne i128 {answer}, 0"));
            emitter.assign(to, PREDICATE, &accepted)
        }
        // Of a refusal there is no first block.
        [to, _]
            if instruction
                .opcode
                .iter()
                .any(|part| part.starts_with("get_first_ctaid")) =>
        {
            for part in elements(to) {
                emitter.assign(part, unsigned(32), "0")?;
            }
            Some(())
        }
        _ => None,
    }
}
