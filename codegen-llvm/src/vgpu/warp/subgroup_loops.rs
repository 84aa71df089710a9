//! Gives warp forms that never wait a loop over the subgroups of a block, and one over blocks around it.
//!
//! Called for each subgroup, a form of few instructions spends most of its time in the call: the engine writes the
//! context, and the form loads its arguments and fills vectors with constants. In a loop all of that is done once for
//! several blocks. pocl's loop over work-items does the same for one (Jääskeläinen et al. 2015, section 4).
//!
//! ```text
//! entry:   the local variables
//! block:   which block it is, for the engine and for the code
//! head:    which thread the subgroup begins with, for both
//! …        the form's blocks
//! latch:   has the launch ended? another subgroup? → head
//! further: another block? → block, else return
//! ```
//!
//! Needs: warp forms, optimised. Leaves: `WarpForm::Present::loops`, and functions as `vgpu_abi::SubgroupCall` says.

use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE, LLVMIntULT};
use llvm_sys::LLVMOpcode::{
    LLVMAdd, LLVMAlloca, LLVMAnd, LLVMCall, LLVMGetElementPtr, LLVMIntToPtr, LLVMLShr, LLVMLoad,
    LLVMRet, LLVMStore, LLVMTrunc, LLVMUDiv, LLVMURem, LLVMZExt,
};
use vgpu_abi::artifact::WarpForm;
use vgpu_abi::{SubgroupCall, ThreadContext};

use super::regions::is_shared_field;
use crate::ir::{Block, Builder, Context, Type, Value};
use crate::vgpu::unit::Unit;

/// What cleans up: fields of the context are values of the loop now.
pub(super) const CLEAN: &str = "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.level < 2 {
        return Ok(());
    }
    let mut made = Vec::new();
    for (number, kernel) in unit.kernels.iter().enumerate() {
        let WarpForm::Present {
            symbol,
            width,
            fiber: false,
            ..
        } = &kernel.warp
        else {
            continue;
        };
        let Some(form) = unit.module.function(symbol) else {
            continue;
        };
        if has_fixed_locals(form) {
            let [context, words, lanes] = form.parameters()[..] else {
                unreachable!("a warp form has three parameters");
            };
            let given = Given {
                context,
                words: Some(words),
                lanes,
            };
            let warp_size = unit.manifest.warp_size;
            Loop::new(unit.context(), form, given, *width, warp_size).build();
            unit.machine
                .run_function_passes(&unit.module, form, CLEAN)?;
            made.push(number);
        }
    }
    for number in made {
        if let WarpForm::Present { loops, .. } = &mut unit.kernels[number].warp {
            *loops = true;
        }
    }
    Ok(())
}

/// Whether all local variables are in the entry, and of known size. Others would take more of the stack in each
/// iteration.
pub(super) fn has_fixed_locals(form: Value) -> bool {
    let entry = form.blocks()[0];
    let mut locals = form.instructions().into_iter();
    locals.all(|it| {
        let is_fixed = || it.block() == entry && it.allocated_count().as_int().is_some();
        it.opcode() != Some(LLVMAlloca) || is_fixed()
    })
}

/// Most instructions before which the context is written; of more, it is at the beginning of each iteration.
const MOST_READERS: usize = 40;

/// Where the context has the index of the block along x.
const BLOCK: usize = offset_of!(ThreadContext, ctaid);

/// The fields of the context that differ among the subgroups of a call.
const OWN_FIELDS: [usize; 6] = [
    offset_of!(ThreadContext, tid),
    offset_of!(ThreadContext, tid) + 4,
    offset_of!(ThreadContext, tid) + 8,
    offset_of!(ThreadContext, laneid),
    offset_of!(ThreadContext, warpid),
    BLOCK,
];

/// What a form is given.
pub(super) struct Given {
    /// Its parameter that is the context of its first thread.
    pub context: Value,
    /// Its parameter that points at the words of the kernel's parameters, if it has one.
    pub words: Option<Value>,
    /// Its parameter for the lanes, which is the address of a [`SubgroupCall`].
    pub lanes: Value,
}

/// The loop of one form.
pub(super) struct Loop {
    context: Context,
    form: Value,
    given: Given,
    width: u64,
    warp_size: u64,
    narrow: Type,
    wide: Type,
}

