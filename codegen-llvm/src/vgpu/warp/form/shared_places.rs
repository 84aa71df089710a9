//! Atomic operations of lanes on few places: lanes with the same place combine their values first.
//!
//! An atomic operation takes the CPU some 20 cycles, and several times as long where another CPU wants the same cache
//! line. Threads that add to a few counters or sums are many lanes with one place. Whether they are is asked at run
//! time: how many lanes have the first one's place? If few have, the lanes go one by one.

use std::collections::HashMap;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::lane_serialisation::Operand;
use super::reduction::Combination;
use super::vectoriser::Vectoriser;
use crate::ir::{Builder, Value};
use crate::vgpu::block_atomics;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

/// What tells the places of atomic operations apart, and how a lane gets to its places.
struct Places {
    /// How many lanes must have the first one's place, so that the lanes of a place combine their values.
    fewest: u64,
    /// What the lanes' addresses are computed from and differ by.
    key: Value,
    /// The instructions that compute the addresses.
    instructions: Vec<Value>,
    /// What they compute them from.
    operands: Vec<(Value, Operand)>,
}

impl Vectoriser<'_> {
    /// Atomic operations on places of a lane's own whose old values nobody wants, and what is between them: one
    /// operation for each place if lanes share places, else as `lane_by_lane` writes them.
    pub(super) fn place_by_place(
        &mut self,
        run: &[Value],
        lane_by_lane: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(places) = self.places(run) else {
            return lane_by_lane(self);
        };
        let keys = self.vector(places.key);
        // Those of inactive lanes may be poison.
        let keys = self.builder.freeze(keys);
        let bits = self.mask_bits();
        let first = self.count_trailing(bits);
        let first = self.operands_of_lane(&places.operands, first)[&places.key];
        let same = self.lanes_at(keys, first, bits);
        let few = Value::int(bits.ty(), places.fewest);
        let several = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntUGE, self.count(same), few);
        let block = || Builder::append_block(self.context, self.function, "");
        let (by_places, by_lanes, done) = (block(), block(), block());
        self.builder.branch(several, by_places, by_lanes);
        self.builder.move_to_end(by_lanes);
        self.on_side_path(lane_by_lane)?;
        self.builder.jump(done);
        self.builder.move_to_end(by_places);
        self.on_side_path(|vectoriser| vectoriser.in_order(run, &places, keys))?;
        self.builder.jump(done);
        self.builder.move_to_end(done);
        Ok(())
    }

    /// A run with one loop for each of its operations. A lane's loads stay between its operations.
    fn in_order(&mut self, run: &[Value], places: &Places, keys: Value) -> Result<(), Refusal> {
        for &instruction in run {
            self.builder.locate_as(instruction);
            match self.combination(instruction) {
                Some(how) => self.for_each_place(instruction, &how, places, keys),
                None => self.instruction(instruction)?,
            }
        }
        Ok(())
    }

    /// How lanes get to the places of a run's operations, if there are any and one varying value tells all of these
    /// apart.
    fn places(&mut self, run: &[Value]) -> Option<Places> {
        let atomics: Vec<_> = run
            .iter()
            .copied()
            .filter(|&it| self.is_per_lane_atomic(it))
            .collect();
        let combinable = atomics.iter().all(|&it| self.combination(it).is_some());
        if atomics.is_empty() || !combinable || self.elected_lane().is_some() {
            return None;
        }
        let addresses = atomics.iter().map(|it| it.operand(0));
        let mut open: Vec<_> = addresses.filter(|it| it.is_instruction()).collect();
        let instructions = self.with_addresses(&open);
        let mut keys = Vec::new();
        while let Some(value) = open.pop() {
            if instructions.contains(&value) {
                open.extend(value.operands());
            } else if !self.divergence.shape(value).is_uniform() && !keys.contains(&value) {
                keys.push(value);
            }
        }
        let &[key] = keys.as_slice() else {
            return None;
        };
        // Strided values are all different.
        let kind = key.ty();
        let is_number = kind.is_int() || kind.is_pointer();
        let varies = self.divergence.shape(key) == Shape::Varying && is_number;
        let fewest = atomics.iter().filter_map(|&it| self.combination(it));
        let fewest = fewest.map(|it| it.fewest_lanes()).max()?;
        varies.then(|| Places {
            fewest,
            key,
            operands: self.outside_operands(&instructions),
            instructions,
        })
    }

    /// How the lanes of a place combine the values of an operation, if they may. Operations on shared memory are no
    /// atomic instructions of the CPU, and cheap.
    fn combination(&self, instruction: Value) -> Option<Combination> {
        let is_shared = instruction.scope() == Some(block_atomics::scope(self.context));
        let may = self.is_per_lane_atomic(instruction) && instruction.is_relaxed() && !is_shared;
        may.then(|| Combination::of(instruction)).flatten()
    }

    /// The lanes of `among` that have this key, as bits.
    fn lanes_at(&self, keys: Value, key: Value, among: Value) -> Value {
        let key = self.builder.splat(key, self.width);
        let same = self.builder.compare(LLVMIntPredicate::LLVMIntEQ, keys, key);
        let same = self.bits(same);
        self.builder.binary(LLVMOpcode::LLVMAnd, same, among)
    }

    /// How many bits are set, in each element of a vector.
    pub(super) fn count(&self, bits: Value) -> Value {
        let count = self.module.intrinsic("llvm.ctpop", &[bits.ty()]);
        self.builder.call_function(count, &[bits])
    }

    /// A loop over the places of the active lanes: one operation for each.
    fn for_each_place(
        &mut self,
        instruction: Value,
        how: &Combination,
        places: &Places,
        keys: Value,
    ) {
        let value = instruction.operand(1);
        let all_the_same = matches!(how, Combination::Integers(it) if it.is_sum())
            && self.divergence.shape(value).is_uniform();
        let values = match all_the_same {
            true => self.scalar(value),
            false => self.vector(value),
        };
        let bits = self.mask_bits();
        let before = self.builder.block();
        let body = Builder::append_block(self.context, self.function, "");
        let done = Builder::append_block(self.context, self.function, "");
        self.builder.jump(body);
        self.builder.move_to_end(body);
        let left = self.builder.phi(bits.ty());
        let lane = self.count_trailing(left);
        let operands = self.operands_of_lane(&places.operands, lane);
        let here = self.lanes_at(keys, operands[&places.key], left);
        let total = match all_the_same {
            true => {
                let lanes = self.builder.cast_unsigned(self.count(here), values.ty());
                self.builder.binary(LLVMOpcode::LLVMMul, lanes, values)
            }
            false => {
                let mask = self.mask_type();
                let mask = self.builder.cast(LLVMOpcode::LLVMBitCast, here, mask);
                self.combine_lanes(how, values, mask)
            }
        };
        let address = self.copy_up_to(&places.instructions, instruction.operand(0), &operands);
        let copy = self.builder.copy_of(instruction);
        copy.set_operand(0, address);
        copy.set_operand(1, total);
        let rest = self.builder.binary(LLVMOpcode::LLVMXor, left, here);
        let more = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, rest, Value::zero(rest.ty()));
        self.builder.branch(more, body, done);
        left.add_incoming(bits, before);
        left.add_incoming(rest, body);
        self.builder.move_to_end(done);
    }

    /// One lane's copies of instructions; gives that of `wanted`.
    fn copy_up_to(
        &mut self,
        instructions: &[Value],
        wanted: Value,
        operands: &HashMap<Value, Value>,
    ) -> Value {
        let end = instructions.iter().position(|&it| it == wanted);
        match end {
            Some(end) => self.copy_for_lane(&instructions[..=end], operands),
            None => operands[&wanted],
        }
    }
}
