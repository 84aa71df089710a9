//! Two paths of control within one block of the kernel, and values that only one of them needs.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use crate::ir::{Block, Builder, Value};

impl Vectoriser<'_> {
    /// Branches on `condition`, which likely holds: the blocks if it holds, if not, and behind both.
    pub(super) fn fork(&self, condition: Value) -> (Block, Block, Block) {
        let block = || Builder::append_block(self.context, self.function, "");
        let all = (block(), block(), block());
        self.builder
            .branch_likely(self.not(condition), all.1, all.0);
        all
    }

    /// Runs `body` if `condition` holds, which is unlikely: on a side path.
    pub(super) fn if_unlikely(&mut self, condition: Value, body: impl FnOnce(&mut Self)) {
        let block = || Builder::append_block(self.context, self.function, "");
        let (cold, done) = (block(), block());
        self.builder.branch_likely(condition, cold, done);
        self.builder.move_to_end(cold);
        self.on_side_path(body);
        self.builder.jump(done);
        self.builder.move_to_end(done);
    }

    /// Whether a condition holds for any active lane.
    pub(super) fn any_active(&mut self, conditions: Value) -> Value {
        let active = self.active_where(conditions);
        let bits = self.bits(active);
        self.builder
            .compare(LLVMIntPredicate::LLVMIntNE, bits, Value::zero(bits.ty()))
    }

    /// The opposite of a condition, or of a mask.
    pub(super) fn not(&self, bits: Value) -> Value {
        self.builder
            .binary(LLVMOpcode::LLVMXor, bits, Value::all_ones(bits.ty()))
    }

    /// Phis of what two paths computed.
    pub(super) fn merge_paths(
        &self,
        these: &[Value],
        here: Block,
        those: &[Value],
        there: Block,
    ) -> Vec<Value> {
        let both = these.iter().zip(those).map(|(&one, &other)| {
            let phi = self.builder.phi(one.ty());
            phi.add_incoming(one, here);
            phi.add_incoming(other, there);
            phi
        });
        both.collect()
    }

    /// Builds what only a side path needs. The values that become known there are not known on the main path.
    pub(super) fn on_side_path<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let (scalars, vectors) = (self.scalars.clone(), self.vectors.clone());
        let made = build(self);
        (self.scalars, self.vectors) = (scalars, vectors);
        made
    }
}