/// The numbers of an iteration: the block, its first thread in the block, and that thread's index.
struct Position {
    block: Value,
    first: Value,
    tid: [Value; 3],
}

/// The basic blocks around the form's own.
struct Frame {
    entry: Block,
    block: Block,
    head: Block,
    latch: Block,
    further: Block,
    done: Block,
    /// Threads of a block along x and y.
    extent: [Value; 2],
}

/// Where each block's loop begins: with this thread of the block, at this index.
struct Start {
    first: Value,
    tid: [Value; 3],
}

/// Where the loops end.
struct Ends {
    /// The byte that is 1 when the launch has ended.
    stop: Value,
    /// The number of the thread behind the last of a block's subgroups.
    end: Value,
    /// The index along x of the block behind the last.
    blocks: Value,
}

impl Loop {
    /// For a form whose subgroups have `width` threads.
    pub(super) fn new(
        context: Context,
        form: Value,
        given: Given,
        width: u32,
        warp_size: u32,
    ) -> Loop {
        Loop {
            context,
            form,
            given,
            width: width.into(),
            warp_size: warp_size.into(),
            narrow: Type::int(context, 32),
            wide: Type::int(context, 64),
        }
    }

    fn number(&self, value: u64) -> Value {
        Value::int(self.narrow, value)
    }

    fn field(&self, builder: &Builder, base: Value, offset: usize) -> Value {
        builder.byte_offset(base, Value::int(self.wide, offset as u64))
    }

    /// Puts the loop around the form's code.
    pub(super) fn build(&self) {
        let body = self.form.blocks()[0];
        let context = self.given.context;
        // What is the same for all subgroups can then be loaded before the loop.
        let bytes = size_of::<ThreadContext>() as u64;
        let parameters = self.form.parameters();
        let index = parameters.iter().position(|it| *it == context);
        let index = 1 + index.expect("a parameter of the form") as u32;
        for (attribute, value) in [("dereferenceable", bytes), ("align", 8)] {
            self.form
                .add_int_attribute_at(self.context, index, attribute, value);
        }
        let whole = Value::int(self.wide, u64::MAX >> (64 - self.width));
        self.given.lanes.replace_all_uses(whole);
        let block = |name| Builder::append_block(self.context, self.form, name);
        let entry = block("subgroups");
        let builder = Builder::at_end(self.context, entry);
        let context_field = |offset| self.field(&builder, context, offset);
        let extent = [0, 4].map(|axis| {
            let place = context_field(offset_of!(ThreadContext, ntid) + axis);
            let extent = builder.load(self.narrow, place);
            extent.set_invariant(self.context);
            extent
        });
        let frame = Frame {
            entry,
            extent,
            block: block("block"),
            head: block("head"),
            latch: block("latch"),
            further: block("further"),
            done: block("done"),
        };
        for block in [frame.entry, frame.block, frame.head] {
            block.move_before(body);
        }
        let is_local = |it: &Value| it.opcode() == Some(LLVMAlloca);
        let locals = body.instructions().into_iter().filter(is_local);
        locals.for_each(|local| builder.take(local));
        let pointer = Type::pointer(self.context);
        let call = builder.cast(LLVMIntToPtr, self.given.lanes, pointer);
        let get = |ty, offset| builder.load(ty, self.field(&builder, call, offset));
        let places = [
            get(pointer, offset_of!(SubgroupCall, current)),
            get(pointer, offset_of!(SubgroupCall, thread)),
        ];
        let index = self.field(&builder, context, BLOCK);
        let block_index = get(self.narrow, offset_of!(SubgroupCall, block));
        let blocks = get(self.narrow, offset_of!(SubgroupCall, blocks));
        let ends = Ends {
            stop: get(pointer, offset_of!(SubgroupCall, stop)),
            end: get(self.narrow, offset_of!(SubgroupCall, end)),
            blocks: builder.binary(LLVMAdd, block_index, blocks),
        };
        // Not all blocks of a launch have three dimensions, but all subgroups begin at multiples of their width.
        let multiple = self.number((1 << 32) - self.width);
        let number = |offset| get(self.narrow, offset);
        let aligned = |offset| builder.binary(LLVMAnd, number(offset), multiple);
        let tid = offset_of!(SubgroupCall, tid);
        let start = Start {
            first: aligned(offset_of!(SubgroupCall, first)),
            tid: [aligned(tid), number(tid + 4), number(tid + 8)],
        };
        builder.jump(frame.block);
        let builder = Builder::at_end(self.context, frame.block);
        let number = builder.phi(self.narrow);
        number.add_incoming(block_index, frame.entry);
        builder.store(number, index);
        builder.jump(frame.head);
        let position = self.begin(&frame, number, &start, places);
        Builder::at_end(self.context, frame.head).jump(body);
        self.end_in(frame.latch);
        self.close(&frame, &position, &ends);
        Builder::at_end(self.context, frame.done).return_void();
    }

