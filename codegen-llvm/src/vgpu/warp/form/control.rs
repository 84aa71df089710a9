//! Control flow: masks of blocks, phis, and where a block's lanes go next.

use std::collections::BTreeSet;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::Vectoriser;
use crate::ir::{Builder, Value};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Slots for the masks of blocks at which lanes wait, or that only some lanes run.
    pub(super) fn control_slots(&mut self) {
        for at in 0..self.order.blocks.len() {
            if self.has_mask(at) {
                let slot = self.slot(self.mask_type());
                self.entry.store(Value::zero(self.mask_type()), slot);
                self.masks.insert(at, slot);
            }
        }
    }

    /// Whether a block may be run by only some lanes, or entered by them one set after another.
    fn has_mask(&self, at: usize) -> bool {
        !self.divergence.waiting[at].is_empty()
            || self.divergence.waiting.iter().any(|set| set.contains(&at))
    }

    /// Begins with a block: its lanes, and nothing known but what slots hold.
    pub(super) fn start_block(&mut self, at: usize) {
        self.at = at;
        self.builder.move_to_end(self.blocks[at]);
        self.scalars.clear();
        self.vectors.clear();
        self.stride_tests.clear();
        self.prefetched.clear();
        self.mask = self.all;
        if let Some(&slot) = self.masks.get(&at) {
            if !self.divergence.waiting[at].is_empty() {
                self.mask = self.builder.load(self.mask_type(), slot);
            }
            self.builder.store(Value::zero(self.mask_type()), slot);
        }
    }

    /// A phi's value is what the edges left in its slot.
    pub(super) fn phi(&mut self, phi: Value) -> Result<(), Refusal> {
        if self.divergence.shape(phi).has_base() {
            self.scalar(phi);
        } else {
            self.vector(phi);
        }
        Ok(())
    }

    /// A terminator.
    pub(super) fn terminator(&mut self, end: Value) -> Result<(), Refusal> {
        match end.opcode() {
            Some(LLVMOpcode::LLVMRet) => {
                self.builder.return_void();
                return Ok(());
            }
            Some(LLVMOpcode::LLVMUnreachable) => {
                self.builder.unreachable();
                return Ok(());
            }
            Some(LLVMOpcode::LLVMBr) => {}
            _ => {
                let what = "control goes on in a way the warp form does not know";
                return Err(Refusal::at(self.context, end, what));
            }
        }
        let targets = end.successors();
        let index = |number: usize| self.order.index[&targets[number]];
        let (Some(condition), true) = (
            end.condition(),
            targets.len() == 2 && targets[0] != targets[1],
        ) else {
            let target = index(0);
            self.leave(target, self.mask);
            self.go(&BTreeSet::from([target]));
            return Ok(());
        };
        let (yes, no) = (index(0), index(1));
        if self.divergence.is_divergent(end) {
            let condition = self.vector(condition);
            let taken = self.active_where(condition);
            let others = self.builder.binary(LLVMOpcode::LLVMXor, self.mask, taken);
            self.leave(yes, taken);
            self.leave(no, others);
            self.go(&BTreeSet::from([yes, no]));
            return Ok(());
        }
        let condition = self.scalar(condition);
        let sides = [yes, no].map(|_| Builder::append_block(self.context, self.function, ""));
        self.builder.branch(condition, sides[0], sides[1]);
        // Each side begins with what is known here; what it adds is not known on the other.
        let (scalars, vectors) = (self.scalars.clone(), self.vectors.clone());
        for (target, side) in [yes, no].into_iter().zip(sides) {
            (self.scalars, self.vectors) = (scalars.clone(), vectors.clone());
            self.builder.move_to_end(side);
            self.leave(target, self.mask);
            self.go(&BTreeSet::from([target]));
        }
        Ok(())
    }

    /// Sends `lanes` along the edge to `target`: its mask, its phis.
    fn leave(&mut self, target: usize, lanes: Value) {
        let others_wait = self.divergence.waiting[self.at].contains(&target);
        if let Some(&slot) = self.masks.get(&target) {
            let there = if others_wait {
                let waiting = self.builder.load(self.mask_type(), slot);
                self.builder.binary(LLVMOpcode::LLVMOr, waiting, lanes)
            } else {
                lanes
            };
            self.builder.store(there, slot);
        }
        let here = self.order.blocks[self.at];
        let mut values = Vec::new();
        for phi in self.order.blocks[target].instructions() {
            if phi.opcode() != Some(LLVMOpcode::LLVMPHI) {
                break;
            }
            let incoming = phi.incoming().into_iter();
            let Some((value, _)) = incoming.into_iter().find(|(_, from)| *from == here) else {
                continue;
            };
            let new = match self.divergence.shape(phi) {
                Shape::Varying => self.vector(value),
                _ => self.scalar(value),
            };
            values.push((phi, new));
        }
        // All phis of a block change at once, so all values are taken before.
        for (phi, new) in values {
            let slot = self.slots[&phi];
            let varying = !self.divergence.shape(phi).has_base();
            let new = if others_wait && varying {
                let old = self.builder.load(new.ty(), slot);
                self.blend(lanes, new, old)
            } else {
                new
            };
            self.builder.store(new, slot);
        }
    }

    /// `new` in `lanes`, `old` elsewhere; structures and arrays field by field.
    fn blend(&self, lanes: Value, new: Value, old: Value) -> Value {
        let count = new.ty().part_count();
        if count == 0 {
            return self.builder.select(lanes, new, old);
        }
        (0..count).fold(old, |whole, index| {
            let parts = (
                self.builder.field(new, index),
                self.builder.field(old, index),
            );
            let part = self.blend(lanes, parts.0, parts.1);
            self.builder.insert_field(whole, part, index)
        })
    }

    /// Goes to the earliest block that has lanes: one of `targets`, or one at which others wait. At least one
    /// of the targets has lanes; a single target has for certain.
    fn go(&mut self, targets: &BTreeSet<usize>) {
        let mut candidates = self.divergence.waiting[self.at].clone();
        candidates.extend(targets);
        let last = targets.last().copied().unwrap_or(0);
        for &candidate in candidates.range(..last) {
            let mask = self.builder.load(self.mask_type(), self.masks[&candidate]);
            let bits = self.bits(mask);
            let any =
                self.builder
                    .compare(LLVMIntPredicate::LLVMIntNE, bits, Value::zero(bits.ty()));
            let next = Builder::append_block(self.context, self.function, "");
            self.builder.branch(any, self.blocks[candidate], next);
            self.builder.move_to_end(next);
        }
        self.builder.jump(self.blocks[last]);
    }
}
