//! The warp form under construction: its state, its arguments and its stack slots.

use std::collections::{HashMap, HashSet};

use llvm_sys::LLVMOpcode;
use vgpu_abi::Checks;

use super::spaced_stores::SpacedStores;
use super::stride_test::StrideTest;
use super::versions::{self, Versions, all_lanes};
use crate::ir::{Builder, Context, Layout, Module, Type, Value};
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
    /// The words at which its parameters begin.
    pub places: &'a [u32],
    /// The symbol of the warp form.
    pub symbol: &'a str,
    /// Lanes of a subgroup.
    pub width: u32,
    /// Its blocks, in order.
    pub order: &'a BlockOrder,
    /// The shapes of its values.
    pub divergence: &'a Divergence,
    /// The number that AMD's lowering of shared memory gave the kernel.
    pub kernel_number: Option<u64>,
    /// Whether the engine checks at run time that no lane is elsewhere at a barrier or an operation of the warp; else
    /// a kernel where a lane may be is refused. The engine checks OpenMP's kernels: their regions run under the mask
    /// of the team's threads, which come to barriers together (OpenMP 5.2, §15.3).
    pub checks_convergence: bool,
    /// Whether a subgroup may have fewer than `width` threads.
    pub may_be_partial: bool,
    /// Whether the CPU permutes two vectors of 16 elements at once (AVX-512's `vpermi2d`).
    pub has_vpermi2d: bool,
    /// Index of the device window.
    pub window: u64,
    /// What the code checks.
    pub checks: Checks,
}

