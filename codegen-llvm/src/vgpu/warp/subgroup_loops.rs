//! Gives warp forms that never wait a loop over the subgroups of a block.
//!
//! Called for each subgroup, a form of few instructions spends most of its time in the call: the engine writes the
//! context, and the form loads its arguments and fills vectors with constants. In a loop all of that is done once for
//! each block. pocl's loop over work-items does the same (Jääskeläinen et al. 2015, section 4).
//!
//! ```text
//! entry:  the local variables
//! head:   which thread the subgroup begins with, for the engine and for the code
//! …       the form's blocks
//! latch:  has the launch ended? another subgroup? → head, else return
//! ```
//!
//! Needs: warp forms, optimised. Leaves: `WarpForm::Present::loops`, and functions as `vgpu_abi::SubgroupCall` says.

use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE, LLVMIntULT};
use llvm_sys::LLVMOpcode::{
    LLVMAdd, LLVMAlloca, LLVMAnd, LLVMGetElementPtr, LLVMIntToPtr, LLVMLShr, LLVMLoad, LLVMRet,
    LLVMTrunc, LLVMZExt,
};
use vgpu_abi::artifact::WarpForm;
use vgpu_abi::{SubgroupCall, ThreadContext};

use super::regions::is_shared_field;
use crate::ir::{Block, Builder, Context, Type, Value};
use crate::vgpu::unit::Unit;

/// What cleans up: fields of the context are values of the loop now.
const CLEAN: &str = "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg";

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
            let warp_size = unit.manifest.warp_size;
            Loop::new(unit.context(), form, *width, warp_size).build();
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
fn has_fixed_locals(form: Value) -> bool {
    let entry = form.blocks()[0];
    let mut locals = form.instructions().into_iter();
    locals.all(|it| {
        let is_fixed = || it.block() == entry && it.allocated_count().as_int().is_some();
        it.opcode() != Some(LLVMAlloca) || is_fixed()
    })
}

/// The fields of the context that differ among the subgroups of a block.
const OWN_FIELDS: [usize; 5] = [
    offset_of!(ThreadContext, tid),
    offset_of!(ThreadContext, tid) + 4,
    offset_of!(ThreadContext, tid) + 8,
    offset_of!(ThreadContext, laneid),
    offset_of!(ThreadContext, warpid),
];

/// The loop of one form.
struct Loop {
    context: Context,
    form: Value,
    width: u64,
    warp_size: u64,
    narrow: Type,
    wide: Type,
}

/// The numbers of an iteration: its first thread in the block, and that thread's index.
struct Position {
    first: Value,
    tid: [Value; 3],
}

