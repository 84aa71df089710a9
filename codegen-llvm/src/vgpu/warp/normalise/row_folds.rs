//! Loops in which a thread combines consecutive elements of its own become functions that are called lane by lane.
//!
//! Needs: kernels in shape, with window checks. Leaves: kernels that need to be brought into shape again.
//!
//! ```text
//! for (j = 0; j < columns; j++) sum += a[row * columns + j];
//! ```
//!
//! With a lane for each row, its elements lie apart, and shuffles bring them together. One thread alone loads whole
//! vectors of them, if they may be combined in any order. The device link has unrolled such a loop: an iteration
//! combines a few elements. In the function it is rolled again ([`super::row_fold_function`]), and LLVM makes vectors.
//! The call is for long rows in device memory. The loop stays beside it for the others.

use std::collections::HashMap;

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE, LLVMIntUGE};
use llvm_sys::LLVMOpcode::{
    self, LLVMAdd, LLVMAnd, LLVMMul, LLVMPtrToInt, LLVMSub, LLVMTrunc, LLVMUDiv, LLVMZExt,
};

use super::row_fold_function::{self, Element};
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Builder, Layout, Module, Type, Value};
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::affine_address::AffineAddress;
use crate::vgpu::warp::analysis::context_fields::LaneAxis;
use crate::vgpu::warp::analysis::divergence::Divergence;
use crate::vgpu::warp::analysis::linearise::BlockOrder;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::analysis::width;

/// The shortest row, in elements, for which a function is called.
const SHORTEST: u64 = 48;

/// How far apart lanes' rows are at least, in bytes: a line of the host's cache.
const APART: u64 = 64;

/// The step, for these kernels. Gives whether it changed any.
pub fn run(unit: &Unit, module: &Module, kernels: &[(&Kernel, Value)]) -> Result<bool> {
    if unit.options.checks.any() || unit.options.count || unit.options.level < 2 {
        return Ok(false);
    }
    let mut changed = false;
    for &(kernel, function) in kernels {
        let folds = folds(unit, module, kernel, function);
        for (number, fold) in folds.iter().enumerate() {
            let name = format!("fold.{number}.{}", function.name());
            fold.call_instead(module, unit.options.window, &name);
            changed = true;
        }
    }
    Ok(changed)
}

/// A loop of one block that only combines elements.
struct Fold {
    before: Block,
    body: Block,
    behind: Block,
    /// What is combined so far.
    sum: Value,
    /// The first operation that combines.
    combine: Value,
    /// How many elements an iteration combines.
    together: u64,
    element: Element,
    /// The first address of each load of the element.
    rows: Vec<AffineAddress>,
    /// The bases that the loop checks.
    bases: Vec<Value>,
    counters: HashMap<Value, Counter>,
    /// The counter that ends the loop, and the number at which it does.
    counter: Value,
    bound: Value,
}

/// A number that grows by the same in each iteration.
struct Counter {
    first: Value,
    step: u64,
    next: Value,
}

/// The loops of a kernel that can be folded.
fn folds(unit: &Unit, module: &Module, kernel: &Kernel, function: Value) -> Vec<Fold> {
    let flow = ControlFlow::new(function);
    let loops = flow.loops();
    let single = loops.iter().filter(|each| each.header == each.latch);
    let mut found: Vec<_> = { single }
        .filter_map(|each| Fold::of(module.layout(), &flow, each))
        .collect();
    if found.is_empty() {
        return found;
    }
    let axis = LaneAxis::of(kernel);
    let Ok(order) = BlockOrder::new(function) else {
        return Vec::new();
    };
    let width = width::of(function, axis, unit.manifest.warp_size, kernel.bound);
    let divergence = Divergence::new(&order, module.layout(), &width, axis);
    found.retain(|fold| fold.is_worth_it(&divergence));
    found
}

