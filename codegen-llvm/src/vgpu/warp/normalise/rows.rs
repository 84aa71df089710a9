//! Makes versions of loop bodies that divide a consecutive number, as those of collapsed loops do.
//!
//! Needs: kernels in shape. Leaves: kernels that need to be brought into shape again.
//!
//! `collapse(2)` makes one loop of two and recovers their indices by a division:
//!
//! ```text
//! i = x / columns; j = x - i * columns; … a[i][j] …
//! ```
//!
//! `x` is consecutive over the lanes. So mostly `i` is the same in all of them, and `j` is consecutive: the lanes are
//! in one *row*. What the compiler knows is that a division gives any values. This step has the first active lane
//! divide, and ask how many lanes from it on are in its row ([`super::row_values`]). The body gets three versions
//! ([`super::row_split`]):
//!
//! * The whole subgroup is in one row: `i` is uniform, `j` strided. Accesses are at unit stride, without tests.
//! * Rows end within the subgroup, and are not very short: a loop runs the rows one after the other, with a mask.
//! * The body as it was, for all else.
//!
//! Versions are right for each thread by itself.

use std::collections::HashSet;

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::context_marker;
use super::loop_versioning::{self, MEMORY_TO_PHIS, PHIS_TO_MEMORY};
use super::row_markers::{Entry, Markers};
use super::row_split;
use super::row_values::{self, RowValues};
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Builder, Context, Module, Value};
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::context_fields::LaneAxis;
use crate::vgpu::warp::analysis::divergence::Divergence;
use crate::vgpu::warp::analysis::linearise::BlockOrder;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::analysis::width::{self, Width};

/// The step, for these kernels. Gives whether it changed any.
pub fn run(unit: &Unit, module: &Module, kernels: &[(&Kernel, Value)]) -> Result<bool> {
    let mut marked = Vec::new();
    for &(kernel, function) in kernels {
        if function.instructions().into_iter().any(divides_by_variable)
            && mark(unit, module, kernel, function)
        {
            marked.push(function);
        }
    }
    if marked.is_empty() {
        return Ok(false);
    }
    unit.machine.run_passes(module, PHIS_TO_MEMORY)?;
    let markers = Markers::new(module);
    for function in marked {
        row_split::run(module, &markers, function);
    }
    unit.machine.run_passes(module, MEMORY_TO_PHIS)?;
    Ok(true)
}

/// Whether an instruction divides by something that makes rows: no small constant.
fn divides_by_variable(instruction: Value) -> bool {
    use LLVMOpcode::*;
    let divides = matches!(
        instruction.opcode(),
        Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem)
    );
    divides
        && instruction
            .operand(1)
            .as_int()
            .is_none_or(|constant| constant >= row_values::SHORTEST)
}

/// Whether an instruction divides by a power of two less than the number of lanes: tiles ([`Shape::Tiled`]), if the
/// dividend is aligned.
fn makes_tiles(division: Value, lanes: u32) -> bool {
    let divisor = division.operand(1).as_int();
    divisor.is_some_and(|divisor| divisor.is_power_of_two() && divisor < u64::from(lanes))
}

/// The number of instructions from which on a body is long.
const LONG: usize = 100;

/// Code with one way in, before its first division, and one way out.
struct Body {
    /// Its blocks; of the first only what follows the division.
    blocks: Vec<Block>,
    /// Its instructions, the division first.
    inside: HashSet<Value>,
    /// The block that leaves it.
    last: Block,
    /// Whether it has a loop or many instructions.
    is_long: bool,
}

/// Marks the bodies of a kernel; gives whether there are any.
fn mark(unit: &Unit, module: &Module, kernel: &Kernel, function: Value) -> bool {
    let axis = LaneAxis::of(kernel);
    let Ok(order) = BlockOrder::new(function) else {
        return false;
    };
    let width = width::of(function, axis, unit.manifest.warp_size, kernel.bound);
    // What is only known of whole blocks does not count: the last barrier may still go.
    let any_blocks = Width {
        whole_blocks: false,
        ..width
    };
    let divergence = Divergence::new(&order, module.layout(), &any_blocks, axis);
    let starts = |&it: &Value| {
        divides_by_variable(it)
            && !(width.whole_blocks && makes_tiles(it, width.lanes))
            && divergence.shape(it) == Shape::Varying
            && matches!(
                divergence.shape(it.operand(0)),
                Shape::Strided { stride: 1, .. }
            )
            && divergence.shape(it.operand(1)).is_uniform()
    };
    let flow = ControlFlow::new(function);
    let mut bodies: Vec<(Value, Body)> = Vec::new();
    for block in &order.blocks {
        let division = block.instructions().into_iter().find(starts);
        let is_new = |(_, body): &(Value, Body)| !body.blocks.contains(block);
        if let Some(division) = division.filter(|_| bodies.iter().all(is_new))
            && let Some(body) = Body::from(module.context, &flow, division)
        {
            bodies.push((division, body));
        }
    }
    for (division, body) in &bodies {
        mark_body(module, axis, &divergence, *division, body);
    }
    !bodies.is_empty()
}

