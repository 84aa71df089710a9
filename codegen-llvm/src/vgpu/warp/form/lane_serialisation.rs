//! Lane serialisation: instructions in a loop over the lanes, one lane after the other.
//!
//! Atomic operations on a location per lane are serialised. Where several follow each other in a block, with loads of
//! their operands in between, they share one loop: all of a lane's operations come before the next lane's, as on
//! fibers. What one thread changes is often one cache line, which other CPUs want, too.

use std::collections::HashMap;

use llvm_sys::LLVMOpcode;

use super::lane_loop::{has_array_layout, is_in_bytes};
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

/// An operand of a serialised instruction.
pub(super) enum Operand {
    /// The same for all lanes.
    Uniform(Value),
    /// Lane 0's value, and the difference from lane to lane.
    Strided(Value, i64),
    /// A vector with an element per lane.
    Vector(Value),
    /// A vector of this type in memory at this address.
    InMemory(Type, Value),
}

/// Atomic operations of a block that share one loop over the lanes, and all instructions between them.
pub(super) struct SerialGroup {
    /// How many instructions, all together.
    pub(super) length: usize,
    /// The instructions in the loop. The others come before it: the order of atomic operations does not matter to
    /// them.
    members: Vec<Value>,
}

impl Vectoriser<'_> {
    /// The group that begins with the first of a block's remaining instructions, if it has at least two atomic
    /// operations.
    pub(super) fn serial_group(&self, instructions: &[Value]) -> Option<SerialGroup> {
        if !self.is_per_lane_atomic(*instructions.first()?) {
            return None;
        }
        let fits = |it: &&Value| {
            self.is_per_lane_atomic(**it) || self.is_plain_load(**it) || ignores_memory(**it)
        };
        let mut run = instructions.iter().take_while(fits).count();
        loop {
            let last = instructions[..run]
                .iter()
                .rposition(|&it| self.is_per_lane_atomic(it))?;
            let members = self.members(&instructions[..=last]);
            // A load with other users must stay where it is, so the group ends before it.
            let between = instructions[..=last].iter();
            let other = between
                .clone()
                .position(|it| self.is_plain_load(*it) && !members.contains(it));
            match other {
                Some(load) => run = load,
                None if last == 0 => return None,
                None => {
                    let length = last + 1;
                    let mut atomics = members.iter().filter(|&&it| self.is_per_lane_atomic(it));
                    let several = atomics.nth(1).is_some();
                    return several.then_some(SerialGroup { length, members });
                }
            }
        }
    }

    /// The atomic operations in a run of instructions, and the loads and addresses that only they use, in order.
    fn members(&self, run: &[Value]) -> Vec<Value> {
        let mut members = Vec::new();
        for &instruction in run.iter().rev() {
            let serves = || {
                (self.is_plain_load(instruction) || is_address(instruction))
                    && instruction
                        .users()
                        .iter()
                        .all(|user| members.contains(user))
            };
            if self.is_per_lane_atomic(instruction) || serves() {
                members.push(instruction);
            }
        }
        members.reverse();
        members
    }

    /// Writes a group, and before it the instructions between that are not of it, as vectors: place by place where
    /// lanes share places, else lane by lane.
    pub(super) fn serialise_lanes(
        &mut self,
        run: &[Value],
        group: &SerialGroup,
    ) -> Result<(), Refusal> {
        for &instruction in run.iter().filter(|it| !group.members.contains(it)) {
            self.builder.locate_as(instruction);
            self.instruction(instruction)?;
        }
        self.place_by_place(&group.members, |vectoriser| {
            vectoriser.loop_over_lanes(&group.members);
            Ok(())
        })
    }

    /// Writes the loop over the lanes for a group's instructions.
    fn loop_over_lanes(&mut self, members: &[Value]) {
        let all = self.with_addresses(members);
        let operands = self.outside_operands(&all);
        self.for_active_lanes(
            |vectoriser, lane| vectoriser.operands_of_lane(&operands, lane),
            |vectoriser, operands| vectoriser.copy_for_lane(&all, &operands),
        );
    }

    /// A group's instructions, and before them what each lane computes itself ([`Self::is_cheap_for_lane`]). So what is
    /// in memory is one vector for several addresses, and one of indices as narrow as the program has them.
    pub(super) fn with_addresses(&self, members: &[Value]) -> Vec<Value> {
        let mut all = Vec::new();
        let mut open: Vec<_> = members.iter().rev().copied().collect();
        while let Some(&instruction) = open.last() {
            let missing = |it: &Value| {
                self.divergence.shape(*it) == Shape::Varying
                    && self.is_cheap_for_lane(*it)
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

    /// A copy of an instruction for every active lane. `announce`: tell the engine which lane it is for.
    pub(super) fn lane_by_lane(
        &mut self,
        instruction: Value,
        announce: bool,
    ) -> Result<(), Refusal> {
        let all = match is_atomic_update(instruction) {
            true => self.with_addresses(&[instruction]),
            false => vec![instruction],
        };
        let operands = self.outside_operands(&all);
        let wanted = !instruction.ty().is_void() && !instruction.is_unused();
        let result = match wanted {
            true => Some(
                self.widened(instruction.ty())
                    .map_err(|what| Refusal::at(self.context, instruction, &what))?,
            ),
            false => None,
        };
        if result.is_none() && !announce {
            self.for_active_lanes(
                |vectoriser, lane| vectoriser.operands_of_lane(&operands, lane),
                |vectoriser, operands| vectoriser.copy_for_lane(&all, &operands),
            );
            return Ok(());
        }
        let vector = self.for_each_lane(result, |vectoriser, lane| {
            if announce {
                vectoriser.announce_lane(lane);
            }
            let operands = vectoriser.operands_of_lane(&operands, lane);
            vectoriser.copy_for_lane(&all, &operands)
        });
        if let Some(vector) = vector {
            self.define_vector(instruction, vector);
        }
        Ok(())
    }

    /// The operands of instructions that none of them computes.
    pub(super) fn outside_operands(&mut self, instructions: &[Value]) -> Vec<(Value, Operand)> {
        let mut operands = Vec::new();
        let mut taken = Vec::new();
        for instruction in instructions {
            for index in 0..instruction.operand_count() {
                let Some(operand) = instruction.operand_or_none(index) else {
                    continue;
                };
                let known = operands.iter().any(|(it, _)| *it == operand);
                if known || instructions.contains(&operand) {
                    continue;
                }
                let made = match self.divergence.shape(operand) {
                    Shape::Uniform
                        if operand.is_instruction() || self.parameters.contains_key(&operand) =>
                    {
                        Operand::Uniform(self.scalar(operand))
                    }
                    Shape::Uniform => continue,
                    Shape::Strided { stride, .. } => Operand::Strided(self.scalar(operand), stride),
                    Shape::Tiled { .. } | Shape::Varying => {
                        let vector = self.vector(operand);
                        self.spill(vector, &mut taken)
                    }
                };
                operands.push((operand, made));
            }
        }
        operands
    }

    /// One lane's values of operands.
    pub(super) fn operands_of_lane(
        &self,
        operands: &[(Value, Operand)],
        lane: Value,
    ) -> HashMap<Value, Value> {
        let of_lane = |(value, operand): &_| (*value, self.operand_of_lane(operand, lane));
        operands.iter().map(of_lane).collect()
    }

    /// Copies of instructions for one lane; gives the last one's value.
    pub(super) fn copy_for_lane(
        &mut self,
        instructions: &[Value],
        operands: &HashMap<Value, Value>,
    ) -> Value {
        let mut made = operands.clone();
        let mut last = instructions[0];
        for &instruction in instructions {
            last = self.builder.copy_of(instruction);
            for index in 0..instruction.operand_count() {
                let operand = instruction.operand_or_none(index);
                if let Some(&value) = operand.and_then(|it| made.get(&it)) {
                    last.set_operand(index, value);
                }
            }
            made.insert(instruction, last);
        }
        last
    }

    /// Whether a lane computes a value as cheaply as it takes it out of a vector: an address at a fixed distance from
    /// another, or an index that the host scales where it accesses the element, and extends where it loads it.
    fn is_cheap_for_lane(&self, value: Value) -> bool {
        let cheap = match value.opcode() {
            _ if is_fixed_distance(value) => true,
            Some(LLVMOpcode::LLVMGetElementPtr) => {
                let indices = context_fields::indices(self.layout, value);
                let is_uniform = |it| self.divergence.shape(it).is_uniform();
                let mut varying = indices.iter().filter(|(index, _)| !is_uniform(*index));
                is_uniform(value.operand(0))
                    && matches!(varying.next(), Some((_, Some(1 | 2 | 4 | 8))))
                    && varying.next().is_none()
            }
            Some(LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt) => is_in_bytes(value.operand(0).ty()),
            _ => false,
        };
        // Of what another block has computed, not everything is kept.
        let is_there = |it: &Value| self.is_known(*it) || self.is_cheap_for_lane(*it);
        cheap && value.operands().iter().all(is_there)
    }

    /// Stores a vector before a loop over lanes. Then an element is one load, while LLVM would store the vector again
    /// in every iteration to extract an element at a variable index. `taken`: the slots that the loop uses already.
    fn spill(&mut self, vector: Value, taken: &mut Vec<Value>) -> Operand {
        let ty = vector.ty();
        if !has_array_layout(ty) {
            return Operand::Vector(vector);
        }
        let slot = self.lane_slot(ty, taken);
        taken.push(slot);
        self.builder.store(vector, slot);
        Operand::InMemory(ty, slot)
    }

    /// A slot for a vector whose elements are read one by one, none of those in `taken`.
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

    /// One lane's value of an operand.
    fn operand_of_lane(&self, operand: &Operand, lane: Value) -> Value {
        match *operand {
            Operand::Uniform(value) => value,
            Operand::Strided(base, stride) => self.strided_of_lane(base, stride, lane),
            Operand::Vector(vector) => self.extract_lane(vector, lane),
            Operand::InMemory(ty, slot) => {
                let place = self.place_of_lane(ty, slot, lane);
                let element = self.builder.load(ty.element(0), place);
                // Else LLVM takes the first elements out of the vector itself, and atomic operations on addresses that
                // come out of vectors may take Zen 4 twice as long (docs/measurements.md, "Addresses out of vectors").
                element.set_volatile();
                element
            }
        }
    }

    /// An atomic operation whose old value nobody wants, on a location per lane.
    pub(super) fn is_per_lane_atomic(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
            && instruction.is_unused()
            && !instruction.is_volatile()
            && !self.is_uniform_reduction(instruction)
    }

    /// A load that a lane may do by itself: neither volatile nor atomic, and not of the context.
    pub(super) fn is_plain_load(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMLoad)
            && !instruction.is_volatile()
            && !instruction.is_atomic()
            && !self.is_context_load(instruction)
    }
}

/// Whether an instruction is an atomic read-modify-write operation.
fn is_atomic_update(instruction: Value) -> bool {
    use LLVMOpcode::{LLVMAtomicCmpXchg, LLVMAtomicRMW};
    matches!(
        instruction.opcode(),
        Some(LLVMAtomicRMW | LLVMAtomicCmpXchg)
    )
}

/// Whether an instruction computes an address from another.
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

/// Whether an instruction may move before atomic operations and loads: it does not access memory that others may
/// change.
pub(super) fn ignores_memory(instruction: Value) -> bool {
    use LLVMOpcode::*;
    match instruction.opcode() {
        Some(LLVMCall) => matches!(
            callee::of(instruction),
            Callee::WindowCheck | Callee::Hint | Callee::VectorIntrinsic
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
