//! Prefetches of rows.
//!
//! The next row that a subgroup loads in a loop lies where all blocks' threads have had theirs, many pages further on: the host's
//! own prefetchers do not look beyond a page. So each load of a row asks for the row a few turns ahead, as far away as this one is
//! from the last. A wrong guess costs nothing but the instruction.

use llvm_sys::LLVMOpcode;

use super::Vectoriser;
use crate::ir::{Type, Value};

/// Turns ahead: about what a turn of little work takes goes into the latency of memory that often.
const TURNS: u64 = 8;

/// Bytes that a prefetch brings.
const LINE: u64 = 64;

impl Vectoriser<'_> {
    /// Asks for the row that a loop will load some turns after that of `bytes` bytes at `start`. Of rows a fixed distance from one
    /// `origin` the first does for all: the others are its neighbours, or what it brings or has brought in another turn.
    pub(super) fn prefetch_ahead(&mut self, origin: Value, start: Value, bytes: u64) {
        if !self.is_in_loop() || !self.prefetched.insert(origin) {
            return;
        }
        let int = Type::int(self.context, 64);
        let last = self.slot(int);
        self.entry.store(Value::zero(int), last);
        let here = self.builder.cast(LLVMOpcode::LLVMPtrToInt, start, int);
        let before = self.builder.load(int, last);
        self.builder.store(here, last);
        let turn = self.builder.binary(LLVMOpcode::LLVMSub, here, before);
        let turns = Value::int(int, TURNS);
        let ahead = self.builder.binary(LLVMOpcode::LLVMMul, turn, turns);
        let function = self.module.intrinsic("llvm.prefetch", &[start.ty()]);
        let number = |value| Value::int(Type::int(self.context, 32), value);
        // To be read, likely to be used again, data.
        let [read, locality, data] = [0, 3, 1].map(number);
        for line in 0..bytes.div_ceil(LINE) {
            let there = self.builder.byte_offset(start, ahead);
            let there = self
                .builder
                .byte_offset(there, Value::int(int, line * LINE));
            self.builder
                .call_function(function, &[there, read, locality, data]);
        }
    }

    /// Whether the block in work may run again: loops are contiguous and end with their latch.
    fn is_in_loop(&self) -> bool {
        let rest = &self.order.successors[self.at..];
        rest.iter().flatten().any(|&next| next <= self.at)
    }
}
