//! Loops in which each thread goes through rows of its own become functions that are called lane by lane.
//!
//! Needs: kernels in shape, with window checks. Leaves: kernels that need to be brought into shape again.
//!
//! ```text
//! for (j = 1; j < columns - 1; j++) b[row * columns + j] = a[row * columns + j - 1] + a[row * columns + j + 1];
//! ```
//!
//! With a lane for each row, each access of a vector touches as many lines of the cache as there are lanes, and rows
//! that are a power of two apart drive each other out of it. One thread alone goes through its lines one after the
//! other. So where an iteration mostly accesses memory, the warp form calls a copy of the loop for each lane. The loop
//! stays beside the call for few iterations. [`super::row_folds`] comes before, for loops that only combine elements.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntUGE};
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::LLVMOpcode::{self, LLVMAnd, LLVMSub};

use super::row_folds::{self, APART};
use super::row_loop::{self, Counter};
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Builder, Copies, Layout, Module, Type, Value};
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::divergence::Divergence;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::cold_functions;
use crate::vgpu::warp::form::compare_window;
use crate::vgpu::window;

/// The fewest iterations for which a function is called.
const FEWEST: u64 = 16;

/// How far an iteration goes at most along a row, in bytes: a line of the host's cache.
const STEP: u64 = 64;

/// How many nested operations of an address are looked into.
const DEPTH: u32 = 16;

/// Most operations that vectors are good at, for each access.
const OPERATIONS: usize = 2;

/// Fewest accesses for each floating-point operation that waits for the one before. It takes four cycles, in which
/// vectors do it for all lanes.
const ACCESSES: usize = 5;

/// Address spaces of device memory: flat and global.
const SPACES: [u32; 2] = [0, 1];

/// The step, for these kernels. Gives whether it changed any.
pub fn run(unit: &Unit, module: &Module, kernels: &[(&Kernel, Value)]) -> Result<bool> {
    if unit.options.checks.any() || unit.options.count || unit.options.level < 2 {
        return Ok(false);
    }
    let mut changed = false;
    for &(kernel, function) in kernels {
        let flow = ControlFlow::new(function);
        let loops = flow.loops().into_iter();
        let found: Vec<_> = { loops }
            .filter_map(|each| LaneLoop::of(module.layout(), &flow, &each))
            .collect();
        if found.is_empty() {
            continue;
        }
        let Some(divergence) = row_folds::divergence(unit, module, kernel, function) else {
            continue;
        };
        let found = found.iter().filter(|it| it.is_worth_it(&divergence));
        for (number, each) in found.enumerate() {
            let name = format!("loop.{number}.{}", function.name());
            each.call_instead(module, unit.options.window, &name);
            changed = true;
        }
    }
    Ok(changed)
}

/// A loop that goes through rows: one block, or one that is left in front of a second one, which only counts.
struct LaneLoop {
    before: Block,
    /// Its blocks, the header first.
    blocks: Vec<Block>,
    behind: Block,
    counters: HashMap<Value, Counter>,
    /// The counter that ends the loop, and the number at which it does.
    counter: Value,
    bound: Value,
    /// The addresses of its accesses.
    addresses: Vec<Value>,
    /// The bases that it checks.
    bases: Vec<Value>,
    /// What it takes from in front of it, constants aside.
    taken: Vec<Value>,
    /// Whether the counter is that number when the loop ends. Then what counters are behind it is known before.
    is_exact: bool,
    /// The one value that leaves it, known counters aside.
    left: Option<Value>,
}

