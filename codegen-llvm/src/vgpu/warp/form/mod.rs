//! Needs: a normalised function, its [`BlockOrder`] and [`Divergence`]. Leaves: its warp form, a function of its own.
//!
//! * A uniform value is one scalar; a strided one is lane 0's scalar; the others are vectors.
//! * What one block computes and another uses, phis and masks are in stack slots, which LLVM's `mem2reg` turns into
//!   registers: where blocks are skipped because no lane is active, it finds by itself which value is needed.
//! * Each block that not all lanes run has a mask. Edges add to the masks of their targets; the end of a block goes to
//!   the earliest block with lanes (`control`).

mod control;
mod instructions;
mod interleaved_access;
mod lane_serialisation;
mod lanes;
mod memory;
mod prefetch;
mod values;
mod warp_operations;
mod wave_operations;
mod window_checks;

use std::collections::{HashMap, HashSet};

use llvm_sys::LLVMOpcode;
use vgpu_abi::artifact::Parameter;
pub use window_checks::library;

use crate::ir::{Block, Builder, Context, Layout, Module, Type, Value};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::divergence::Divergence;
use crate::vgpu::warp::analysis::linearise::BlockOrder;
use crate::vgpu::warp::refusal::Refusal;

/// What to build.
pub struct Request<'a> {
    /// The module, a copy of the unit's.
    pub module: &'a Module,
    /// The kernel.
    pub kernel: Value,
    /// Its parameters in the launch's words.
    pub parameters: &'a [Parameter],
    /// The symbol of the warp form.
    pub symbol: &'a str,
    /// Lanes.
    pub width: u32,
    /// Its blocks.
    pub order: &'a BlockOrder,
    /// How its values differ.
    pub divergence: &'a Divergence,
    /// The number AMD's lowering of shared memory gave the kernel.
    pub kernel_number: Option<u64>,
    /// Whether it is found out when it runs that lanes are elsewhere at a barrier or an operation of the warp. So in OpenMP's
    /// kernels: their regions run under the mask of the team's threads, who come to barriers together (OpenMP 5.2, §15.3).
    pub may_split: bool,
    /// Whether the host permutes two vectors of 16 elements at once (AVX-512's `vpermi2d`).
    pub permutes: bool,
}

/// The function under construction.
struct Vectoriser<'a> {
    module: &'a Module,
    context: Context,
    layout: Layout,
    builder: Builder,
    /// Inserts into the first block, which holds the slots and the arguments.
    entry: Builder,
    function: Value,
    width: u32,
    order: &'a BlockOrder,
    divergence: &'a Divergence,
    permutes: bool,
    may_split: bool,
    /// The subgroup's context.
    cx: Value,
    /// The lanes that exist.
    all: Value,
    parameters: HashMap<Value, Value>,
    /// Values used outside the block that makes them.
    crossing: HashSet<Value>,
    /// Slots of lane 0's or uniform values, and of vectors.
    slots: HashMap<Value, Value>,
    /// Slots from which one lane's value after the other is taken, by the vectors' types.
    lane_slots: Vec<(Type, Value)>,
    /// The masks of blocks that not all lanes run.
    masks: HashMap<usize, Value>,
    /// The warp form's block for each block.
    blocks: Vec<Block>,
    /// The block in work.
    at: usize,
    /// Its lanes.
    mask: Value,
    /// Scalars and vectors known in it.
    scalars: HashMap<Value, Value>,
    vectors: HashMap<Value, Value>,
    /// Run-time tests of whether an index or address counts up by so much from lane to lane, made in it.
    stride_tests: HashMap<(Value, i64), memory::StrideTest>,
    /// The addresses whose rows are prefetched in it.
    prefetched: HashSet<Value>,
}