impl Body {
    /// The code from a division to the end of the loop body around it.
    fn from(context: Context, flow: &ControlFlow, division: Value) -> Option<Body> {
        let first = division.block();
        let around = flow
            .loops()
            .into_iter()
            .filter(|each| each.body.contains(&first))
            .min_by_key(|each| each.body.len());
        let is_in_loop = |block: Block| {
            let within = |each: &Loop| each.body.contains(&block);
            around.as_ref().is_none_or(within)
        };
        let dominated = |block: &Block| flow.dominators(*block).any(|above| above == first);
        let blocks: Vec<_> = flow
            .blocks()
            .iter()
            .copied()
            .filter(|&block| is_in_loop(block) && dominated(&block))
            .collect();
        let leaves = |block: &&Block| {
            let next = block.successors();
            let outside = |next: &Block| *next == first || !blocks.contains(next);
            next.iter().any(outside) || returns(**block)
        };
        let mut ends = blocks.iter().filter(leaves);
        let (Some(&last), None) = (ends.next(), ends.next()) else {
            return None;
        };
        if !loop_versioning::is_cheap(&blocks.iter().copied().collect()) {
            return None;
        }
        let mut inside: HashSet<_> = blocks.iter().flat_map(|it| it.instructions()).collect();
        let mut before = division.previous();
        while let Some(instruction) = before {
            inside.remove(&instruction);
            before = instruction.previous();
        }
        let loops = flow.loops();
        let is_inner = |each: &Loop| each.header != first && blocks.contains(&each.header);
        let mut body = Body {
            is_long: loops.iter().any(is_inner) || inside.len() > LONG,
            blocks,
            inside,
            last,
        };
        body.move_control_out(context, division);
        let condition = last.terminator()?.condition();
        let decides_itself = condition.is_some_and(|it| body.inside.contains(&it));
        (!decides_itself).then_some(body)
    }

    /// Moves what counts the loop's iterations in front of the body: a value that leaves it varies.
    fn move_control_out(&mut self, context: Context, division: Value) {
        let builder = Builder::before(context, division);
        for instruction in self.last.instructions() {
            let is_free = |operand: &Value| !self.inside.contains(operand);
            if self.inside.contains(&instruction)
                && is_arithmetic(instruction)
                && instruction.operands().iter().all(is_free)
            {
                builder.take(instruction);
                self.inside.remove(&instruction);
            }
        }
    }
}

/// Whether a block ends the kernel.
fn returns(block: Block) -> bool {
    let end = block.terminator();
    end.is_some_and(|end| end.opcode() == Some(LLVMOpcode::LLVMRet))
}

/// Whether an instruction is cheap arithmetic that works for any operands. Loops of images that were PTX count with
/// pointers, too.
fn is_arithmetic(instruction: Value) -> bool {
    use LLVMOpcode::*;
    matches!(
        instruction.opcode(),
        Some(
            LLVMAdd
                | LLVMSub
                | LLVMMul
                | LLVMICmp
                | LLVMSelect
                | LLVMTrunc
                | LLVMZExt
                | LLVMSExt
                | LLVMGetElementPtr
        )
    )
}

/// Computes the first active lane's values before the division, and marks the places for [`row_split`].
fn mark_body(
    module: &Module,
    axis: LaneAxis,
    divergence: &Divergence,
    division: Value,
    body: &Body,
) {
    let context = module.context;
    let markers = Markers::new(module);
    let builder = Builder::before(context, division);
    markers.start(&builder);
    let id = context_marker::thread_id(module, &builder, axis);
    let first_id = markers.first(&builder, id);
    let inside = |value| body.inside.contains(&value);
    let shortest = match body.is_long {
        true => row_values::SHORTEST_OF_LONG_BODY,
        false => row_values::SHORTEST,
    };
    let mut values = RowValues::new(context, &builder, &markers, divergence, &inside, shortest);
    for block in &body.blocks {
        for instruction in block.instructions() {
            if body.inside.contains(&instruction) {
                values.look_at(instruction);
            }
        }
    }
    let found: Vec<_> = values
        .found
        .iter()
        .map(|&value| (value, values.in_row(value, id, first_id)))
        .collect();
    let entry = Entry {
        certain: values.certain,
        length: values.length,
        long: values.long,
        id,
        first_id,
    };
    markers.enter(&builder, &entry);
    for (value, in_row) in found {
        markers.choose(value, in_row);
    }
    if let Some(end) = body.last.terminator() {
        markers.end(&Builder::before(context, end));
    }
}