impl LaneLoop {
    /// What a loop is, if it is that.
    fn of(layout: Layout, flow: &ControlFlow, each: &Loop) -> Option<LaneLoop> {
        let blocks = blocks(each)?;
        let (before, behind) = row_loop::neighbours(flow, &blocks)?;
        let inside = |value: Value| value.is_instruction() && blocks.contains(&value.block());
        let instructions: Vec<_> = { blocks.iter() }
            .flat_map(|block| block.instructions())
            .collect();
        let counters: HashMap<Value, Counter> = { each.header.phis() }
            .filter_map(|phi| Some((phi, Counter::of(phi, each.latch)?)))
            .collect();
        let (counter, bound, is_exact) = exit(&counters, each.header)?;
        let addresses = addresses(&instructions)?;
        let step = Step {
            layout,
            blocks: &blocks,
            counters: &counters,
        };
        let along_a_row = |address: &Value| {
            let bytes = step.of(*address, DEPTH);
            bytes.is_some_and(|bytes| (1..=STEP).contains(&bytes.unsigned_abs()))
        };
        let fits = !inside(bound)
            && !is_small(bound)
            && !addresses.is_empty()
            && addresses.iter().all(along_a_row)
            && operations(&instructions)? <= OPERATIONS * addresses.len()
            && ACCESSES * chained(each.header, &counters, &inside) <= addresses.len();
        fits.then_some(())?;
        let known = |value: Value| is_exact && counters.values().any(|it| it.next == value);
        Some(LaneLoop {
            left: leaving(&instructions, &blocks, behind, known)?,
            is_exact,
            bases: row_loop::checked_bases(&instructions, &inside)?,
            taken: taken(&instructions, &inside)?,
            before,
            blocks,
            behind,
            counters,
            counter,
            bound,
            addresses,
        })
    }

    /// Whether the lanes' rows lie apart, and all of them in device memory or none.
    fn is_worth_it(&self, divergence: &Divergence) -> bool {
        let uniform = |value: Value| divergence.shape(value).is_uniform();
        let apart = |address: &Value| match divergence.shape(*address) {
            Shape::Strided { stride, .. } => stride.unsigned_abs() >= APART,
            Shape::Varying => true,
            Shape::Uniform | Shape::Tiled { .. } => false,
        };
        self.bases.iter().all(|&base| uniform(base)) && self.addresses.iter().all(apart)
    }

    /// Puts the call in front of the loop.
    fn call_instead(&self, module: &Module, window: u64, name: &str) {
        let context = module.context;
        let jump = self.before.terminator().expect("a block has an end");
        let builder = Builder::before(context, jump);
        let counter = &self.counters[&self.counter];
        let way = builder.binary(LLVMSub, self.bound, counter.first);
        let fewest = Value::int(way.ty(), FEWEST * counter.step);
        let many = builder.compare(LLVMIntUGE, way, fewest);
        let fits = self.bases.iter().fold(many, |fits, &base| {
            let inside = compare_window(&builder, LLVMIntEQ, base, 1, window);
            builder.binary(LLVMAnd, fits, inside)
        });
        let function = self.build(module, name);
        let call = Builder::append_block(context, self.behind.function(), "");
        let at_call = Builder::at_end(context, call);
        at_call.locate_as(jump);
        let result = at_call.call_function(function, &self.taken);
        for phi in self.behind.phis() {
            let left = phi.incoming_from(self.blocks[0]);
            let mut known = self.counters.values().filter(|_| self.is_exact);
            let value = match known.find(|it| Some(it.next) == left) {
                Some(known) => known.after(&at_call, counter.iterations(&at_call, self.bound)),
                None => result,
            };
            phi.add_incoming(value, call);
        }
        at_call.jump(self.behind);
        builder.branch(fits, call, self.blocks[0]);
        // SAFETY: nothing uses a jump.
        unsafe { jump.erase() };
    }

    /// Builds the function: the loop, without its checks.
    fn build(&self, module: &Module, name: &str) -> Value {
        let context = module.context;
        let types: Vec<_> = self.taken.iter().map(|it| it.ty()).collect();
        let result = self.left.map_or(Type::void(context), Value::ty);
        let name = cold_functions::name_of(name);
        let function = module.declare(&name, Type::function(result, &types));
        function.set_linkage(LLVMInternalLinkage);
        function.add_attribute(context, "nounwind");
        let entry = Builder::append_block(context, function, "entry");
        let given = self.taken.iter().copied().zip(function.parameters());
        let copies = Copies::of(context, function, &self.blocks, given.collect());
        let header = copies.blocks[&self.blocks[0]];
        Builder::at_end(context, entry).jump(header);
        header.rename_incoming(context, self.before, entry);
        let end = Builder::append_block(context, function, "end");
        let branch = header.terminator().expect("a block has an end");
        for (index, target) in branch.successors().into_iter().enumerate() {
            if target == self.behind {
                branch.set_successor(index as u32, end);
            }
        }
        let at_end = Builder::at_end(context, end);
        match self.left {
            Some(left) => at_end.return_value(copies.values[&left]),
            None => at_end.return_void(),
        };
        for instruction in function.instructions() {
            instruction.drop_location();
            if row_loop::is_window_check(instruction) {
                // SAFETY: it has no result, and the list of instructions is a copy.
                unsafe { instruction.erase() };
            }
        }
        function
    }
}