impl Fold {
    /// What a loop folds, if it does nothing else.
    fn of(layout: Layout, flow: &ControlFlow, each: &Loop) -> Option<Fold> {
        let body = each.header;
        let inside = |value: Value| value.is_instruction() && value.block() == body;
        let (before, behind) = neighbours(flow, body)?;
        let instructions = body.instructions();
        let phis = instructions.iter().copied().filter(|it| it.is_phi());
        let (mut counters, mut sum) = (HashMap::new(), None);
        for phi in phis {
            match Counter::of(phi, body) {
                Some(counter) => drop(counters.insert(phi, counter)),
                None if sum.is_none() => sum = Some(phi),
                None => return None,
            }
        }
        let sum = sum?;
        let last = incoming(sum, body)?;
        let (combine, elements) = combined(sum, last, body)?;
        let may_leave =
            |value: Value| value == last || counters.values().any(|it: &Counter| it.next == value);
        let alone = has_no_other_effect(&instructions, body, behind, may_leave);
        if elements.len() < 2
            || !alone
            || last
                .users()
                .iter()
                .any(|&it| it != sum && it.block() == body)
        {
            return None;
        }
        let step = |value: Value, signed: bool| match counters.get(&value) {
            Some(counter) => counter.step_if_exact(signed),
            None => (!inside(value)).then_some(0),
        };
        let element = Element::of(elements[0], &inside)?;
        let together = elements.len() as u64;
        let mut rows = Vec::new();
        for &load in &element.loads {
            let size = layout.alloc_size(load.ty());
            let address = AffineAddress::of(layout, load.operand(0));
            let is_row = layout.store_size(load.ty()) == size
                && address.step(step) == Some((together * size) as i64);
            rows.push(is_row.then_some(address)?);
        }
        let distance = |first: Value, other: Value| {
            let address = |load: Value| AffineAddress::of(layout, load.operand(0));
            address(first).bytes_to(&address(other))
        };
        let follow = { elements[1..].iter().zip(1..) }.all(|(&other, at)| {
            let follows = |first: Value, load: Value| {
                distance(first, load) == Some(at * layout.alloc_size(first.ty()) as i64)
            };
            element.is_like(elements[0], other, &inside, &follows)
        });
        let (counter, bound) = exit(&counters, body)?;
        (follow && !inside(bound)).then_some(())?;
        Some(Fold {
            before,
            body,
            behind,
            sum,
            combine,
            together,
            element,
            rows,
            bases: checked_bases(&instructions, &inside)?,
            counters,
            counter,
            bound,
        })
    }

    /// Whether all lanes take the call or none does, and some rows lie apart.
    fn is_worth_it(&self, divergence: &Divergence) -> bool {
        let uniform = |value: Value| divergence.shape(value).is_uniform();
        let shapes = self
            .element
            .loads
            .iter()
            .map(|load| divergence.shape(load.operand(0)));
        let shapes: Vec<_> = shapes.collect();
        let apart = |shape: &Shape| match shape {
            Shape::Strided { stride, .. } => stride.unsigned_abs() >= APART,
            Shape::Varying => true,
            Shape::Uniform | Shape::Tiled { .. } => false,
        };
        uniform(self.bound)
            && uniform(self.counters[&self.counter].first)
            && self.bases.iter().all(|&base| uniform(base))
            && shapes.iter().any(apart)
            && shapes
                .iter()
                .all(|shape| apart(shape) || shape.is_uniform())
    }

