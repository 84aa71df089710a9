//! Goes on from region to region without a return to the engine, as long as all warps come to one barrier of the whole
//! block.
//!
//! A return and a call cost some 14 ns, as much as many a region. So each warp's end of a region adds a bit for where
//! it is, and behind the loop over warps stands the question whether there is one bit.

use std::mem::offset_of;

use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE, LLVMIntULE};
use llvm_sys::LLVMOpcode::{LLVMAdd, LLVMAnd, LLVMMul, LLVMOr};
use vgpu_abi::RegionCall;

use super::build::Ints;
use crate::ir::{Block, Builder, Context, Type, Value};

/// Most regions behind barriers, so that each has a bit.
pub const MAX_REGIONS: usize = 62;

/// The bit of warps that have ended.
const ENDED: u64 = 1;

/// The bit of warps that are apart, or of which only the engine can tell.
const APART: u64 = 1 << 63;

/// The bit of warps that go on with a region. Numbers begin with 1.
fn bit(region: u64) -> u64 {
    1 << region
}

/// What the code knows of where the warps are.
pub struct Together {
    ints: Ints,
    call: Value,
    /// [`RegionCall::whole`].
    whole: Value,
    /// Threads of a warp.
    warp_size: u64,
    stop: Value,
    /// A local variable: the bits of the warps that have run.
    places: Value,
    /// A local variable: how many regions have run behind the first.
    further: Value,
}

impl Together {
    /// For a function that is called as `call` says.
    pub fn new(entry: &Builder, call: Value, ints: Ints, warp_size: u64) -> Together {
        let place = |offset: usize| entry.byte_offset(call, ints.wide(offset as u64));
        Together {
            ints,
            call,
            whole: entry.load(ints.narrow, place(offset_of!(RegionCall, whole))),
            warp_size,
            stop: entry.load(call.ty(), place(offset_of!(RegionCall, stop))),
            places: entry.stack_slot(ints.wide, 8),
            further: entry.stack_slot(ints.narrow, 4),
        }
    }

    /// No region has run.
    pub fn begin(&self, entry: &Builder) {
        entry.store(self.ints.narrow(0), self.further);
    }

    /// No warp has run in this region.
    pub fn begin_region(&self, builder: &Builder) {
        builder.store(self.ints.wide(0), self.places);
    }

    /// A warp waits at a barrier (number, count, lanes, lanes elsewhere) before a region. `number`: the warp's;
    /// `existing`: its lanes.
    pub fn stop(
        &self,
        builder: &Builder,
        barrier: &[Value],
        (number, existing): (Value, Value),
        region: u64,
    ) {
        let &[id, count, lanes, elsewhere, ..] = barrier else {
            unreachable!("a barrier has these arguments");
        };
        if id.as_int().is_none() {
            return self.add(builder, self.ints.wide(APART));
        }
        let equal = |one, other| builder.compare(LLVMIntEQ, one, other);
        let and = |one, other| builder.binary(LLVMAnd, one, other);
        let (all, whole) = (
            equal(count, Value::zero(count.ty())),
            equal(count, self.whole),
        );
        let everyone = builder.binary(LLVMOr, all, whole);
        // That a warp has all lanes takes no load.
        let complete = match lanes.as_int() {
            Some(lanes) if lanes == u64::MAX >> (64 - self.warp_size) => {
                self.is_full(builder, number)
            }
            _ => equal(lanes, existing),
        };
        let complete = and(complete, equal(elsewhere, Value::zero(elsewhere.ty())));
        let (here, apart) = (self.ints.wide(bit(region)), self.ints.wide(APART));
        self.add(
            builder,
            builder.select(and(everyone, complete), here, apart),
        );
    }

    /// Whether the block has all threads of a warp, if the call is for the whole block.
    fn is_full(&self, builder: &Builder, number: Value) -> Value {
        let ints = self.ints;
        let behind = builder.binary(LLVMAdd, number, ints.narrow(1));
        let threads = builder.binary(LLVMMul, behind, ints.narrow(self.warp_size));
        builder.compare(LLVMIntULE, threads, self.whole)
    }

    /// A warp has ended.
    pub fn end_warp(&self, builder: &Builder) {
        self.add(builder, self.ints.wide(ENDED));
    }

    fn add(&self, builder: &Builder, bit: Value) {
        let before = builder.load(self.ints.wide, self.places);
        builder.store(builder.binary(LLVMOr, before, bit), self.places);
    }

    /// Behind the loop over warps: goes to one of the regions that may follow, or to `leave`.
    pub fn end_region(&self, context: Context, done: Block, next: Vec<(u64, Block)>, leave: Block) {
        let function = done.function();
        let block = || Builder::append_block(context, function, "");
        let mut builder = Builder::at_end(context, done);
        if !next.is_empty() {
            let byte = Type::int(context, 8);
            let stopped = builder.load(byte, self.stop);
            stopped.set_volatile();
            let runs = builder.compare(LLVMIntNE, stopped, Value::int(byte, 1));
            let whole = builder.compare(LLVMIntNE, self.whole, self.ints.narrow(0));
            let on = block();
            builder.branch(builder.binary(LLVMAnd, runs, whole), on, leave);
            builder = Builder::at_end(context, on);
        }
        let places = builder.load(self.ints.wide, self.places);
        for (region, first) in next {
            let (follows, other) = (block(), block());
            let is = builder.compare(LLVMIntEQ, places, self.ints.wide(bit(region)));
            builder.branch(is, follows, other);
            let onward = Builder::at_end(context, follows);
            let more = onward.load(self.ints.narrow, self.further);
            let more = onward.binary(LLVMAdd, more, self.ints.narrow(1));
            onward.store(more, self.further);
            onward.jump(first);
            builder = Builder::at_end(context, other);
        }
        builder.jump(leave);
    }

    /// Behind the last region: says how many have run. Gives whether all warps that have run have ended.
    pub fn end(&self, builder: &Builder) -> Value {
        let further = builder.load(self.ints.narrow, self.further);
        let place = self.ints.wide(offset_of!(RegionCall, further) as u64);
        builder.store(further, builder.byte_offset(self.call, place));
        let places = builder.load(self.ints.wide, self.places);
        builder.compare(LLVMIntEQ, places, self.ints.wide(ENDED))
    }
}