/// The warp form under construction.
pub(super) struct Vectoriser<'a> {
    pub(super) module: &'a Module,
    pub(super) context: Context,
    pub(super) layout: Layout,
    pub(super) builder: Builder,
    /// Inserts into the entry block, which makes the slots and reads the arguments.
    pub(super) entry: Builder,
    pub(super) function: Value,
    pub(super) width: u32,
    pub(super) order: &'a BlockOrder,
    pub(super) divergence: &'a Divergence,
    pub(super) has_vpermi2d: bool,
    pub(super) checks_convergence: bool,
    /// Index of the device window.
    pub(super) window: u64,
    /// What the code checks.
    pub(super) checks: Checks,
    /// The subgroup's context.
    pub(super) cx: Value,
    pub(super) parameters: HashMap<Value, Value>,
    /// Values used outside the block that computes them.
    pub(super) live_across_blocks: HashSet<Value>,
    /// Slots of phis and of values that cross blocks: a scalar if the value is uniform or strided, else a vector.
    pub(super) slots: HashMap<Value, Value>,
    /// Slots of vectors whose elements are read one by one, by the vectors' types.
    pub(super) lane_slots: Vec<(Type, Value)>,
    /// Slots for lanes' results, one for each type.
    pub(super) result_slots: Vec<(Type, Value)>,
    /// Slots of the masks of blocks that not all lanes run.
    pub(super) masks: HashMap<usize, Value>,
    /// The warp form's blocks for each block of the kernel.
    pub(super) versions: Vec<Versions>,
    /// The current block.
    pub(super) current: usize,
    /// Whether its version for all lanes is being written.
    pub(super) all_lanes: bool,
    /// The active lanes: the current block's mask.
    pub(super) mask: Value,
    /// Scalars and vectors known in the current block.
    pub(super) scalars: HashMap<Value, Value>,
    pub(super) vectors: HashMap<Value, Value>,
    /// Tests in the current block of whether an index or address grows by a step from lane to lane.
    pub(super) stride_tests: HashMap<(Value, i64, bool), StrideTest>,
    /// The addresses that are prefetched for in the current block.
    pub(super) prefetched: HashSet<Value>,
    /// Stores that the current block writes later.
    pub(super) pending: Option<SpacedStores>,
    /// Accesses that were written one by one so far.
    pub(super) one_by_one: u32,
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
        ("warn-stack-size", MAX_FRAME),
    ] {
        function.set_text_attribute(context, key, value);
    }
    function.take_subprogram(request.kernel);
    let first = Builder::append_block(context, function, "entry");
    let versions = versions::of_blocks(request, function);
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
        has_vpermi2d: request.has_vpermi2d,
        window: request.window,
        checks: request.checks,
        checks_convergence: request.checks_convergence,
        cx: parameters[0],
        parameters: HashMap::new(),
        live_across_blocks: live_across_blocks(request.order),
        slots: HashMap::new(),
        lane_slots: Vec::new(),
        result_slots: Vec::new(),
        masks: HashMap::new(),
        versions,
        current: 0,
        all_lanes: true,
        mask: all_lanes(context, request.width),
        scalars: HashMap::new(),
        vectors: HashMap::new(),
        stride_tests: HashMap::new(),
        pending: None,
        prefetched: HashSet::new(),
        one_by_one: 0,
    };
    let filled = vectoriser
        .fill(request)
        .and_then(|()| match function.is_invalid() {
            // A defect of the vectoriser. The kernel still runs on fibers, and the reason is shown.
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

/// Most bytes of all lanes' local variables. The rest of the stack is for spilled values and for calls.
const MAX_LOCALS: u64 = 7 << 20;

/// Largest frame: a warp's stack without its context (`vgpu_abi::WARP_STACK_SIZE`).
const MAX_FRAME: &str = "8388352";

const _: () = assert!(vgpu_abi::WARP_STACK_SIZE - vgpu_abi::CONTEXT_SIZE == 8_388_352);

/// The values that a block other than their own uses. A phi uses its operand at the end of the block it comes from.
fn live_across_blocks(order: &BlockOrder) -> HashSet<Value> {
    let mut found = HashSet::new();
    for &block in &order.blocks {
        for instruction in block.instructions() {
            if instruction.is_phi() {
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

/// A value, and if it is an address, what it is computed from: `access_pattern` looks at the index.
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
            let Versions { all_lanes, masked } = self.versions[at];
            for block in [all_lanes, masked].into_iter().flatten() {
                self.start_block(at, block);
                self.fill_block(at)?;
            }
        }
        self.enter();
        Ok(())
    }

    /// Writes a version of a block.
    fn fill_block(&mut self, at: usize) -> Result<(), Refusal> {
        let instructions = self.order.blocks[at].instructions();
        let mut rest = instructions.as_slice();
        while let Some(&first) = rest.first() {
            self.builder.locate_as(first);
            if self.divergence.is_of_elected(first) {
                self.instruction(first)?;
                rest = &rest[1..];
                continue;
            }
            let serial = self.serial_group(rest);
            let (done, left) = rest.split_at(serial.as_ref().map_or(1, |group| group.length));
            match serial {
                Some(group) => self.serialise_lanes(done, &group)?,
                None => match self.interleave_group(rest) {
                    Some(group) => self.load_interleaved(&group),
                    None => {
                        self.pending = self.pending.take().or_else(|| self.spaced_stores(rest));
                        self.instruction(first)?;
                    }
                },
            }
            rest = left;
        }
        Ok(())
    }

    /// Loads the kernel's arguments.
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
        for (parameter, &word) in request.kernel.parameters().into_iter().zip(request.places) {
            let address = self
                .entry
                .byte_offset(words, Value::int(int, 8 * u64::from(word)));
            let argument = self.entry.load(parameter.ty(), address);
            // As in the thread's form (`vgpu::entries`).
            argument.set_alignment(8);
            self.parameters.insert(parameter, argument);
        }
    }

    /// Makes slots for local variables, for phis, and for values that cross blocks.
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
                    if locals > MAX_LOCALS {
                        let what =
                            "with this local variable the lanes' copies take more than 7 MiB";
                        return Err(Refusal::at(self.context, instruction, what));
                    }
                } else if instruction.is_phi() || self.live_across_blocks.contains(&instruction) {
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

    /// A stack slot for a value of type `ty`.
    pub(super) fn slot(&self, ty: Type) -> Value {
        let alignment = self.layout.alignment(ty) as u32;
        self.entry.stack_slot(ty, alignment)
    }

    /// Makes a copy of a local variable for each lane, one behind the other. Gives the bytes they take.
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