impl Loop {
    fn new(context: Context, form: Value, width: u32, warp_size: u32) -> Loop {
        Loop {
            context,
            form,
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
    fn build(&self) {
        let body = self.form.blocks()[0];
        let [context, _, lanes] = self.form.parameters()[..] else {
            unreachable!("a warp form has three parameters");
        };
        // What is the same for all subgroups can then be loaded before the loop.
        let bytes = size_of::<ThreadContext>() as u64;
        for (attribute, value) in [("dereferenceable", bytes), ("align", 8)] {
            self.form
                .add_int_attribute_at(self.context, 1, attribute, value);
        }
        let whole = Value::int(self.wide, u64::MAX >> (64 - self.width));
        lanes.replace_all_uses(whole);
        let entry = Builder::append_block(self.context, self.form, "subgroups");
        let head = Builder::append_block(self.context, self.form, "head");
        let latch = Builder::append_block(self.context, self.form, "latch");
        let done = Builder::append_block(self.context, self.form, "done");
        entry.move_before(body);
        head.move_before(body);
        let is_local = |it: &Value| it.opcode() == Some(LLVMAlloca);
        let locals = body.instructions().into_iter().filter(is_local);
        let builder = Builder::at_end(self.context, entry);
        locals.for_each(|local| builder.take(local));
        let pointer = Type::pointer(self.context);
        let call = builder.cast(LLVMIntToPtr, lanes, pointer);
        let get = |ty, offset| builder.load(ty, self.field(&builder, call, offset));
        let places = [
            get(pointer, offset_of!(SubgroupCall, current)),
            get(pointer, offset_of!(SubgroupCall, thread)),
        ];
        let stop = get(pointer, offset_of!(SubgroupCall, stop));
        let threads = get(self.narrow, offset_of!(SubgroupCall, threads));
        let extent = [0, 4].map(|axis| {
            let place = offset_of!(ThreadContext, ntid) + axis;
            let extent = builder.load(self.narrow, self.field(&builder, context, place));
            extent.set_invariant(self.context);
            extent
        });
        builder.jump(head);
        let position = self.begin(entry, head, places);
        Builder::at_end(self.context, head).jump(body);
        self.end_in(latch);
        self.close(latch, [head, done], &position, (stop, threads, extent));
        Builder::at_end(self.context, done).return_void();
    }

    /// Begins an iteration: tells the engine and the code which threads run.
    fn begin(&self, entry: Block, head: Block, places: [Value; 2]) -> Position {
        let builder = Builder::at_end(self.context, head);
        let counter = || {
            let counter = builder.phi(self.narrow);
            counter.add_incoming(self.number(0), entry);
            counter
        };
        let position = Position {
            first: counter(),
            tid: [(); 3].map(|()| counter()),
        };
        let short = Type::int(self.context, 16);
        let thread = builder.cast(LLVMTrunc, position.first, short);
        for place in places {
            builder.store(thread, place);
        }
        let lane = builder.binary(LLVMAnd, position.first, self.number(self.warp_size - 1));
        let shift = self.number(self.warp_size.trailing_zeros().into());
        let warp = builder.binary(LLVMLShr, position.first, shift);
        let [x, y, z] = position.tid;
        let own = [x, y, z, lane, warp];
        self.replace_loads(&own);
        let context = self.form.parameters()[0];
        if self.is_passed_on(context) {
            for (value, offset) in own.into_iter().zip(OWN_FIELDS) {
                builder.store(value, self.field(&builder, context, offset));
            }
        }
        position
    }

    /// Replaces loads of what differs among subgroups, and says of other loads that nobody changes what they read.
    fn replace_loads(&self, own: &[Value; 5]) {
        let [context, arguments, _] = self.form.parameters()[..] else {
            unreachable!("a warp form has three parameters");
        };
        for load in self.form.instructions() {
            if load.opcode() != Some(LLVMLoad) || load.is_volatile() {
                continue;
            }
            let Some((base, offset)) = constant_place(load.operand(0)) else {
                continue;
            };
            if base == arguments {
                load.set_invariant(self.context);
            }
            if base != context {
                continue;
            }
            let place = OWN_FIELDS.iter().position(|&own| own == offset);
            match place {
                Some(at) if load.ty() == self.narrow => {
                    // SAFETY: `instructions` is a snapshot, and this loop does not look at the load again.
                    unsafe { load.replace_with(own[at]) }
                }
                None if is_shared_field(offset) => load.set_invariant(self.context),
                _ => {}
            }
        }
    }

    /// Whether anything but loads of fields that are the same for the whole block uses the context.
    fn is_passed_on(&self, value: Value) -> bool {
        value.users().into_iter().any(|user| match user.opcode() {
            Some(LLVMLoad) => {
                let place = constant_place(user.operand(0));
                !place.is_some_and(|(_, offset)| is_shared_field(offset))
            }
            Some(LLVMGetElementPtr) => self.is_passed_on(user),
            _ => true,
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

    /// Ends an iteration.
    fn close(
        &self,
        latch: Block,
        [head, done]: [Block; 2],
        position: &Position,
        (stop, threads, [columns, rows]): (Value, Value, [Value; 2]),
    ) {
        let builder = Builder::at_end(self.context, latch);
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
        let (next_x, carry) = wrapped(add(x, self.number(self.width)), columns);
        let (next_y, carry) = wrapped(add(y, carry), rows);
        let next_z = add(z, carry);
        let byte = Type::int(self.context, 8);
        let stopped = builder.load(byte, stop);
        stopped.set_volatile();
        let goes_on = builder.compare(LLVMIntNE, stopped, Value::int(byte, 1));
        let more = builder.compare(LLVMIntULT, first, threads);
        builder.branch(builder.binary(LLVMAnd, more, goes_on), head, done);
        let counters = [position.first, x, y, z].into_iter();
        for (counter, next) in counters.zip([first, next_x, next_y, next_z]) {
            counter.add_incoming(next, latch);
        }
    }
}

/// An address as a pointer and a constant number of bytes.
fn constant_place(address: Value) -> Option<(Value, usize)> {
    if address.opcode() != Some(LLVMGetElementPtr) {
        return Some((address, 0));
    }
    let bytes = address.source_element_type();
    let is_bytes = bytes.is_int() && bytes.int_width() == 8 && address.operand_count() == 2;
    let offset = is_bytes.then(|| address.operand(1).as_int()).flatten()?;
    Some((address.operand(0), offset as usize))
}