/// The blocks of a loop that is one block, or two of which the second only counts.
fn blocks(each: &Loop) -> Option<Vec<Block>> {
    if each.header == each.latch {
        return Some(vec![each.header]);
    }
    let counts = |it: Value| matches!(it.opcode(), Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMBr));
    let fits = each.body.len() == 2
        && each.latch.successors() == [each.header]
        && each.latch.instructions().into_iter().all(counts);
    fits.then(|| vec![each.header, each.latch])
}

/// The counter that ends a loop, the number that it is compared with, and whether the counter is that number when the
/// loop ends.
fn exit(counters: &HashMap<Value, Counter>, header: Block) -> Option<(Value, Value, bool)> {
    if let Some((counter, bound)) = row_loop::exit(counters, header) {
        return Some((counter, bound, true));
    }
    let condition = header.terminator()?.condition()?;
    (condition.opcode() == Some(LLVMOpcode::LLVMICmp)).then_some(())?;
    let (left, right) = (condition.operand(0), condition.operand(1));
    let of = |value: Value| {
        let mut all = counters.iter();
        let (&phi, _) = all.find(|(phi, it)| **phi == value || it.next == value)?;
        Some(phi)
    };
    match (of(left), of(right)) {
        (Some(counter), None) => Some((counter, right, false)),
        (None, Some(counter)) => Some((counter, left, false)),
        _ => None,
    }
}

/// By how much values grow in an iteration, as long as no sum overflows: a loop that goes along a row for the most part
/// is meant.
struct Step<'a> {
    layout: Layout,
    blocks: &'a [Block],
    counters: &'a HashMap<Value, Counter>,
}

impl Step<'_> {
    fn of(&self, value: Value, depth: u32) -> Option<i64> {
        use LLVMOpcode::*;
        if let Some(counter) = self.counters.get(&value) {
            return i64::try_from(counter.step).ok();
        }
        if !value.is_instruction() || !self.blocks.contains(&value.block()) {
            return Some(0);
        }
        let depth = depth.checked_sub(1)?;
        let operand = |index| self.of(value.operand(index), depth);
        match value.opcode()? {
            LLVMAddrSpaceCast | LLVMSExt | LLVMZExt | LLVMTrunc => operand(0),
            LLVMAdd => operand(0)?.checked_add(operand(1)?),
            LLVMOr if value.is_disjoint() => operand(0)?.checked_add(operand(1)?),
            LLVMSub => operand(0)?.checked_sub(operand(1)?),
            LLVMMul => operand(0)?.checked_mul(value.operand(1).as_signed_int()?),
            LLVMShl => operand(0)?.checked_shl(value.operand(1).as_int()? as u32),
            LLVMGetElementPtr => self.of_pointer(value, depth),
            _ => None,
        }
    }

    fn of_pointer(&self, pointer: Value, depth: u32) -> Option<i64> {
        let mut sum = self.of(pointer.operand(0), depth)?;
        for (index, size) in context_fields::indices(self.layout, pointer) {
            let step = self.of(index, depth)?;
            if step != 0 {
                sum = sum.checked_add(step.checked_mul(size? as i64)?)?;
            }
        }
        Some(sum)
    }
}

/// Whether a number is less than what is worth a call: that of the iterations that unrolling has left over.
fn is_small(number: Value) -> bool {
    let masked = number.opcode() == Some(LLVMAnd);
    masked && number.operand(1).as_int().is_some_and(|mask| mask < FEWEST)
}

