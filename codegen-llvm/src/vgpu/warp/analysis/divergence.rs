//! Divergence analysis: the [`Shape`] of every value, and the later blocks at which lanes wait while a block runs.
//!
//! Both depend on each other. A branch on a varying condition leaves lanes waiting at one of its targets. Phis vary
//! where lanes meet that came on different paths. Phis decide branches. So one fixed-point iteration computes all of
//! it, from "everything is uniform and no lane waits" upwards. Waiting takes the place of post-dominance and control
//! dependence in the classic analysis (Karrenberg and Hack, "Whole-Function Vectorization", CGO 2011). It is exact for
//! the order in which the warp form runs blocks:
//!
//! * All lanes run a block while which no lane waits: its mask is the subgroup's.
//! * Lanes *meet* at a block if some arrive while others wait there already.

use std::collections::{BTreeSet, HashMap};

use llvm_sys::LLVMOpcode;
use vgpu_abi::WaveOp;

use super::callee::{self, Callee};
use super::context_fields::{self, LaneAxis};
use super::elected::{Elected, Lane};
use super::linearise::BlockOrder;
use super::multiples::Multiples;
use super::shape::{self, Operand, Shape, Size};
use super::width::Width;
use crate::ir::{Block, Layout, Value};

/// The result of the analysis.
pub struct Divergence {
    shapes: HashMap<Value, Shape>,
    /// By block: the later blocks at which lanes may wait while it runs.
    pub waiting: Vec<BTreeSet<usize>>,
    /// By block: whether lanes meet there that came on different paths, or at different times.
    pub meets: Vec<bool>,
    elected: Elected,
}

/// The analysis in progress.
struct Analysis<'a> {
    order: &'a BlockOrder,
    layout: Layout,
    width: u32,
    axis: LaneAxis,
    multiples: Multiples,
    found: Divergence,
}

impl Divergence {
    /// Analyses a function for subgroups of this width whose thread ids are consecutive along `axis`.
    pub fn new(order: &BlockOrder, layout: Layout, width: &Width, axis: LaneAxis) -> Divergence {
        let known = Divergence::with_elected(order, layout, width, axis, Elected::default());
        let elected = Elected::find(order, &known, width.lanes);
        if elected.is_empty() {
            return known;
        }
        let better = Divergence::with_elected(order, layout, width, axis, elected);
        // The mask of such a block is that of the lanes that did not wait elsewhere.
        let others_wait = |block: Block| !better.waiting[order.index[&block]].is_empty();
        if better.elected.blocks().all(others_wait) {
            better
        } else {
            known
        }
    }

    fn with_elected(
        order: &BlockOrder,
        layout: Layout,
        width: &Width,
        axis: LaneAxis,
        elected: Elected,
    ) -> Divergence {
        let count = order.blocks.len();
        let found = Divergence {
            shapes: HashMap::new(),
            waiting: vec![BTreeSet::new(); count],
            meets: vec![false; count],
            elected,
        };
        let mut analysis = Analysis {
            order,
            layout,
            width: width.lanes,
            axis,
            multiples: Multiples::new(width, axis),
            found,
        };
        while analysis.update_shapes() | analysis.update_waiting() {}
        analysis.found
    }

    /// The shape of a value. Constants and parameters are uniform.
    pub fn shape(&self, value: Value) -> Shape {
        self.known(value).unwrap_or(Shape::Uniform)
    }

    /// The shape of a value; `None` if no round has looked at it yet.
    fn known(&self, value: Value) -> Option<Shape> {
        if value.is_instruction() {
            self.shapes.get(&value).copied()
        } else {
            Some(Shape::Uniform)
        }
    }

    /// Whether a terminator sends lanes to different blocks.
    pub fn is_divergent(&self, terminator: Value) -> bool {
        terminator
            .condition()
            .is_some_and(|condition| !self.shape(condition).is_uniform())
            && self.elected(terminator.block()).is_none()
    }

    /// The lane that runs a block while all others wait elsewhere, if one alone does.
    pub fn elected(&self, block: Block) -> Option<Lane> {
        self.elected.lane(block)
    }

    /// Whether an instruction is a scalar one because an elected lane executes it.
    pub fn is_of_elected(&self, instruction: Value) -> bool {
        self.elected.is_scalar(instruction)
    }
}