    /// Puts the call in front of the loop.
    fn call_instead(&self, module: &Module, window: u64, name: &str) {
        let context = module.context;
        let jump = self.before.terminator().expect("a block has an end");
        let builder = Builder::before(context, jump);
        let iterations = self.iterations(&builder);
        let together = Value::int(iterations.ty(), self.together);
        let count = builder.binary(LLVMMul, iterations, together);
        let shortest = Value::int(count.ty(), SHORTEST);
        let long = builder.compare(LLVMIntUGE, count, shortest);
        let fits = self.bases.iter().fold(long, |fits, &base| {
            let inside = is_inside(&builder, base, window);
            builder.binary(LLVMAnd, fits, inside)
        });
        let start = |value: Value| self.counters.get(&value).map_or(value, |it| it.first);
        let function = row_fold_function::build(module, &self.element, self.combine, name);
        let call = Builder::append_block(context, self.body.function(), "");
        let at_call = Builder::at_end(context, call);
        at_call.locate_as(jump);
        let rows = self
            .rows
            .iter()
            .map(|row| row.emit(context, &at_call, start));
        let first = incoming(self.sum, self.before).expect("a phi has a value from each block");
        let arguments: Vec<_> = [count, first]
            .into_iter()
            .chain(rows)
            .chain(self.element.parameters.iter().copied())
            .collect();
        let folded = at_call.call_function(function, &arguments);
        let phis = self.behind.instructions().into_iter();
        for phi in phis.filter(|it| it.is_phi()) {
            let left = incoming(phi, self.body);
            let counter = self.counters.values().find(|it| Some(it.next) == left);
            let value = counter.map(|counter| counter.after(&at_call, iterations));
            phi.add_incoming(value.unwrap_or(folded), call);
        }
        at_call.jump(self.behind);
        builder.branch(fits, call, self.body);
        // SAFETY: nothing uses a jump.
        unsafe { jump.erase() };
    }

    /// How many iterations the loop has (64 bits).
    fn iterations(&self, builder: &Builder) -> Value {
        let counter = &self.counters[&self.counter];
        let ty = self.bound.ty();
        let way = builder.binary(LLVMSub, self.bound, counter.first);
        let iterations = builder.binary(LLVMUDiv, way, Value::int(ty, counter.step));
        match ty.int_width() {
            64 => iterations,
            _ => builder.cast(LLVMZExt, iterations, Type::int(builder.context(), 64)),
        }
    }
}

impl Counter {
    fn of(phi: Value, body: Block) -> Option<Counter> {
        let next = incoming(phi, body)?;
        let adds = next.opcode() == Some(LLVMAdd) && next.operand(0) == phi;
        let step = next.operand_or_none(1).filter(|_| adds)?.as_signed_int()?;
        let others = phi.incoming().into_iter().filter(|&(_, from)| from != body);
        let [(first, _)] = others.collect::<Vec<_>>()[..] else {
            return None;
        };
        (step > 0).then_some(Counter {
            first,
            step: step as u64,
            next,
        })
    }

    /// The number behind so many iterations (64 bits).
    fn after(&self, builder: &Builder, iterations: Value) -> Value {
        let ty = self.first.ty();
        let iterations = match ty.int_width() {
            64 => iterations,
            _ => builder.cast(LLVMTrunc, iterations, ty),
        };
        let way = builder.binary(LLVMMul, iterations, Value::int(ty, self.step));
        builder.binary(LLVMAdd, self.first, way)
    }

    /// The step, if the number does not overflow as one with or without a sign.
    fn step_if_exact(&self, signed: bool) -> Option<i64> {
        let exact = match signed {
            _ if self.next.ty().int_width() == 64 => true,
            true => self.next.cannot_overflow(),
            false => self.next.cannot_carry(),
        };
        exact.then_some(self.step as i64)
    }
}

/// The block before a loop of one block, which leads there only, and the one behind it, which only the loop leads to.
fn neighbours(flow: &ControlFlow, body: Block) -> Option<(Block, Block)> {
    let others = |blocks: Vec<Block>| {
        blocks
            .into_iter()
            .filter(|&it| it != body)
            .collect::<Vec<_>>()
    };
    let [before] = others(flow.predecessors(body).collect())[..] else {
        return None;
    };
    let [behind] = others(body.successors())[..] else {
        return None;
    };
    let fits = before.successors() == [body] && flow.predecessors(behind).eq([body]);
    fits.then_some((before, behind))
}