/// The addresses of a loop's accesses, if these are of device memory and nothing else has an effect.
fn addresses(instructions: &[Value]) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    for &instruction in instructions {
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore) => {
                let address = instruction.operand(instruction.accessed_operand()?);
                let plain = !instruction.is_volatile() && !instruction.is_atomic();
                let is_devices = SPACES.contains(&address.ty().address_space())
                    && !window::is_local_or_constant(address)
                    && !window::is_shared(address);
                (plain && is_devices).then_some(())?;
                found.push(address);
            }
            Some(
                LLVMOpcode::LLVMFence
                | LLVMOpcode::LLVMAtomicRMW
                | LLVMOpcode::LLVMAtomicCmpXchg
                | LLVMOpcode::LLVMAlloca,
            ) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// How many operations a loop has that a vector does for all lanes at once; `None` if one of them takes long.
fn operations(instructions: &[Value]) -> Option<usize> {
    use LLVMOpcode::*;
    let mut count = 0;
    for instruction in instructions {
        match instruction.opcode()? {
            LLVMFDiv | LLVMFRem | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => return None,
            LLVMCall if row_loop::is_window_check(*instruction) => {}
            LLVMCall => {
                let called = instruction.called_function()?.name();
                let quick = QUICK.iter().any(|name| called.starts_with(name));
                quick.then_some(())?;
                count += 1;
            }
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFNeg | LLVMFCmp | LLVMSelect => count += 1,
            _ => {}
        }
    }
    Some(count)
}

/// How many floating-point operations of an iteration wait for those of the iteration before.
fn chained(
    header: Block,
    counters: &HashMap<Value, Counter>,
    inside: &impl Fn(Value) -> bool,
) -> usize {
    let carried = header.phis().filter(|phi| !counters.contains_key(phi));
    let mut pending: Vec<Value> = carried.collect();
    let mut found: HashSet<Value> = pending.iter().copied().collect();
    while let Some(value) = pending.pop() {
        let users = value.users().into_iter();
        let more = users.filter(|it| inside(*it) && !it.is_phi() && found.insert(*it));
        pending.extend(more);
    }
    let is_operation = |it: &&Value| it.ty().is_float() && !it.is_phi();
    found.iter().filter(is_operation).count()
}

/// Intrinsics that are one instruction.
const QUICK: [&str; 8] = [
    "llvm.fmuladd.f",
    "llvm.fma.f",
    "llvm.fabs.f",
    "llvm.smax.i",
    "llvm.smin.i",
    "llvm.umax.i",
    "llvm.umin.i",
    "llvm.assume",
];

/// The one value that leaves a loop, those that are known before aside; `None` if more leave it.
fn leaving(
    instructions: &[Value],
    blocks: &[Block],
    behind: Block,
    known: impl Fn(Value) -> bool,
) -> Option<Option<Value>> {
    let stays = |it: Value| {
        let users = it.users().into_iter();
        let mut users = users.filter(|user| !blocks.contains(&user.block()));
        users.all(|user| user.is_phi() && user.block() == behind)
    };
    { instructions.iter() }.all(|&it| stays(it)).then_some(())?;
    let mut left = None;
    for value in behind.phis().filter_map(|phi| phi.incoming_from(blocks[0])) {
        if known(value) {
            continue;
        }
        let fits = instructions.contains(&value) && is_number(value.ty());
        (fits && left.is_none_or(|it| it == value)).then_some(())?;
        left = Some(value);
    }
    Some(left)
}

/// What a loop uses that is computed in front of it; `None` if some of it is no number and no address.
fn taken(instructions: &[Value], inside: &impl Fn(Value) -> bool) -> Option<Vec<Value>> {
    let mut taken = Vec::new();
    let operands = |it: &Value| match it.is_phi() {
        true => it.incoming().into_iter().map(|(value, _)| value).collect(),
        false if it.is_call() => it.arguments(),
        false => it.operands(),
    };
    for value in instructions.iter().flat_map(operands) {
        let is_block = value.kind() == llvm_sys::LLVMValueKind::LLVMBasicBlockValueKind;
        if inside(value) || value.is_constant() || is_block || taken.contains(&value) {
            continue;
        }
        (is_number(value.ty()) || value.ty().is_pointer()).then_some(())?;
        taken.push(value);
    }
    Some(taken)
}

fn is_number(ty: Type) -> bool {
    ty.is_int() || ty.is_float()
}