impl Analysis<'_> {
    /// One round over all values; gives whether a shape changed.
    fn update_shapes(&mut self) -> bool {
        let mut changed = false;
        for (at, block) in self.order.blocks.iter().enumerate() {
            for instruction in block.instructions() {
                let Some(new) = self.shape_of(at, instruction) else {
                    continue;
                };
                let old = self.found.known(instruction);
                let joined = old.map_or(new, |old| old.join(new));
                if old != Some(joined) {
                    self.found.shapes.insert(instruction, joined);
                    changed = true;
                }
            }
        }
        changed
    }

    /// One round over all blocks, which follows waiting lanes; gives whether anything changed.
    fn update_waiting(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.order.blocks.len() {
            let waiting = self.found.waiting[at].clone();
            let targets = &self.order.successors[at];
            for &target in targets {
                if waiting.contains(&target) && !self.found.meets[target] {
                    self.found.meets[target] = true;
                    changed = true;
                }
            }
            let end = self.order.blocks[at].terminator();
            let divergent = end.is_some_and(|end| self.found.is_divergent(end));
            let ways: Vec<Vec<usize>> = if divergent {
                vec![targets.clone()]
            } else {
                targets.iter().map(|&target| vec![target]).collect()
            };
            for way in ways {
                changed |= self.follow(&waiting, &way);
            }
        }
        changed
    }

    /// Lanes go to one or all of `targets` while others wait at `waiting`. One of the earliest blocks runs next, and
    /// the lanes at the others wait.
    fn follow(&mut self, waiting: &BTreeSet<usize>, targets: &[usize]) -> bool {
        let mut all = waiting.clone();
        all.extend(targets);
        // One of the targets has lanes, so no block after the last target can be next.
        let last = targets.iter().max().copied().unwrap_or(0);
        let mut changed = false;
        for &next in all.range(..=last) {
            for &later in all.range(next + 1..) {
                changed |= self.found.waiting[next].insert(later);
            }
        }
        changed
    }

    /// The shape of an instruction in block `at`, as far as it is known; `None` if the shape of an operand is not.
    fn shape_of(&self, at: usize, instruction: Value) -> Option<Shape> {
        use LLVMOpcode::*;
        let opcode = instruction.opcode()?;
        if self.found.is_of_elected(instruction) {
            return Some(Shape::Uniform);
        }
        let shape_of = |index| self.found.known(instruction.operand(index));
        let operand = |index: u32| self.operand(instruction.operand(index));
        Some(match opcode {
            LLVMPHI => return self.phi(at, instruction),
            LLVMOr if instruction.is_disjoint() => self.sum(instruction)?,
            LLVMAdd => self.sum(instruction)?,
            LLVMAnd if masked_shift(instruction).is_some() => {
                let (number, by, mask) = masked_shift(instruction)?;
                shape::masked_shift(self.operand(number)?.shape, by, mask, self.width)
            }
            LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMUDiv | LLVMURem | LLVMAnd => {
                shape::binary(opcode, operand(0)?, operand(1)?, self.width)
            }
            LLVMICmp => shape::compare(
                instruction.int_predicate(),
                operand(0)?,
                operand(1)?,
                self.width,
            ),
            LLVMTrunc | LLVMZExt | LLVMSExt => {
                let bits = instruction.ty().int_width();
                let signed = opcode == LLVMZExt && instruction.is_of_nonnegative();
                shape::cast(opcode, shape_of(0)?, bits, signed)
            }
            LLVMAddrSpaceCast | LLVMFreeze => shape_of(0)?,
            LLVMSelect if shape_of(0)?.is_uniform() => shape_of(1)?.join(shape_of(2)?),
            LLVMGetElementPtr => self.pointer(instruction)?,
            LLVMAlloca => Shape::Strided {
                stride: context_fields::local_stride(self.layout, instruction) as i64,
                aligned: false,
                size: Size::Any,
            },
            LLVMLoad => match context_fields::context_field(instruction) {
                Some(field) => context_fields::shape(field, self.axis),
                None if shape_of(0)?.is_uniform() => Shape::Uniform,
                None => Shape::Varying,
            },
            LLVMAtomicRMW | LLVMAtomicCmpXchg => Shape::Varying,
            LLVMCall => self.call(instruction)?,
            _ => self.all_or_nothing(instruction.operands())?,
        })
    }

    /// An operand, if its shape is known yet.
    fn operand(&self, value: Value) -> Option<Operand> {
        let shape = self.found.known(value)?;
        Some(Operand {
            shape,
            constant: value.as_signed_int(),
            is_multiple: shape.is_uniform() && self.multiples.contains(value),
        })
    }

    /// The shape of an addition, or of an `or` without common bits.
    fn sum(&self, instruction: Value) -> Option<Shape> {
        let (left, right) = (
            self.operand(instruction.operand(0))?,
            self.operand(instruction.operand(1))?,
        );
        let sum = shape::binary(LLVMOpcode::LLVMAdd, left, right, self.width);
        if instruction.ty().int_width() != 32 || !instruction.cannot_overflow() {
            return Some(sum);
        }
        let uniform = if left.shape.is_uniform() { 0 } else { 1 };
        let positive = is_never_negative(instruction.operand(uniform), MOST_STEPS);
        Some(shape::exact_sum(sum, left.shape, right.shape, positive))
    }

    /// Uniform if all of `operands` are, else varying.
    fn all_or_nothing(&self, operands: Vec<Value>) -> Option<Shape> {
        let mut shape = Shape::Uniform;
        for operand in operands {
            if !self.found.known(operand)?.is_uniform() {
                shape = Shape::Varying;
            }
        }
        Some(shape)
    }

    fn phi(&self, at: usize, phi: Value) -> Option<Shape> {
        let incoming = phi.incoming();
        let mut shapes = incoming
            .iter()
            .filter_map(|&(value, _)| self.found.known(value));
        let first = shapes.next()?;
        let joined = shapes.fold(first, Shape::join);
        if !self.found.meets[at] {
            return Some(joined);
        }
        // The same constant or parameter on all paths.
        let value = incoming[0].0;
        let same = !value.is_instruction() && incoming.iter().all(|&(other, _)| other == value);
        Some(if same { Shape::Uniform } else { Shape::Varying })
    }

    fn pointer(&self, instruction: Value) -> Option<Shape> {
        let mut shape = self.found.known(instruction.operand(0))?;
        for (index, scale) in context_fields::indices(self.layout, instruction) {
            let step = match (self.found.known(index)?, scale) {
                (Shape::Uniform, _) => Shape::Uniform,
                (Shape::Strided { stride, size, .. }, Some(scale))
                    if size == Size::Small || index.ty().int_width() >= 64 =>
                {
                    Shape::Strided {
                        stride: stride.wrapping_mul(scale as i64),
                        aligned: false,
                        size: Size::Any,
                    }
                }
                (
                    Shape::Tiled {
                        columns,
                        across,
                        down,
                        size,
                        ..
                    },
                    Some(scale),
                ) if size == Size::Small || index.ty().int_width() >= 64 => Shape::Tiled {
                    columns,
                    across: across.wrapping_mul(scale as i64),
                    down: down.wrapping_mul(scale as i64),
                    numbers: false,
                    size: Size::Any,
                },
                _ => Shape::Varying,
            };
            let part = |shape| Operand {
                shape,
                constant: None,
                is_multiple: false,
            };
            shape = shape::binary(LLVMOpcode::LLVMAdd, part(shape), part(step), self.width);
        }
        Some(shape)
    }

    fn call(&self, call: Value) -> Option<Shape> {
        Some(match callee::of(call) {
            Callee::Context
            | Callee::First
            | Callee::Lanes
            | Callee::OncePerSubgroup
            | Callee::Yield
            | Callee::ActiveMask
            | Callee::BarrierReduce => Shape::Uniform,
            // Uniform if the member mask is; the values may differ.
            Callee::Vote | Callee::Redux | Callee::MatchAll => self.found.known(call.operand(2))?,
            // The active lanes are one group.
            Callee::Wave if !gives_each_lane_its_own(call) => Shape::Uniform,
            Callee::Shuffle | Callee::MatchAny | Callee::Wave | Callee::EnginePerLane => {
                Shape::Varying
            }
            Callee::Unknown if !call.called().is_function() => Shape::Varying,
            _ => self.all_or_nothing(call.arguments())?,
        })
    }
}

