//! Instructions that lanes do in turn, one lane after the other, on values of its own.
//!
//! Atomic additions to as many places as there are lanes are in turn, and where several follow each other, with loads of what is added between them, all of one
//! lane's come before the next lane's, as on fibers: what one thread adds to is often one cache line, which other CPUs want, too.

use std::collections::HashMap;

use llvm_sys::LLVMOpcode;

use super::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

/// What an instruction that is done in turn takes.
enum Operand {
    /// The same for all lanes.
    Same(Value),
    /// Lane 0's, and the difference from lane to lane.
    Steps(Value, i64),
    /// Lanes of a vector.
    Vector(Value),
    /// Elements of this type, one per lane, from an address on.
    Memory(Type, Value),
}

/// Additions and what lies between them, from the first to the last in a block.
pub(super) struct SerialGroup {
    /// How many instructions, all told.
    pub(super) length: usize,
    /// Those that each lane does in its turn; the others, which come before, have no part of the additions' order.
    members: Vec<Value>,
}

impl Vectoriser<'_> {
    /// The turn that begins with the first of a block's remaining instructions, if it has two additions at least.
    pub(super) fn serial_group(&self, instructions: &[Value]) -> Option<SerialGroup> {
        if !self.is_addition(*instructions.first()?) {
            return None;
        }
        let fits =
            |it: &&Value| self.is_addition(**it) || self.is_own_load(**it) || ignores_memory(**it);
        let mut run = instructions.iter().take_while(fits).count();
        loop {
            let last = instructions[..run]
                .iter()
                .rposition(|&it| self.is_addition(it))?;
            let members = self.members(&instructions[..=last]);
            // What is loaded for others, too, is loaded where it stands.
            let between = instructions[..=last].iter();
            let other = between
                .clone()
                .position(|it| self.is_own_load(*it) && !members.contains(it));
            match other {
                Some(load) => run = load,
                None if last == 0 => return None,
                None => {
                    let length = last + 1;
                    return (members.iter().filter(|&&it| self.is_addition(it)).count() > 1)
                        .then_some(SerialGroup { length, members });
                }
            }
        }
    }

    /// Of a run of instructions the additions, and the loads and addresses that only they use, in order.
    fn members(&self, run: &[Value]) -> Vec<Value> {
        let mut members = Vec::new();
        for &instruction in run.iter().rev() {
            let serves = || {
                (self.is_own_load(instruction) || is_address(instruction))
                    && instruction
                        .users()
                        .iter()
                        .all(|user| members.contains(user))
            };
            if self.is_addition(instruction) || serves() {
                members.push(instruction);
            }
        }
        members.reverse();
        members
    }

    /// Has each lane do a turn's instructions; the others, as vectors, before.
    pub(super) fn serialise_lanes(
        &mut self,
        run: &[Value],
        group: &SerialGroup,
    ) -> Result<(), Refusal> {
        for &instruction in run.iter().filter(|it| !group.members.contains(it)) {
            self.builder.locate_as(instruction);
            self.instruction(instruction)?;
        }
        let all = self.with_addresses(&group.members);
        let operands = self.operands_of(&all);
        self.for_each_lane(None, |vectoriser, lane| {
            vectoriser.copies(&all, &operands, lane)
        });
        Ok(())
    }

    /// A turn's instructions, and before them the addresses they take that are a fixed distance from another, for each lane to compute:
    /// thus the lanes' addresses are in memory once for all of them.
    fn with_addresses(&self, members: &[Value]) -> Vec<Value> {
        let mut all = Vec::new();
        let mut open: Vec<_> = members.iter().rev().copied().collect();
        while let Some(&instruction) = open.last() {
            let missing = |it: &Value| {
                is_fixed_distance(*it)
                    && self.divergence.shape(*it) == Shape::Varying
                    && !all.contains(it)
            };
            let needed: Vec<_> = instruction.operands().into_iter().filter(missing).collect();
            if needed.is_empty() {
                open.pop();
                if !all.contains(&instruction) {
                    all.push(instruction);
                }
            }
            open.extend(needed);
        }
        all
    }

    /// A copy of an instruction for every active lane. `announce`: tell the engine which lane it is.
    pub(super) fn lane_by_lane(
        &mut self,
        instruction: Value,
        announce: bool,
    ) -> Result<(), Refusal> {
        let operands = self.operands_of(&[instruction]);
        let wanted = !instruction.ty().is_void() && !instruction.is_unused();
        let result = match wanted {
            true => Some(
                self.widened(instruction.ty())
                    .map_err(|what| Refusal::at(self.context, instruction, &what))?,
            ),
            false => None,
        };
        let vector = self.for_each_lane(result, |vectoriser, lane| {
            if announce {
                vectoriser.announce(lane);
            }
            vectoriser.copies(&[instruction], &operands, lane)
        });
        if let Some(vector) = vector {
            self.define_vector(instruction, vector);
        }
        Ok(())
    }

    /// What instructions take that others make.
    fn operands_of(&mut self, instructions: &[Value]) -> HashMap<Value, Operand> {
        let mut operands = HashMap::new();
        let mut taken = Vec::new();
        for instruction in instructions {
            for index in 0..instruction.operand_count() {
                let Some(operand) = instruction.operand_or_none(index) else {
                    continue;
                };
                if instructions.contains(&operand) || operands.contains_key(&operand) {
                    continue;
                }
                let made = match self.divergence.shape(operand) {
                    Shape::Uniform
                        if operand.is_instruction() || self.parameters.contains_key(&operand) =>
                    {
                        Operand::Same(self.scalar(operand))
                    }
                    Shape::Uniform => continue,
                    Shape::Strided { stride, .. } => Operand::Steps(self.scalar(operand), stride),
                    Shape::Varying => {
                        let vector = self.vector(operand);
                        self.lay_out(vector, &mut taken)
                    }
                };
                operands.insert(operand, made);
            }
        }
        operands
    }

    /// Copies of instructions for one lane; the last one's value.
    fn copies(
        &mut self,
        instructions: &[Value],
        operands: &HashMap<Value, Operand>,
        lane: Value,
    ) -> Value {
        let mut made = HashMap::new();
        let mut last = lane;
        for &instruction in instructions {
            let mut values = Vec::new();
            for index in 0..instruction.operand_count() {
                let Some(operand) = instruction.operand_or_none(index) else {
                    continue;
                };
                let before = made.get(&operand).copied();
                let value = before.or_else(|| Some(self.lane_of(operands.get(&operand)?, lane)));
                values.extend(value.map(|value| (index, value)));
            }
            last = self.builder.copy_of(instruction);
            for (index, value) in values {
                last.set_operand(index, value);
            }
            made.insert(instruction, last);
        }
        last
    }

    /// Makes a vector ready for a loop over lanes: one element of a vector in memory is a load, while LLVM would store the vector
    /// anew in every turn. `taken`: the slots that the loop uses already.
    fn lay_out(&mut self, vector: Value, taken: &mut Vec<Value>) -> Operand {
        let ty = vector.ty();
        if ty.part_count() > 0 || !lies_like_array(ty.element(0)) {
            return Operand::Vector(vector);
        }
        let slot = self.lane_slot(ty, taken);
        taken.push(slot);
        self.builder.store(vector, slot);
        Operand::Memory(ty.element(0), slot)
    }

    /// A slot for a vector whose elements are wanted one by one, none of those in use.
    pub(super) fn lane_slot(&mut self, ty: Type, taken: &[Value]) -> Value {
        let free = self
            .lane_slots
            .iter()
            .find(|(of, slot)| *of == ty && !taken.contains(slot));
        if let Some(&(_, slot)) = free {
            return slot;
        }
        let slot = self.slot(ty);
        self.lane_slots.push((ty, slot));
        slot
    }

    /// A lane's value of an operand.
    fn lane_of(&self, operand: &Operand, lane: Value) -> Value {
        let int = |width| Type::int(self.context, width);
        match *operand {
            Operand::Same(value) => value,
            Operand::Steps(base, stride) => {
                let pointer = base.ty().is_pointer();
                let ty = if pointer { int(64) } else { base.ty() };
                let lane = self.builder.cast_unsigned(lane, ty);
                let stride = Value::int(ty, stride as u64);
                let steps = self.builder.binary(LLVMOpcode::LLVMMul, lane, stride);
                match pointer {
                    true => self.builder.byte_offset(base, steps),
                    false => self.builder.binary(LLVMOpcode::LLVMAdd, base, steps),
                }
            }
            Operand::Vector(vector) => self.extract_lane(vector, lane),
            Operand::Memory(ty, slot) => {
                let wide = self.builder.cast_unsigned(lane, int(64));
                self.builder.load(ty, self.builder.index(ty, slot, &[wide]))
            }
        }
    }

    /// An atomic operation whose old value nobody wants, on a place for each lane.
    fn is_addition(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
            && instruction.is_unused()
            && !instruction.is_volatile()
            && !self.is_one_place(instruction)
    }

    /// A load that a lane may do by itself.
    pub(super) fn is_own_load(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMLoad)
            && !instruction.is_volatile()
            && !instruction.is_atomic()
            && !self.is_context_load(instruction)
    }
}

