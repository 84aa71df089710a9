//! What warps' frames say of the barriers that they wait at (`vgpu_abi::WarpFrame`: place, number, lanes).
//!
//! The engine reads it, and that only runs when the code returns. As regions mostly follow each other without it
//! ([`super::together`]), what is constant is written when the code returns: of which barrier a warp waits at, the
//! number of the region behind it says enough. In a scan with eight steps the five fields of each of eight warps were a
//! third of all stores.

use std::mem::offset_of;

use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntULT};
use llvm_sys::LLVMOpcode::{LLVMAdd, LLVMMul, LLVMZExt};
use vgpu_abi::{ENDED, WarpFrame};

use super::build::Ints;
use crate::ir::{Block, Builder, Context, Value};

/// The fields that describe a barrier. Values are arguments of `vgpu_warp_barrier` from the second on.
const FIELDS: [usize; 5] = [
    offset_of!(WarpFrame, site),
    offset_of!(WarpFrame, id),
    offset_of!(WarpFrame, count),
    offset_of!(WarpFrame, lanes),
    offset_of!(WarpFrame, elsewhere),
];

/// The frames of the warps of a call.
#[derive(Clone, Copy)]
pub struct Frames {
    pub ints: Ints,
    /// The first warp's frame.
    pub first: Value,
    /// Bytes of a frame.
    pub size: u32,
    /// The first warp that runs, and the one behind the last.
    pub from: Value,
    pub to: Value,
}

impl Frames {
    /// The frame of a warp, whose number has 64 bits.
    pub fn of(&self, builder: &Builder, warp: Value) -> Value {
        let bytes = self.ints.wide(self.size.into());
        builder.byte_offset(self.first, builder.binary(LLVMMul, warp, bytes))
    }

    /// A field of a frame.
    pub fn field(&self, builder: &Builder, frame: Value, offset: usize) -> Value {
        builder.byte_offset(frame, self.ints.wide(offset as u64))
    }
}

/// A warp with this frame waits at a barrier: writes what is not constant.
pub fn write_now(frames: &Frames, builder: &Builder, frame: Value, barrier: Value) {
    if constant(barrier).is_none() {
        write(frames, builder, frame, &arguments(barrier));
    }
}

/// Writes what is constant for all warps of the call, which have run, and returns. `all_ended`: whether they have
/// ended. The region behind a barrier has its place in `barriers` and one more as a number.
pub fn write_at_end(
    context: Context,
    frames: &Frames,
    barriers: &[Value],
    all_ended: Value,
    leave: Block,
) {
    let block = || Builder::append_block(context, leave.function(), "");
    let at = |block| Builder::at_end(context, block);
    let [end, head, waits, latch] = std::array::from_fn(|_| block());
    at(leave).branch(all_ended, end, head);
    at(end).return_void();

    let builder = at(head);
    let number = builder.phi(frames.ints.narrow);
    number.add_incoming(frames.from, leave);
    let wide = builder.cast(LLVMZExt, number, frames.ints.wide);
    let frame = frames.of(&builder, wide);
    let region = frames.field(&builder, frame, offset_of!(WarpFrame, region));
    let region = builder.load(frames.ints.narrow, region);
    let ended = builder.compare(LLVMIntEQ, region, frames.ints.narrow(ENDED.into()));
    builder.branch(ended, latch, waits);

    let cases = barriers.iter().map(|&barrier| {
        let Some(values) = constant(barrier) else {
            return latch;
        };
        let case = block();
        write(frames, &at(case), frame, &values);
        at(case).jump(latch);
        case
    });
    let cases: Vec<_> = std::iter::once(latch).chain(cases).collect();
    at(waits).switch(region, &cases);

    let builder = at(latch);
    let next = builder.binary(LLVMAdd, number, frames.ints.narrow(1));
    number.add_incoming(next, latch);
    let more = builder.compare(LLVMIntULT, next, frames.to);
    builder.branch(more, head, end);
}

/// What a frame says of a barrier.
fn arguments(barrier: Value) -> [Value; 5] {
    let all = barrier.arguments();
    std::array::from_fn(|at| all[at + 1])
}

/// The same, if all of it is constant.
fn constant(barrier: Value) -> Option<[Value; 5]> {
    let values = arguments(barrier);
    values.iter().all(|it| it.is_constant()).then_some(values)
}

fn write(frames: &Frames, builder: &Builder, frame: Value, values: &[Value; 5]) {
    for (offset, &value) in FIELDS.into_iter().zip(values) {
        builder.store(value, frames.field(builder, frame, offset));
    }
}
