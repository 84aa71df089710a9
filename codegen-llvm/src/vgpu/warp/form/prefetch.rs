//! Software prefetches of unit-stride loads in loops.
//!
//! What a subgroup loads in the next iteration lies behind what all threads of the grid load in this one, many pages
//! further on. The CPU's own prefetchers do not look beyond a page. So each unit-stride load prefetches for an
//! iteration some iterations ahead. Where the loop's counter counts the lanes, its step tells how far an iteration
//! goes. Elsewhere the distance is that from the load's address in the last iteration. A wrong guess costs only the
//! instruction. Shared memory is in the caches anyway.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::grid_steps::{self, GridLoop};
use crate::vgpu::warp::analysis::shape::Shape;

/// How many iterations ahead: about as many iterations of little work as the latency of memory covers.
const ITERATIONS: u64 = 32;

/// How many subgroups ahead, in a short loop whose iterations go round all threads of the grid: the next subgroup goes
/// on behind this one, and the loop has mostly ended before as many iterations.
const SUBGROUPS: u64 = 4;

/// Fewer iterations make a loop short. A longer one touches more pages than the CPU's caches keep until the next
/// subgroup comes (docs/measurements.md, "PTX").
const SHORT: u64 = 160;

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
        let found = grid_steps::of(&self.order.blocks[header..=latch]);
        let usable =
            |it: &GridLoop| self.is_number_at_hand(it.step) && self.is_number_at_hand(it.end);
        let around = found.filter(usable);
        let counts_lanes = |it: &&GridLoop| {
            matches!(
                self.divergence.shape(it.next),
                Shape::Strided { stride: 1, .. }
            )
        };
        let iteration = match around.as_ref().filter(counts_lanes) {
            Some(around) => {
                let step = self.number(around.step, int);
                let lane = Value::int(int, bytes / u64::from(self.width));
                self.builder.binary(LLVMOpcode::LLVMMul, step, lane)
            }
            None => self.since_last_iteration(start, int),
        };
        let iterations = Value::int(int, ITERATIONS);
        let mut ahead = self
            .builder
            .binary(LLVMOpcode::LLVMMul, iteration, iterations);
        if let Some(around) = around {
            ahead = self.or_neighbours(&around, ahead, bytes);
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

    /// How far `start` is from where it was in the last iteration, in bytes.
    fn since_last_iteration(&mut self, start: Value, int: Type) -> Value {
        let last = self.slot(int);
        self.entry.store(Value::zero(int), last);
        let here = self.builder.cast(LLVMOpcode::LLVMPtrToInt, start, int);
        // Volatile, so that the slot stays in memory. As a value it would be live in the whole loop, with a phi
        // wherever paths join: half of the phis of a kernel with many loads.
        let before = self.builder.load(int, last);
        before.set_volatile();
        self.builder.store(here, last).set_volatile();
        self.builder.binary(LLVMOpcode::LLVMSub, here, before)
    }

    /// `ahead`, or the distance of the next subgroups if the loop is short.
    fn or_neighbours(&self, around: &GridLoop, ahead: Value, bytes: u64) -> Value {
        let int = ahead.ty();
        let number = |value| Value::int(int, value);
        let [step, end] = [around.step, around.end].map(|it| self.number(it, int));
        let builder = &self.builder;
        let reach = builder.binary(LLVMOpcode::LLVMMul, step, number(SHORT));
        let is_short = builder.compare(LLVMIntPredicate::LLVMIntUGT, reach, end);
        builder.select(is_short, number(SUBGROUPS * bytes), ahead)
    }

    /// A number at hand, as an integer of a type.
    fn number(&self, it: Value, int: Type) -> Value {
        let known = self.parameters.get(&it).or_else(|| self.scalars.get(&it));
        // Not kept for the rest of the block: this may be a side path.
        let load = |slot: &Value| self.builder.load(it.ty(), *slot);
        let scalar = known.copied().or_else(|| self.slots.get(&it).map(load));
        self.builder.cast_unsigned(scalar.unwrap_or(it), int)
    }

    /// Whether a value is a number that is the same for all lanes, and known here.
    fn is_number_at_hand(&self, value: Value) -> bool {
        let is_known = !value.is_instruction() || self.is_at_hand(value);
        value.ty().is_int() && self.divergence.shape(value).is_uniform() && is_known
    }

    /// The positions of header and latch of the innermost loop with the current block: loops are contiguous and end
    /// with their latch.
    fn innermost_loop(&self) -> Option<(usize, usize)> {
        let rest = self.order.successors.iter().enumerate().skip(self.current);
        let edges = rest.flat_map(|(from, all)| all.iter().map(move |&to| (to, from)));
        edges.filter(|(to, _)| *to <= self.current).max()
    }
}