/// How many instructions of a chain [`is_never_negative`] looks at.
const MOST_STEPS: u32 = 4;

/// Whether a number is known not to be negative: fields of the context are small numbers, and so is what is bounded by
/// them. It looks `steps` instructions back.
fn is_never_negative(value: Value, steps: u32) -> bool {
    use LLVMOpcode::*;
    if let Some(constant) = value.as_signed_int() {
        return constant >= 0;
    }
    let Some(steps) = steps.checked_sub(1) else {
        return false;
    };
    let is = |operand| is_never_negative(operand, steps);
    let any = || value.operands().into_iter().any(is);
    match value.opcode() {
        Some(LLVMLoad) => context_fields::context_field(value).is_some(),
        Some(LLVMZExt) => true,
        Some(LLVMLShr) => value.operand(1).as_signed_int().is_some_and(|by| by > 0),
        Some(LLVMAnd) => any(),
        Some(LLVMPHI) => value.incoming().iter().all(|&(value, _)| is(value)),
        Some(LLVMCall) => {
            let name = value.called().name();
            name.starts_with("llvm.umin.") && any()
                || name.starts_with("llvm.usub.sat.") && is(value.operand(0))
        }
        _ => false,
    }
}

/// Whether an operation across lanes gives each lane a value of its own.
fn gives_each_lane_its_own(wave: Value) -> bool {
    let operation = wave.operand(2).as_int();
    [WaveOp::Gather, WaveOp::Scatter]
        .iter()
        .any(|&op| operation == Some(op as u64))
}

/// The parts of `(x << by) & mask`, as LLVM writes `(x & (mask >> by)) << by`.
fn masked_shift(and: Value) -> Option<(Value, i64, i64)> {
    let shift = and.operand(0);
    if shift.opcode() != Some(LLVMOpcode::LLVMShl) {
        return None;
    }
    let by = shift.operand(1).as_signed_int()?;
    Some((shift.operand(0), by, and.operand(1).as_signed_int()?))
}
