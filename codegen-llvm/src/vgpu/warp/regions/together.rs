//! Goes on from region to region without a return to the engine, as long as all warps come to one barrier of the whole
//! block.
//!
//! A return and a call cost some 14 ns, as much as many a region. So each warp's end of a region says where it is, and
//! behind the loop over warps stands the question whether all said the same.

use std::mem::offset_of;

use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMOpcode::{LLVMAdd, LLVMAnd, LLVMOr};
use vgpu_abi::RegionCall;

use super::build::Ints;
use crate::ir::{Block, Builder, Context, Type, Value};

/// As a region: no warp has run.
const NONE: u64 = u32::MAX as u64 - 1;

/// As a region: warps are apart, or only the engine can tell.
const APART: u64 = u32::MAX as u64 - 2;

/// What the code knows of where the warps are.
pub struct Together {
    ints: Ints,
    call: Value,
    /// [`RegionCall::whole`].
    whole: Value,
    stop: Value,
    /// A local variable: the region in which all warps go on that have run.
    agreed: Value,
    /// A local variable: how many regions have run behind the first.
    further: Value,
}

impl Together {
    /// For a function that is called as `call` says.
    pub fn new(entry: &Builder, call: Value, ints: Ints) -> Together {
        let place = |offset: usize| entry.byte_offset(call, ints.wide(offset as u64));
        Together {
            ints,
            call,
            whole: entry.load(ints.narrow, place(offset_of!(RegionCall, whole))),
            stop: entry.load(call.ty(), place(offset_of!(RegionCall, stop))),
            agreed: entry.stack_slot(ints.narrow, 4),
            further: entry.stack_slot(ints.narrow, 4),
        }
    }

    /// No region has run.
    pub fn begin(&self, entry: &Builder) {
        entry.store(self.ints.narrow(0), self.further);
    }

    /// No warp has run in this region.
    pub fn begin_region(&self, builder: &Builder) {
        builder.store(self.ints.narrow(NONE), self.agreed);
    }

    /// A warp with lanes `existing` waits at a barrier (number, count, lanes, lanes elsewhere) before a region.
    pub fn stop(&self, builder: &Builder, barrier: &[Value], existing: Value, region: u64) {
        let &[id, count, lanes, elsewhere, ..] = barrier else {
            unreachable!("a barrier has these arguments");
        };
        let region = self.ints.narrow(region);
        if id.as_int().is_none() {
            return self.agree(builder, self.ints.narrow(APART));
        }
        let equal = |one, other| builder.compare(LLVMIntEQ, one, other);
        let and = |one, other| builder.binary(LLVMAnd, one, other);
        let (all, whole) = (
            equal(count, Value::zero(count.ty())),
            equal(count, self.whole),
        );
        let everyone = builder.binary(LLVMOr, all, whole);
        let complete = and(
            equal(lanes, existing),
            equal(elsewhere, Value::zero(elsewhere.ty())),
        );
        let apart = self.ints.narrow(APART);
        let here = builder.select(and(everyone, complete), region, apart);
        self.agree(builder, here);
    }

    /// A warp goes on with a region.
    pub fn agree(&self, builder: &Builder, region: Value) {
        let before = builder.load(self.ints.narrow, self.agreed);
        let is = |what| builder.compare(LLVMIntEQ, before, what);
        let same = builder.binary(LLVMOr, is(self.ints.narrow(NONE)), is(region));
        let apart = self.ints.narrow(APART);
        builder.store(builder.select(same, region, apart), self.agreed);
    }

    /// Behind the loop over warps: goes to one of the regions that may follow, or returns.
    pub fn end_region(&self, context: Context, done: Block, next: Vec<(u64, Block)>) {
        let function = done.function();
        let block = || Builder::append_block(context, function, "");
        let mut builder = Builder::at_end(context, done);
        let back = block();
        if !next.is_empty() {
            let byte = Type::int(context, 8);
            let stopped = builder.load(byte, self.stop);
            stopped.set_volatile();
            let runs = builder.compare(LLVMIntNE, stopped, Value::int(byte, 1));
            let whole = builder.compare(LLVMIntNE, self.whole, self.ints.narrow(0));
            let on = block();
            builder.branch(builder.binary(LLVMAnd, runs, whole), on, back);
            builder = Builder::at_end(context, on);
        }
        let agreed = builder.load(self.ints.narrow, self.agreed);
        for (region, first) in next {
            let (follows, other) = (block(), block());
            let is = builder.compare(LLVMIntEQ, agreed, self.ints.narrow(region));
            builder.branch(is, follows, other);
            let onward = Builder::at_end(context, follows);
            let more = onward.load(self.ints.narrow, self.further);
            let more = onward.binary(LLVMAdd, more, self.ints.narrow(1));
            onward.store(more, self.further);
            onward.jump(first);
            builder = Builder::at_end(context, other);
        }
        builder.jump(back);
        let builder = Builder::at_end(context, back);
        let further = builder.load(self.ints.narrow, self.further);
        let place = self.ints.wide(offset_of!(RegionCall, further) as u64);
        builder.store(further, builder.byte_offset(self.call, place));
        builder.return_void();
    }
}