    /// Begins an iteration: tells the engine and the code which threads run.
    fn begin(&self, frame: &Frame, block: Value, start: &Start, places: [Value; 2]) -> Position {
        let builder = Builder::at_end(self.context, frame.head);
        let counter = |from| {
            let counter = builder.phi(self.narrow);
            counter.add_incoming(from, frame.block);
            counter
        };
        let position = Position {
            block,
            first: counter(start.first),
            tid: start.tid.map(counter),
        };
        let short = Type::int(self.context, 16);
        let thread = builder.cast(LLVMTrunc, position.first, short);
        for place in places {
            builder.store(thread, place);
        }
        self.replace_loads(&builder, &position);
        let mut readers = Vec::new();
        let all_are_known = self.find_readers(self.given.context, &mut readers);
        if self.width == 1 {
            // Functions that single threads call find the context from the stack pointer.
            let calls = self.form.instructions().into_iter();
            let is_new = |it: &Value| may_find_context(it) && !readers.contains(it);
            let others: Vec<_> = calls.filter(is_new).collect();
            readers.extend(others);
        }
        if all_are_known && readers.len() <= MOST_READERS {
            // Mostly these are calls that report a fault.
            for reader in readers {
                let before = Builder::before(self.context, reader);
                self.tell(
                    &before,
                    position.first,
                    self.index(&before, &position, frame),
                );
            }
        } else {
            self.tell(&builder, position.first, position.tid);
        }
        position
    }

    /// The lane and the warp of a subgroup's first thread.
    fn lane_and_warp(&self, builder: &Builder, first: Value) -> [Value; 2] {
        let shift = self.number(self.warp_size.trailing_zeros().into());
        [
            builder.binary(LLVMAnd, first, self.number(self.warp_size - 1)),
            builder.binary(LLVMLShr, first, shift),
        ]
    }

    /// The index of a subgroup's first thread, of its number: the loop need not count it where nothing else uses it.
    fn index(&self, builder: &Builder, position: &Position, frame: &Frame) -> [Value; 3] {
        let [columns, rows] = frame.extent;
        let row = builder.binary(LLVMUDiv, position.first, columns);
        [
            builder.binary(LLVMURem, position.first, columns),
            builder.binary(LLVMURem, row, rows),
            builder.binary(LLVMUDiv, row, rows),
        ]
    }

    /// Writes to the context which threads run. The block's number is there.
    fn tell(&self, builder: &Builder, first: Value, [x, y, z]: [Value; 3]) {
        let [lane, warp] = self.lane_and_warp(builder, first);
        for (value, offset) in [x, y, z, lane, warp].into_iter().zip(OWN_FIELDS) {
            builder.store(value, self.field(builder, self.given.context, offset));
        }
    }

    /// Replaces loads of what differs among subgroups, and says of other loads that nobody changes what they read.
    fn replace_loads(&self, builder: &Builder, position: &Position) {
        let [x, y, z] = position.tid;
        let [lane, warp] = self.lane_and_warp(builder, position.first);
        let own = [x, y, z, lane, warp, position.block];
        for load in self.form.instructions() {
            if load.opcode() != Some(LLVMLoad) || load.is_volatile() {
                continue;
            }
            let Some((base, offset)) = constant_place(load.operand(0)) else {
                continue;
            };
            if Some(base) == self.given.words {
                load.set_invariant(self.context);
            }
            if base != self.given.context {
                continue;
            }
            let place = OWN_FIELDS.iter().position(|&own| own == offset);
            match place {
                Some(at) if load.ty() == self.narrow => {
                    // SAFETY: `instructions` is a snapshot, and this loop does not look at the load again.
                    unsafe { load.replace_with(own[at]) }
                }
                // A wider load before the block's number may reach over it.
                None if is_shared_field(offset) && (offset > BLOCK || load.ty() == self.narrow) => {
                    load.set_invariant(self.context);
                }
                // It was the same for one thread.
                _ => load.clear_invariant(self.context),
            }
        }
    }

