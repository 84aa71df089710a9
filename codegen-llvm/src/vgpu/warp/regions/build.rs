//! Builds the function that runs regions.
//!
//! ```text
//! entry:  switch on the region
//! first:  no warp has run
//! head:   the next warp: its frame, the values that the region needs
//! …       copies of the region's blocks
//! stop:   at each barrier: the values that the next region needs go to the frame, and the region's number
//! latch:  another warp? → head
//! done:   have all warps come to one barrier of the whole block? → the first block of its region, else leave
//! leave:  the barriers' arguments go to the frames
//! ```

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::{ENDED, RegionCall, ThreadContext, WARP_STACK_SIZE, WarpFrame};

use super::arrivals::{self, Frames};
use super::kept::Kept;
use super::together::Together;
use crate::analysis::control_flow::reached;
use crate::ir::{Block, Builder, Context, Copies, Type, Value};
use crate::vgpu::unit::Unit;

/// How many instructions the regions that begin with these blocks and with the entry have together.
pub fn size(form: Value, starts: &[Block]) -> usize {
    let first = form.blocks()[0];
    let all = std::iter::once(first).chain(starts.iter().copied());
    let regions = all.map(|start| reached(start, starts));
    regions
        .flatten()
        .map(|block| block.instructions().len())
        .sum()
}

/// Builds it in place of the form's code, of which `starts` are the blocks behind the barriers. Gives the bytes of a
/// frame; `None` if they are too many: then the form is as it was.
pub fn run(unit: &Unit, form: Value, barriers: &[Value], starts: &[Block]) -> Option<u32> {
    let kept = Kept::new(unit.module.layout(), form, starts)?;
    let context = unit.context();
    let original = form.blocks()[0];
    let entry = Builder::append_block(context, form, "regions");
    entry.move_before(original);
    let builder = Builder::at_end(context, entry);
    let arrays = kept.arrays.iter().map(|(array, _)| array);
    { kept.values.iter().chain(arrays) }.for_each(|&local| builder.take(local));
    let ints = Ints::new(context);
    let call = builder.cast(
        LLVMOpcode::LLVMIntToPtr,
        form.parameters()[2],
        Type::pointer(context),
    );
    let field = |ty, offset: usize| {
        let address = builder.byte_offset(call, ints.wide(offset as u64));
        builder.load(ty, address)
    };
    let pointer = Type::pointer(context);
    let regions = Regions {
        context,
        form,
        kept: &kept,
        ints,
        warp_size: u64::from(unit.manifest.warp_size),
        frames: Frames {
            ints,
            first: field(pointer, offset_of!(RegionCall, frames)),
            size: kept.size,
            from: field(ints.narrow, offset_of!(RegionCall, from)),
            to: field(ints.narrow, offset_of!(RegionCall, to)),
        },
        current: field(pointer, offset_of!(RegionCall, current)),
        barriers: barriers.iter().copied().zip(1..).collect(),
        starts,
        firsts: (0..=starts.len())
            .map(|_| Builder::append_block(context, form, "first"))
            .collect(),
        leave: Builder::append_block(context, form, "leave"),
        together: Together::new(&builder, call, ints, unit.manifest.warp_size.into()),
    };
    let region = field(ints.narrow, offset_of!(RegionCall, region));
    regions.begin_together(&builder);
    builder.switch(region, &regions.firsts);
    let all = std::iter::once(original).chain(starts.iter().copied());
    for (start, &first) in all.zip(&regions.firsts) {
        regions.build(start, first);
    }
    regions.leave(barriers);
    Some(kept.size)
}

/// Integer types and constants.
#[derive(Clone, Copy)]
pub struct Ints {
    pub narrow: Type,
    pub wide: Type,
}

impl Ints {
    fn new(context: Context) -> Ints {
        Ints {
            narrow: Type::int(context, 32),
            wide: Type::int(context, 64),
        }
    }

    pub fn narrow(self, value: u64) -> Value {
        Value::int(self.narrow, value)
    }

    pub fn wide(self, value: u64) -> Value {
        Value::int(self.wide, value)
    }
}

/// What all regions share.
struct Regions<'a> {
    context: Context,
    form: Value,
    kept: &'a Kept,
    ints: Ints,
    warp_size: u64,
    frames: Frames,
    current: Value,
    /// The barriers and the regions behind them.
    barriers: HashMap<Value, u64>,
    starts: &'a [Block],
    /// Where each region begins.
    firsts: Vec<Block>,
    /// Where control goes behind the last region.
    leave: Block,
    together: Together,
}

