//! Loops that only combine consecutive elements, for [`super::row_folds`].
//!
//! Such a loop is one block, in which counters count, an iteration's elements are combined one after the other, and
//! nothing else has an effect. Its elements are the same arithmetic on loads that lie one behind the other.

use std::collections::HashMap;

use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMOpcode::{self, LLVMAdd, LLVMMul, LLVMSub, LLVMTrunc, LLVMUDiv, LLVMZExt};

use super::row_fold_function::{self, Element};
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Builder, Layout, Type, Value};
use crate::vgpu::warp::analysis::affine_address::AffineAddress;

/// A loop of one block that only combines elements.
pub struct RowLoop {
    pub before: Block,
    pub body: Block,
    pub behind: Block,
    /// What is combined so far.
    pub sum: Value,
    /// The first operation that combines.
    pub combine: Value,
    /// How many elements an iteration combines.
    pub together: u64,
    pub element: Element,
    /// The first address of each load of the element.
    pub rows: Vec<AffineAddress>,
    /// The bases that the loop checks.
    pub bases: Vec<Value>,
    pub counters: HashMap<Value, Counter>,
    /// The counter that ends the loop, and the number at which it does.
    pub counter: Value,
    pub bound: Value,
}

/// A number that grows by the same in each iteration.
pub struct Counter {
    pub first: Value,
    pub step: u64,
    pub next: Value,
}

impl RowLoop {
    /// What a loop of one block is, if it is that.
    pub fn of(layout: Layout, flow: &ControlFlow, body: Block) -> Option<RowLoop> {
        let inside = |value: Value| value.is_instruction() && value.block() == body;
        let (before, behind) = neighbours(flow, &[body])?;
        let instructions = body.instructions();
        let (counters, sum) = counters_and_sum(body)?;
        let last = sum.incoming_from(body)?;
        let (combine, elements) = combined(sum, last, body)?;
        let (counter, bound) = exit(&counters, body)?;
        let may_leave =
            |value: Value| value == last || counters.values().any(|it| it.next == value);
        let is_read = last
            .users()
            .iter()
            .any(|&it| it != sum && it.block() == body);
        if elements.len() < 2
            || inside(bound)
            || is_read
            || !has_no_other_effect(&instructions, body, behind, may_leave)
        {
            return None;
        }
        let element = Element::of(elements[0], &inside)?;
        let step = |value: Value, signed: bool| match counters.get(&value) {
            Some(counter) => counter.step_if_exact(signed),
            None => (!inside(value)).then_some(0),
        };
        let together = elements.len() as u64;
        let rows = element.loads.iter().map(|&load| {
            let size = layout.alloc_size(load.ty());
            let address = AffineAddress::of(layout, load.operand(0));
            let is_row = layout.store_size(load.ty()) == size
                && address.step(step) == Some((together * size) as i64);
            is_row.then_some(address)
        });
        let rows = rows.collect::<Option<_>>()?;
        let address = |load: Value| AffineAddress::of(layout, load.operand(0));
        let are_consecutive = { elements[1..].iter().zip(1..) }.all(|(&other, at)| {
            let follows = |first: Value, load: Value| {
                let distance = address(first).bytes_to(&address(load));
                distance == Some(at * layout.alloc_size(first.ty()) as i64)
            };
            element.is_like(elements[0], other, &inside, &follows)
        });
        are_consecutive.then_some(())?;
        Some(RowLoop {
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

    /// How many iterations the loop has (64 bits).
    pub fn iterations(&self, builder: &Builder) -> Value {
        self.counters[&self.counter].iterations(builder, self.bound)
    }
}

impl Counter {
    /// The counter that a phi of a loop is, if it is one.
    pub fn of(phi: Value, body: Block) -> Option<Counter> {
        let next = phi.incoming_from(body)?;
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

    /// After how many iterations it has come to `bound` (64 bits).
    pub fn iterations(&self, builder: &Builder, bound: Value) -> Value {
        let ty = bound.ty();
        let way = builder.binary(LLVMSub, bound, self.first);
        let iterations = builder.binary(LLVMUDiv, way, Value::int(ty, self.step));
        match ty.int_width() {
            64 => iterations,
            _ => builder.cast(LLVMZExt, iterations, Type::int(builder.context(), 64)),
        }
    }

    /// The number behind so many iterations (64 bits).
    pub fn after(&self, builder: &Builder, iterations: Value) -> Value {
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

/// A loop's counters, and its only other phi.
fn counters_and_sum(body: Block) -> Option<(HashMap<Value, Counter>, Value)> {
    let (mut counters, mut sum) = (HashMap::new(), None);
    for phi in body.phis() {
        match Counter::of(phi, body) {
            Some(counter) => {
                counters.insert(phi, counter);
            }
            None if sum.is_none() => sum = Some(phi),
            None => return None,
        }
    }
    Some((counters, sum?))
}

/// The block before a loop, which leads there only, and the one behind it, which only the loop's header leads to.
pub fn neighbours(flow: &ControlFlow, blocks: &[Block]) -> Option<(Block, Block)> {
    let outside = |found: Vec<Block>| {
        let mut outside = found.into_iter().filter(|it| !blocks.contains(it));
        let first = outside.next()?;
        outside.next().is_none().then_some(first)
    };
    let before = outside(flow.predecessors(blocks[0]).collect())?;
    let behind = outside(blocks[0].successors())?;
    let fits = before.successors() == [blocks[0]] && flow.predecessors(behind).eq([blocks[0]]);
    fits.then_some((before, behind))
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
    let mut leaving = behind.phis().filter_map(|phi| phi.incoming_from(body));
    leaving.all(&may_leave) && { instructions.iter() }.all(|&it| harmless(it) && stays(it))
}

/// Whether a call is a window check.
pub fn is_window_check(call: Value) -> bool {
    let called = call.called_function();
    called.is_some_and(|called| called.name() == "vgpu.check")
}

/// The bases that a loop checks, if they are the same in all iterations.
pub fn checked_bases(
    instructions: &[Value],
    inside: &impl Fn(Value) -> bool,
) -> Option<Vec<Value>> {
    let calls = instructions.iter().copied().filter(|it| it.is_call());
    let bases = calls
        .filter(|&it| is_window_check(it))
        .map(|check| check.operand(0));
    let bases: Vec<_> = bases.collect();
    (!bases.iter().any(|&base| inside(base))).then_some(bases)
}

/// The counter that ends a loop when it comes to a number, and that number.
pub fn exit(counters: &HashMap<Value, Counter>, body: Block) -> Option<(Value, Value)> {
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
