//! Control flow: masks of blocks, phis, and the branches between blocks.

use std::collections::BTreeSet;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use super::versions::all_lanes;
use crate::ir::{Block, Builder, Value};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Makes slots for the masks of blocks at which lanes wait, or that only some lanes run.
    pub(super) fn control_slots(&mut self) {
        for at in 0..self.order.blocks.len() {
            if self.has_mask(at) {
                let slot = self.slot(self.mask_type());
                self.entry.store(Value::zero(self.mask_type()), slot);
                self.masks.insert(at, slot);
            }
        }
    }

    /// Whether a block may be run by only some lanes, or by one set of lanes after another.
    fn has_mask(&self, at: usize) -> bool {
        !self.divergence.waiting[at].is_empty()
            || self.divergence.waiting.iter().any(|set| set.contains(&at))
    }

    /// Begins a version of a block: sets its mask. Nothing is known yet but what slots hold.
    pub(super) fn start_block(&mut self, at: usize, block: Block) {
        self.current = at;
        self.all_lanes = self.versions[at].all_lanes == Some(block);
        self.builder.move_to_end(block);
        self.scalars.clear();
        self.vectors.clear();
        self.stride_tests.clear();
        self.prefetched.clear();
        self.mask = match self.masks.get(&at) {
            _ if self.all_lanes => all_lanes(self.context, self.width),
            Some(&slot) if !self.divergence.waiting[at].is_empty() => {
                self.builder.load(self.mask_type(), slot)
            }
            _ => self.existing(),
        };
        self.rejoin();
        if let Some(&slot) = self.masks.get(&at) {
            self.builder.store(Value::zero(self.mask_type()), slot);
        }
    }

    /// A phi: its value is what the edge that was taken left in its slot.
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
                let what = "a terminator has no warp form";
                return Err(Refusal::at(self.context, end, what));
            }
        }
        let targets = end.successors();
        let index = |target: usize| self.order.index[&targets[target]];
        let (Some(condition), true) = (
            end.condition(),
            targets.len() == 2 && targets[0] != targets[1],
        ) else {
            let target = index(0);
            self.send_lanes(target, self.mask);
            self.branch_to_next(&BTreeSet::from([target]));
            return Ok(());
        };
        let (yes, no) = (index(0), index(1));
        let has_both = |at: usize| self.versions[at].all_lanes.is_some();
        let is_elected = |at: usize| self.divergence.elected(self.order.blocks[at]).is_some();
        if self.divergence.is_divergent(end) && self.all_lanes {
            if has_both(yes) && has_both(no) {
                self.branch_all_lanes(condition, [yes, no]);
                return Ok(());
            }
            if has_both(yes) && is_elected(no) || is_elected(yes) && has_both(no) {
                self.branch_elected(condition, [yes, no]);
                return Ok(());
            }
        }
        if self.divergence.is_divergent(end) {
            let condition = self.vector(condition);
            let taken = self.active_where(condition);
            let others = self.builder.binary(LLVMOpcode::LLVMXor, self.mask, taken);
            self.send_lanes(yes, taken);
            self.send_lanes(no, others);
            self.branch_to_next(&BTreeSet::from([yes, no]));
            return Ok(());
        }
        let condition = self.scalar_here(condition);
        let sides = [yes, no].map(|_| Builder::append_block(self.context, self.function, ""));
        self.builder.branch(condition, sides[0], sides[1]);
        // Each side begins with the values known here. What one side adds is not known on the other.
        let (scalars, vectors) = (self.scalars.clone(), self.vectors.clone());
        for (target, side) in [yes, no].into_iter().zip(sides) {
            (self.scalars, self.vectors) = (scalars.clone(), vectors.clone());
            self.builder.move_to_end(side);
            self.send_lanes(target, self.mask);
            self.branch_to_next(&BTreeSet::from([target]));
        }
        Ok(())
    }

    /// Sends `lanes` along the edge to `target`: adds them to its mask and sets its phis.
    pub(super) fn send_lanes(&mut self, target: usize, lanes: Value) {
        let others_wait = self.waiting().contains(&target);
        if let Some(&slot) = self.masks.get(&target) {
            let there = if others_wait {
                let waiting = self.builder.load(self.mask_type(), slot);
                self.builder.binary(LLVMOpcode::LLVMOr, waiting, lanes)
            } else {
                lanes
            };
            self.builder.store(there, slot);
        }
        let here = self.order.blocks[self.current];
        let mut values = Vec::new();
        for phi in self.order.blocks[target].instructions() {
            if !phi.is_phi() {
                break;
            }
            let incoming = phi.incoming().into_iter();
            let Some((value, _)) = incoming.into_iter().find(|(_, from)| *from == here) else {
                continue;
            };
            let new = match self.divergence.shape(phi) {
                Shape::Varying => self.vector(value),
                _ if self.divergence.is_of_elected(phi) => self.scalar_here(value),
                _ => self.scalar(value),
            };
            values.push((phi, new));
        }
        // All phis of a block change at once, so all values are read first.
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

    /// Branches to the earliest block that has lanes: one of `targets`, or a block at which lanes wait. At least one
    /// of the targets has lanes; a single target certainly has.
    fn branch_to_next(&mut self, targets: &BTreeSet<usize>) {
        let mut candidates = self.waiting();
        candidates.extend(targets);
        // A single target of all lanes gets them all.
        let all = self.all_lanes && targets.len() == 1;
        let last = targets.last().copied().unwrap_or(0);
        for &candidate in candidates.range(..last) {
            let mask = self.builder.load(self.mask_type(), self.masks[&candidate]);
            let bits = self.bits(mask);
            let any =
                self.builder
                    .compare(LLVMIntPredicate::LLVMIntNE, bits, Value::zero(bits.ty()));
            let next = Builder::append_block(self.context, self.function, "");
            self.builder
                .branch(any, self.version_of(candidate, all), next);
            self.builder.move_to_end(next);
        }
        self.builder.jump(self.version_of(last, all));
    }
}