/// One warp in a region's loop.
struct Warp {
    number: Value,
    frame: Value,
    /// The lanes that exist.
    existing: Value,
    /// Its context, for the engine.
    context: Value,
    latch: Block,
    /// The addresses that the region's code stores to.
    written: HashSet<Value>,
}

impl Regions<'_> {
    /// Says that no region has run.
    fn begin_together(&self, builder: &Builder) {
        self.together.begin(builder);
    }

    /// Builds the loop over warps for the region that begins with a block, and itself with `first`.
    fn build(&self, start: Block, first: Block) {
        let blocks = reached(start, self.starts);
        let head = Builder::append_block(self.context, self.form, "head");
        let latch = Builder::append_block(self.context, self.form, "latch");
        let builder = Builder::at_end(self.context, head);
        let number = builder.phi(self.ints.narrow);
        number.add_incoming(self.frames.from, first);
        let before = Builder::at_end(self.context, first);
        self.together.begin_region(&before);
        before.jump(head);
        let warp = self.begin(&builder, number, latch, &blocks);
        self.reload(&builder, &warp, start);
        let values = self.replacements(&builder, &warp);
        let copies = Copies::of(self.context, self.form, &blocks, values);
        builder.jump(copies.blocks[&start]);
        self.finish_copies(&blocks, &copies, &warp);
        let done = self.close(latch, head, number);
        let calls = blocks.iter().flat_map(|block| block.instructions());
        let next = calls.filter_map(|call| self.barriers.get(&call).copied());
        let next = next.map(|region| (region, self.firsts[region as usize]));
        let leave = self.leave;
        self.together
            .end_region(self.context, done, next.collect(), leave);
    }

    /// Builds what runs behind the last region.
    fn leave(&self, barriers: &[Value]) {
        let builder = Builder::at_end(self.context, self.leave);
        let ended = self.together.end(&builder);
        arrivals::write_at_end(self.context, &self.frames, barriers, ended, self.leave);
    }

    /// Begins an iteration of the loop over warps.
    fn begin(&self, builder: &Builder, number: Value, latch: Block, blocks: &[Block]) -> Warp {
        let ints = self.ints;
        let wide = builder.cast(LLVMOpcode::LLVMZExt, number, ints.wide);
        let distance = |bytes: u64| builder.binary(LLVMOpcode::LLVMMul, wide, ints.wide(bytes));
        let frame = self.frames.of(builder, wide);
        let first = self.form.parameters()[0];
        let context = builder.byte_offset(first, distance(WARP_STACK_SIZE as u64));
        let thread = distance(self.warp_size);
        let short = Type::int(self.context, 16);
        let thread = builder.cast(LLVMOpcode::LLVMTrunc, thread, short);
        builder.store(thread, self.current);
        let existing = self
            .frames
            .field(builder, frame, offset_of!(WarpFrame, existing));
        Warp {
            number,
            frame,
            existing: builder.load(ints.wide, existing),
            context,
            latch,
            written: addresses_written(blocks),
        }
    }

    /// Loads the values that a region needs.
    fn reload(&self, builder: &Builder, warp: &Warp, start: Block) {
        let needed = self.kept.needed.get(&start).into_iter().flatten();
        for &value in needed {
            let place = self.place(builder, warp, value);
            let loaded = builder.load(value.allocated_type(), place);
            builder.store(loaded, value);
        }
    }

    fn place(&self, builder: &Builder, warp: &Warp, value: Value) -> Value {
        let place = self.kept.places[&value];
        builder.byte_offset(warp.frame, self.ints.wide(place))
    }

    /// What copies use instead of the form's parameters and arrays.
    fn replacements(&self, builder: &Builder, warp: &Warp) -> HashMap<Value, Value> {
        let parameters = self.form.parameters();
        let mut values =
            HashMap::from([(parameters[0], warp.frame), (parameters[2], warp.existing)]);
        for &(array, place) in &self.kept.arrays {
            let address = builder.byte_offset(warp.frame, self.ints.wide(place));
            values.insert(array, address);
        }
        values
    }

    /// Corrects what is not as in the original: contexts that are passed on, locals, and how the region ends.
    fn finish_copies(&self, blocks: &[Block], copies: &Copies, warp: &Warp) {
        let context = self.form.parameters()[0];
        for block in blocks {
            for original in block.instructions() {
                let copy = copies.values[&original];
                match original.opcode() {
                    Some(LLVMOpcode::LLVMLoad) => self.share(original, copy),
                    Some(LLVMOpcode::LLVMCall) => {
                        let places = 0..original.operand_count();
                        let passed = places.filter(|&at| original.operand(at) == context);
                        passed.for_each(|at| copy.set_operand(at, warp.context));
                        if let Some(&region) = self.barriers.get(&original) {
                            self.stop(copy, region, warp);
                        }
                    }
                    Some(LLVMOpcode::LLVMRet) => self.end(copy, warp),
                    _ => {}
                }
            }
        }
    }

    /// Lets a load of what is the same for all warps read the first one's frame. Says that what the kernel does not
    /// change stays as it is.
    fn share(&self, original: Value, copy: Value) {
        let parameters = self.form.parameters();
        let address = original.operand(0);
        let field = address.opcode() == Some(LLVMOpcode::LLVMGetElementPtr);
        let base = if field { address.operand(0) } else { address };
        if base == parameters[1] && (!field || address.operand(1).is_constant()) {
            copy.set_invariant(self.context);
        }
        if base != parameters[0] || !field || address.operand_count() != 2 {
            return;
        }
        let Some(offset) = address.operand(1).as_int() else {
            return;
        };
        if is_shared_field(offset as usize) {
            let builder = Builder::before(self.context, copy);
            copy.set_operand(
                0,
                builder.byte_offset(self.frames.first, self.ints.wide(offset)),
            );
            copy.set_invariant(self.context);
        }
    }

    /// Ends a copy of a block at a barrier instead of waiting there.
    fn stop(&self, call: Value, region: u64, warp: &Warp) {
        let block = call.block();
        let builder = Builder::before(self.context, call);
        let needed = &self.kept.needed[&self.starts[region as usize - 1]];
        for &value in needed.iter().filter(|it| warp.written.contains(it)) {
            let place = self.place(&builder, warp, value);
            let last = builder.load(value.allocated_type(), value);
            builder.store(last, place);
        }
        arrivals::write_now(&self.frames, &builder, warp.frame, call);
        self.set_region(&builder, warp, self.ints.narrow(region));
        self.together.stop(
            &builder,
            &call.arguments()[2..],
            (warp.number, warp.existing),
            region,
        );
        let jump = block.terminator().expect("a barrier's block ends");
        // SAFETY: the barrier has no result, and nothing uses a jump.
        unsafe {
            call.erase();
            jump.erase();
        }
        Builder::at_end(self.context, block).jump(warp.latch);
    }

    /// Ends a copy of a block in which the warp ends.
    fn end(&self, end: Value, warp: &Warp) {
        let block = end.block();
        let builder = Builder::before(self.context, end);
        let ended = self.ints.narrow(ENDED.into());
        self.set_region(&builder, warp, ended);
        self.together.end_warp(&builder);
        // SAFETY: nothing uses a return.
        unsafe { end.erase() };
        Builder::at_end(self.context, block).jump(warp.latch);
    }

    /// Says in the frame where the warp goes on.
    fn set_region(&self, builder: &Builder, warp: &Warp, region: Value) {
        let offset = offset_of!(WarpFrame, region);
        builder.store(region, self.frames.field(builder, warp.frame, offset));
    }

    /// Ends an iteration of the loop over warps. Gives the block behind the loop.
    fn close(&self, latch: Block, head: Block, number: Value) -> Block {
        let builder = Builder::at_end(self.context, latch);
        let next = builder.binary(LLVMOpcode::LLVMAdd, number, self.ints.narrow(1));
        let more = builder.compare(LLVMIntPredicate::LLVMIntULT, next, self.frames.to);
        let done = Builder::append_block(self.context, self.form, "done");
        builder.branch(more, head, done);
        number.add_incoming(next, latch);
        done
    }
}

/// The addresses that these blocks store to.
fn addresses_written(blocks: &[Block]) -> HashSet<Value> {
    let instructions = blocks.iter().flat_map(|block| block.instructions());
    let stores = instructions.filter(|it| it.opcode() == Some(LLVMOpcode::LLVMStore));
    stores.map(|store| store.operand(1)).collect()
}

/// Whether a field of the context is the same for all warps of a block, and stays as it is.
pub fn is_shared_field(offset: usize) -> bool {
    let own = [
        offset_of!(ThreadContext, tid)..offset_of!(ThreadContext, ntid),
        offset_of!(ThreadContext, laneid)..offset_of!(ThreadContext, smid),
        // The kernel's entry writes the first of these.
        offset_of!(ThreadContext, kernel_number)..size_of::<ThreadContext>(),
    ];
    !own.iter().any(|fields| fields.contains(&offset))
}