/// Builds the warp form.
pub fn build(request: &Request<'_>) -> Result<Value, Refusal> {
    let module = request.module;
    let context = module.context;
    let pointer = Type::pointer(context);
    let lanes = Type::int(context, 64);
    let ty = Type::function(Type::void(context), &[pointer, pointer, lanes]);
    let function = module.declare(request.symbol, ty);
    function.add_attribute(context, "nounwind");
    for (key, value) in [
        ("prefer-vector-width", "512"),
        ("min-legal-vector-width", "512"),
        ("probe-stack", "inline-asm"),
        ("warn-stack-size", FRAME_LIMIT),
    ] {
        function.set_text_attribute(context, key, value);
    }
    function.take_subprogram(request.kernel);
    let first = Builder::append_block(context, function, "entry");
    let blocks = request
        .order
        .blocks
        .iter()
        .map(|_| Builder::append_block(context, function, ""))
        .collect();
    let parameters = function.parameters();
    let entry = Builder::at_end(context, first);
    let builder = Builder::at_end(context, first);
    let mut vectoriser = Vectoriser {
        module,
        context,
        layout: module.layout(),
        builder,
        entry,
        function,
        width: request.width,
        order: request.order,
        divergence: request.divergence,
        permutes: request.permutes,
        may_split: request.may_split,
        cx: parameters[0],
        all: parameters[2],
        parameters: HashMap::new(),
        crossing: crossing(request.order),
        slots: HashMap::new(),
        lane_slots: Vec::new(),
        masks: HashMap::new(),
        blocks,
        at: 0,
        mask: parameters[2],
        scalars: HashMap::new(),
        vectors: HashMap::new(),
        stride_tests: HashMap::new(),
        prefetched: HashSet::new(),
    };
    let filled = vectoriser
        .fill(request)
        .and_then(|()| match function.is_invalid() {
            // A mistake of these passes: the kernel still runs on fibers, and says so.
            true => Err(Refusal::new("internal error: its warp form is not valid")),
            false => Ok(()),
        });
    match filled {
        Ok(()) => Ok(function),
        Err(refusal) => {
            request.kernel.take_subprogram(function);
            // SAFETY: the form was not finished, so nobody calls it, and the vectoriser that filled it is gone.
            unsafe { function.delete_function() };
            Err(refusal)
        }
    }
}

/// Most bytes of local variables of all lanes. The rest of the stack is for values that registers do not hold, and for calls.
const LOCALS_LIMIT: u64 = 7 << 20;

/// Largest frame: a warp's stack without its context (`vgpu_abi::WARP_STACK_SIZE`).
const FRAME_LIMIT: &str = "8388352";
const _: () = assert!(vgpu_abi::WARP_STACK_SIZE - vgpu_abi::CONTEXT_SIZE == 8_388_352);

/// The values that another block than their own uses, phis' uses at the end of the block they come from aside.
fn crossing(order: &BlockOrder) -> HashSet<Value> {
    let mut found = HashSet::new();
    for &block in &order.blocks {
        for instruction in block.instructions() {
            if instruction.opcode() == Some(LLVMOpcode::LLVMPHI) {
                let incoming = instruction.incoming().into_iter();
                found.extend(
                    incoming
                        .filter(|(value, from)| value.is_instruction() && value.block() != *from)
                        .map(|(value, _)| value),
                );
                continue;
            }
            let operands = instruction.operands().into_iter();
            let foreign = operands.filter(|it| it.is_instruction() && it.block() != block);
            found.extend(foreign.flat_map(with_indices));
        }
    }
    found
}

/// A value, and if it is an address, what it is made of: where memory is accessed, the index is looked at (`memory.rs`).
fn with_indices(value: Value) -> Vec<Value> {
    let mut address = value;
    let mut all = vec![value];
    while let Some(LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMGetElementPtr) = address.opcode()
    {
        let operands = address.operands().into_iter();
        all.extend(operands.filter(|it| it.is_instruction()));
        address = address.operand(0);
    }
    all
}

