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
//! combines a few elements ([`super::row_loop`]). In the function it is rolled again ([`super::row_fold_function`]),
//! and LLVM makes vectors. The call is for long rows in device memory. The loop stays beside it for the others.

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntUGE};
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMMul};

use super::row_fold_function;
use super::row_loop::RowLoop;
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Builder, Module, Value};
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::context_fields::LaneAxis;
use crate::vgpu::warp::analysis::divergence::Divergence;
use crate::vgpu::warp::analysis::linearise::BlockOrder;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::analysis::width;
use crate::vgpu::warp::form::compare_window;

/// The shortest row, in elements, for which a function is called.
const SHORTEST: u64 = 48;

/// How far apart lanes' rows are at least, in bytes: a line of the host's cache.
pub const APART: u64 = 64;

/// The step, for these kernels. Gives whether it changed any.
pub fn run(unit: &Unit, module: &Module, kernels: &[(&Kernel, Value)]) -> Result<bool> {
    if unit.options.checks.any() || unit.options.count || unit.options.level < 2 {
        return Ok(false);
    }
    let mut changed = false;
    for &(kernel, function) in kernels {
        let loops = loops(unit, module, kernel, function);
        for (number, each) in loops.iter().enumerate() {
            let name = format!("fold.{number}.{}", function.name());
            each.call_instead(module, unit.options.window, &name);
            changed = true;
        }
    }
    Ok(changed)
}

/// The loops of a kernel that are worth a call.
fn loops(unit: &Unit, module: &Module, kernel: &Kernel, function: Value) -> Vec<RowLoop> {
    let flow = ControlFlow::new(function);
    let loops = flow.loops();
    let single = loops.iter().filter(|each| each.header == each.latch);
    let mut found: Vec<_> = { single }
        .filter_map(|each| RowLoop::of(module.layout(), &flow, each.header))
        .collect();
    if found.is_empty() {
        return found;
    }
    match divergence(unit, module, kernel, function) {
        Some(divergence) => found.retain(|each| each.is_worth_it(&divergence)),
        None => found.clear(),
    }
    found
}

/// How the lanes of a kernel's warp form differ, if it can have one.
pub fn divergence(
    unit: &Unit,
    module: &Module,
    kernel: &Kernel,
    function: Value,
) -> Option<Divergence> {
    let axis = LaneAxis::of(kernel);
    let order = BlockOrder::new(function).ok()?;
    let width = width::of(function, axis, unit.manifest.warp_size, kernel.bound);
    Some(Divergence::new(&order, module.layout(), &width, axis))
}

impl RowLoop {
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
            let inside = compare_window(&builder, LLVMIntEQ, base, 1, window);
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
        let first = self.sum.incoming_from(self.before);
        let first = first.expect("a phi has a value from each block");
        let arguments: Vec<_> = [count, first]
            .into_iter()
            .chain(rows)
            .chain(self.element.parameters.iter().copied())
            .collect();
        let folded = at_call.call_function(function, &arguments);
        for phi in self.behind.phis() {
            let left = phi.incoming_from(self.body);
            let counter = self.counters.values().find(|it| Some(it.next) == left);
            let value = counter.map(|counter| counter.after(&at_call, iterations));
            phi.add_incoming(value.unwrap_or(folded), call);
        }
        at_call.jump(self.behind);
        builder.branch(fits, call, self.body);
        // SAFETY: nothing uses a jump.
        unsafe { jump.erase() };
    }
}
