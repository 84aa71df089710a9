//! Software prefetches of unit-stride loads in loops.
//!
//! What a subgroup loads in the next iteration lies behind what all threads of the grid load in this one, many pages
//! further on. The CPU's own prefetchers do not look beyond a page. So each unit-stride load prefetches for an
//! iteration some iterations ahead: it takes the distance from its address in the last iteration. A wrong guess costs
//! only the instruction. Shared memory is in the caches anyway.

use llvm_sys::LLVMOpcode;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::context_fields;

/// How many iterations ahead: about as many iterations of little work as the latency of memory covers.
const ITERATIONS: u64 = 32;

/// Bytes that one prefetch brings: a cache line.
const LINE: u64 = 64;

impl Vectoriser<'_> {
    /// Prefetches what a loop will load some iterations after `bytes` bytes at `start`, the kernel's `address`. One
    /// prefetch serves all loads at a fixed distance from one origin: the others are its neighbours, or what it brings
    /// in another iteration.
    pub(super) fn prefetch_ahead(&mut self, address: Value, start: Value, bytes: u64) {
        let (origin, _) = self.origin(address);
        let is_near = context_fields::is_in_shared_memory(address);
        if is_near || !self.is_in_loop() || !self.prefetched.insert(origin) {
            return;
        }
        let int = Type::int(self.context, 64);
        let last = self.slot(int);
        self.entry.store(Value::zero(int), last);
        let here = self.builder.cast(LLVMOpcode::LLVMPtrToInt, start, int);
        let before = self.builder.load(int, last);
        self.builder.store(here, last);
        let distance = self.builder.binary(LLVMOpcode::LLVMSub, here, before);
        let iterations = Value::int(int, ITERATIONS);
        let ahead = self
            .builder
            .binary(LLVMOpcode::LLVMMul, distance, iterations);
        let function = self.module.intrinsic("llvm.prefetch", &[start.ty()]);
        let int32 = |value| Value::int(Type::int(self.context, 32), value);
        // For reading, with high locality, into the data cache.
        let [read, locality, data] = [0, 3, 1].map(int32);
        for line in 0..bytes.div_ceil(LINE) {
            let there = self.builder.byte_offset(start, ahead);
            let there = self
                .builder
                .byte_offset(there, Value::int(int, line * LINE));
            self.builder
                .call_function(function, &[there, read, locality, data]);
        }
    }

    /// Whether the current block may run again: loops are contiguous and end with their latch.
    fn is_in_loop(&self) -> bool {
        let rest = &self.order.successors[self.current..];
        rest.iter().flatten().any(|&next| next <= self.current)
    }
}
