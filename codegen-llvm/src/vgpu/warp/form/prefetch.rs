//! Software prefetches of unit-stride loads in loops.
//!
//! What a subgroup loads in the next iteration lies behind what all threads of the grid load in this one, many pages
//! further on. The CPU's own prefetchers do not look beyond a page. So each unit-stride load prefetches for an
//! iteration some iterations ahead: it takes the distance from its address in the last iteration. A wrong guess costs
//! only the instruction. Shared memory is in the caches anyway.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use crate::ir::{Block, Type, Value};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::grid_steps::steps_over_grid;

/// How many iterations ahead: about as many iterations of little work as the latency of memory covers.
const ITERATIONS: u64 = 32;

/// How many subgroups ahead, where iterations go round all threads of the grid and lie on different pages: the next
/// subgroup goes on behind this one, and the loop has mostly ended before as many iterations.
const SUBGROUPS: u64 = 4;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Bytes that one prefetch brings: a cache line.
const LINE: u64 = 64;

impl Vectoriser<'_> {
    /// Prefetches what a loop will load some iterations after `bytes` bytes at `start`, the kernel's `address`. One
    /// prefetch serves all loads at a fixed distance from one origin: the others are its neighbours, or what it brings
    /// in another iteration.
    pub(super) fn prefetch_ahead(&mut self, address: Value, start: Value, bytes: u64) {
        let (origin, _) = self.origin(address);
        let Some((header, latch)) = self.innermost_loop() else {
            return;
        };
        let is_near = context_fields::is_in_shared_memory(address);
        if is_near || !self.prefetched.insert(origin) {
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
        let mut ahead = self
            .builder
            .binary(LLVMOpcode::LLVMMul, distance, iterations);
        if steps_over_grid(header, latch) {
            ahead = self.or_neighbours(distance, ahead, bytes);
        }
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

    /// The distance of the next subgroups, where an iteration's elements lie on another page than the last one's.
    fn or_neighbours(&self, distance: Value, ahead: Value, bytes: u64) -> Value {
        let number = |value| Value::int(distance.ty(), value);
        let builder = &self.builder;
        let shifted = builder.binary(LLVMOpcode::LLVMAdd, distance, number(PAGE));
        let is_far = builder.compare(LLVMIntPredicate::LLVMIntUGT, shifted, number(2 * PAGE));
        builder.select(is_far, number(SUBGROUPS * bytes), ahead)
    }

    /// The header and the latch of the innermost loop with the current block: loops are contiguous and end with their
    /// latch.
    fn innermost_loop(&self) -> Option<(Block, Block)> {
        let rest = self.order.successors.iter().enumerate().skip(self.current);
        let edges = rest.flat_map(|(from, all)| all.iter().map(move |&to| (to, from)));
        let (header, latch) = edges.filter(|(to, _)| *to <= self.current).max()?;
        Some((self.order.blocks[header], self.order.blocks[latch]))
    }
}