    /// Finds the instructions that read fields of the context that differ, or let others read them. Gives whether these
    /// are all: loads and calls.
    fn find_readers(&self, value: Value, found: &mut Vec<Value>) -> bool {
        let context = self.given.context;
        let field = |address| {
            let place = constant_place(address);
            place.and_then(|(base, offset)| (base == context).then_some(offset))
        };
        value.users().into_iter().all(|user| match user.opcode() {
            Some(LLVMLoad) => {
                if !field(user.operand(0)).is_some_and(is_shared_field) {
                    found.push(user);
                }
                true
            }
            Some(LLVMGetElementPtr) => self.find_readers(user, found),
            Some(LLVMCall) => {
                found.push(user);
                true
            }
            // The loop's own: the block's number.
            Some(LLVMStore) => field(user.operand(1)) == Some(BLOCK),
            _ => false,
        })
    }

    /// Goes on to the next subgroup where the form returned.
    fn end_in(&self, latch: Block) {
        for instruction in self.form.instructions() {
            if instruction.opcode() == Some(LLVMRet) {
                let block = instruction.block();
                // SAFETY: nothing uses a return.
                unsafe { instruction.erase() };
                Builder::at_end(self.context, block).jump(latch);
            }
        }
    }

    /// Ends an iteration, and that of the blocks.
    fn close(&self, frame: &Frame, position: &Position, ends: &Ends) {
        let builder = Builder::at_end(self.context, frame.latch);
        let add = |value, to| builder.binary(LLVMAdd, value, to);
        let zero = self.number(0);
        let first = add(position.first, self.number(self.width));
        // Rows are multiples of the width, unless there is only one.
        let wrapped = |value: Value, extent: Value| {
            let ends = builder.compare(LLVMIntEQ, value, extent);
            let carry = builder.cast(LLVMZExt, ends, self.narrow);
            (builder.select(ends, zero, value), carry)
        };
        let [x, y, z] = position.tid;
        let [columns, rows] = frame.extent;
        let (next_x, carry) = wrapped(add(x, self.number(self.width)), columns);
        x.add_incoming(next_x, frame.latch);
        if y.users().is_empty() && z.users().is_empty() {
            // SAFETY: nothing uses them.
            let _none = [y, z].map(|counter| unsafe { counter.erase() });
        } else {
            let (next_y, carry) = wrapped(add(y, carry), rows);
            y.add_incoming(next_y, frame.latch);
            z.add_incoming(add(z, carry), frame.latch);
        }
        let byte = Type::int(self.context, 8);
        let stopped = builder.load(byte, ends.stop);
        stopped.set_volatile();
        let goes_on = builder.compare(LLVMIntNE, stopped, Value::int(byte, 1));
        let more = builder.compare(LLVMIntULT, first, ends.end);
        let again = builder.binary(LLVMAnd, more, goes_on);
        builder.branch(again, frame.head, frame.further);
        position.first.add_incoming(first, frame.latch);
        let builder = Builder::at_end(self.context, frame.further);
        let next = builder.binary(LLVMAdd, position.block, self.number(1));
        let more = builder.compare(LLVMIntNE, next, ends.blocks);
        let again = builder.binary(LLVMAnd, more, goes_on);
        builder.branch(again, frame.block, frame.done);
        position.block.add_incoming(next, frame.further);
    }
}

/// Whether a call may be one of a function that finds the context.
fn may_find_context(call: &Value) -> bool {
    let called = call.called_function();
    called.is_some_and(|function| !function.name().starts_with("llvm."))
}

/// An address as a pointer and a constant number of bytes.
pub(super) fn constant_place(address: Value) -> Option<(Value, usize)> {
    if address.opcode() != Some(LLVMGetElementPtr) {
        return Some((address, 0));
    }
    let bytes = address.source_element_type();
    let is_bytes = bytes.is_int() && bytes.int_width() == 8 && address.operand_count() == 2;
    let offset = is_bytes.then(|| address.operand(1).as_int()).flatten()?;
    Some((address.operand(0), offset as usize))
}