/// A phi's value from a block.
fn incoming(phi: Value, from: Block) -> Option<Value> {
    let mut all = phi.incoming().into_iter();
    all.find_map(|(value, block)| (block == from).then_some(value))
}

/// The first of the operations by which `sum` becomes `last`, and what each adds. They may be done in any order.
fn combined(sum: Value, last: Value, body: Block) -> Option<(Value, Vec<Value>)> {
    let (mut at, mut first, mut elements) = (sum, None, Vec::new());
    while at != last {
        let [next] = at.users()[..] else {
            return None;
        };
        let like = first.is_none_or(|it| row_fold_function::is_same_operation(it, next));
        if next.block() != body || !like || !row_fold_function::is_associative(next) {
            return None;
        }
        let (left, right) = (next.operand(0), next.operand(1));
        elements.push(if left == at { right } else { left });
        first.get_or_insert(next);
        at = next;
    }
    Some((first?, elements))
}

/// Whether a loop has no effect but values for phis behind it, which `may_leave` holds for.
fn has_no_other_effect(
    instructions: &[Value],
    body: Block,
    behind: Block,
    may_leave: impl Fn(Value) -> bool,
) -> bool {
    let stays = |it: Value| {
        let mut users = it.users().into_iter().filter(|user| user.block() != body);
        users.all(|user| user.is_phi() && user.block() == behind && may_leave(it))
    };
    let harmless = |it: Value| match it.opcode() {
        Some(LLVMOpcode::LLVMStore | LLVMOpcode::LLVMFence) => false,
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => false,
        Some(LLVMOpcode::LLVMLoad) => !it.is_volatile() && !it.is_atomic(),
        Some(LLVMOpcode::LLVMCall) => is_window_check(it) || row_fold_function::is_associative(it),
        _ => true,
    };
    let phis = behind.instructions().into_iter().filter(|it| it.is_phi());
    let mut leaving = phis.filter_map(|phi| incoming(phi, body));
    leaving.all(&may_leave) && { instructions.iter() }.all(|&it| harmless(it) && stays(it))
}

fn is_window_check(call: Value) -> bool {
    let called = call.called_function();
    called.is_some_and(|called| called.name() == "vgpu.check")
}

/// The bases that a loop checks, if they are the same in all iterations.
fn checked_bases(instructions: &[Value], inside: &impl Fn(Value) -> bool) -> Option<Vec<Value>> {
    let calls = instructions.iter().copied().filter(|it| it.is_call());
    let bases = calls
        .filter(|&it| is_window_check(it))
        .map(|check| check.operand(0));
    let bases: Vec<_> = bases.collect();
    (!bases.iter().any(|&base| inside(base))).then_some(bases)
}

/// The counter that ends a loop when it comes to a number, and that number.
fn exit(counters: &HashMap<Value, Counter>, body: Block) -> Option<(Value, Value)> {
    let end = body.terminator()?;
    let condition = end.condition()?;
    let leaves_if_equal = end.successors().get(1) == Some(&body);
    let wanted = if leaves_if_equal {
        LLVMIntEQ
    } else {
        LLVMIntNE
    };
    let compares = condition.opcode() == Some(LLVMOpcode::LLVMICmp);
    if !compares || condition.int_predicate() != wanted {
        return None;
    }
    let (&phi, _) = counters
        .iter()
        .find(|(_, it)| it.next == condition.operand(0))?;
    Some((phi, condition.operand(1)))
}

/// Whether a pointer leads into the device window (`vgpu/window.rs`).
fn is_inside(builder: &Builder, base: Value, window: u64) -> Value {
    let wide = Type::int(builder.context(), 64);
    let bits = builder.cast(LLVMPtrToInt, base, wide);
    let shift = Value::int(wide, vgpu_abi::WINDOW_SHIFT.into());
    let index = builder.binary(LLVMOpcode::LLVMLShr, bits, shift);
    builder.compare(LLVMIntEQ, index, Value::int(wide, window))
}