impl Vectoriser<'_> {
    fn fill(&mut self, request: &Request<'_>) -> Result<(), Refusal> {
        self.arguments(request);
        self.make_slots()?;
        self.control_slots();
        for at in 0..self.order.blocks.len() {
            self.start_block(at);
            let instructions = self.order.blocks[at].instructions();
            let mut rest = instructions.as_slice();
            while let Some(&first) = rest.first() {
                self.builder.locate_as(first);
                let serial = self.serial_group(rest);
                let (done, left) = rest.split_at(serial.as_ref().map_or(1, |group| group.length));
                match serial {
                    Some(group) => self.serialise_lanes(done, &group)?,
                    None => match self.interleave_group(rest) {
                        Some(group) => self.load_interleaved(&group),
                        None => self.instruction(first)?,
                    },
                }
                rest = left;
            }
        }
        self.entry.jump(self.blocks[0]);
        Ok(())
    }

    /// Loads the kernel's arguments and makes the mask of the lanes that exist.
    fn arguments(&mut self, request: &Request<'_>) {
        let words = self.function.parameters()[1];
        let int = Type::int(self.context, 64);
        if let Some(number) = request.kernel_number {
            let offset = std::mem::offset_of!(vgpu_abi::ThreadContext, kernel_number);
            let field = self
                .entry
                .byte_offset(self.cx, Value::int(int, offset as u64));
            let number = Value::int(Type::int(self.context, 32), number);
            self.entry.store(number, field);
        }
        let mut word = 0;
        for (parameter, size) in request
            .kernel
            .parameters()
            .into_iter()
            .zip(request.parameters)
        {
            let place = self
                .entry
                .byte_offset(words, Value::int(int, 8 * u64::from(word)));
            word += size.words();
            self.parameters
                .insert(parameter, self.entry.load(parameter.ty(), place));
        }
        let narrow = Type::int(self.context, self.width);
        let bits = self.entry.cast_unsigned(self.all, narrow);
        self.all = self
            .entry
            .cast(LLVMOpcode::LLVMBitCast, bits, self.mask_type());
    }

    /// Makes room for locals, for phis, and for values that cross blocks.
    fn make_slots(&mut self) -> Result<(), Refusal> {
        let mut locals = 0;
        for (at, &block) in self.order.blocks.iter().enumerate() {
            for instruction in block.instructions() {
                if instruction.opcode() == Some(LLVMOpcode::LLVMAlloca) {
                    if at != 0 || instruction.operand(0).as_int().is_none() {
                        let what = "a local variable's size is only known at run time";
                        return Err(Refusal::at(self.context, instruction, what));
                    }
                    locals += self.local(instruction);
                    if locals > LOCALS_LIMIT {
                        let what =
                            "with this local variable the lanes' copies take more than 7 MiB";
                        return Err(Refusal::at(self.context, instruction, what));
                    }
                } else if instruction.opcode() == Some(LLVMOpcode::LLVMPHI)
                    || self.crossing.contains(&instruction)
                {
                    let ty = if self.divergence.shape(instruction).has_base() {
                        instruction.ty()
                    } else {
                        self.widened(instruction.ty())
                            .map_err(|what| Refusal::at(self.context, instruction, &what))?
                    };
                    let slot = self.slot(ty);
                    self.slots.insert(instruction, slot);
                }
            }
        }
        Ok(())
    }

    fn slot(&self, ty: Type) -> Value {
        let alignment = self.layout.alignment(ty) as u32;
        self.entry.stack_slot(ty, alignment)
    }

    /// A local variable: a copy for each lane, one after another. How many bytes they take.
    fn local(&mut self, alloca: Value) -> u64 {
        let size = context_fields::local_stride(self.layout, alloca) * u64::from(self.width);
        let bytes = Type::int(self.context, 8).array(size);
        let alignment = alloca.alignment().max(16) as u32;
        let slot = self.entry.stack_slot(bytes, alignment);
        let pointer = self.entry.to_space(slot, alloca.ty());
        self.parameters.insert(alloca, pointer);
        size
    }
}