/// Whether an instruction computes an address from others.
fn is_address(instruction: Value) -> bool {
    use LLVMOpcode::{LLVMAddrSpaceCast, LLVMGetElementPtr};
    matches!(
        instruction.opcode(),
        Some(LLVMGetElementPtr | LLVMAddrSpaceCast)
    )
}

/// Whether a value is an address at a constant distance from another, or the same in another address space.
fn is_fixed_distance(value: Value) -> bool {
    is_address(value) && value.operands()[1..].iter().all(|it| it.as_int().is_some())
}

/// Whether an instruction may be done before additions that it follows: it neither reads nor writes what they change.
pub(super) fn ignores_memory(instruction: Value) -> bool {
    use LLVMOpcode::*;
    match instruction.opcode() {
        Some(LLVMCall) => matches!(
            callee::of(instruction),
            Callee::Check | Callee::Hint | Callee::Widened
        ),
        Some(
            LLVMPHI | LLVMBr | LLVMRet | LLVMUnreachable | LLVMSwitch | LLVMIndirectBr | LLVMInvoke
            | LLVMCallBr | LLVMResume | LLVMAlloca | LLVMLoad | LLVMStore | LLVMAtomicRMW
            | LLVMAtomicCmpXchg | LLVMFence,
        )
        | None => false,
        Some(_) => true,
    }
}

/// Whether a vector of such elements is like an array in memory: LLVM packs integers of other widths by the bit.
fn lies_like_array(element: Type) -> bool {
    let bits = element.is_int().then(|| element.int_width());
    bits.is_none_or(|bits| bits >= 8 && bits.is_power_of_two())
}
