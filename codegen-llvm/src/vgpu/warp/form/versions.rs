//! Two versions of blocks: for all lanes of the subgroup, and for the lanes of a mask.
//!
//! A block while which no lane waits elsewhere is run by all lanes that exist. Any other block is written twice. The
//! version for all lanes has no mask: its loads and stores are plain ones. While it runs no lane waits anywhere.
//! Control leaves it for a masked version where lanes part, and comes back where they meet again. So the bounds of a
//! loop that counts up cost one question for the whole subgroup, and masks only where they are needed. What an elected
//! lane runs has no version for all lanes, and what is unlikely to run has no second one.
//!
//! Where a subgroup may lack lanes, as the last warp of a block of 250 threads does, every block has a masked version,
//! and such a subgroup runs those only.

use std::collections::{BTreeSet, HashSet};

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::{Request, Vectoriser};
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::likely_blocks;
use crate::ir::{Block, Builder, Context, Type, Value};
use crate::vgpu::warp::analysis::callee;
use crate::vgpu::warp::analysis::elected::{Equality, Lane};
use crate::vgpu::warp::analysis::shape::Shape;

/// Most instructions, in all blocks that not all lanes may run, that are written twice. Larger kernels have the masked
/// versions of these blocks only.
const MAX_TWICE: usize = 600;

/// The warp form's blocks for one block of the kernel. There is at least one.
#[derive(Clone, Copy)]
pub(super) struct Versions {
    /// For all lanes of the subgroup.
    pub(super) all_lanes: Option<Block>,
    /// For the lanes of a mask.
    pub(super) masked: Option<Block>,
}

/// Makes the empty blocks of a warp form.
pub(super) fn of_blocks(request: &Request<'_>, function: Value) -> Vec<Versions> {
    let waiting = &request.divergence.waiting;
    let blocks = request.order.blocks.iter().zip(waiting);
    let likely = likely_blocks::of(request.module.context, request.kernel);
    let rows = rows(request);
    let one_version = |block: Block| {
        request.divergence.elected(block).is_some()
            || !likely.contains(&block)
            || rows.contains(&block)
    };
    let in_part = blocks.filter(|&(&block, waiting)| {
        !one_version(block) && (!waiting.is_empty() || request.may_be_partial)
    });
    let instructions: usize = in_part.map(|(block, _)| block.instructions().len()).sum();
    let block = || Builder::append_block(request.module.context, function, "");
    let twice = instructions <= MAX_TWICE;
    let blocks = request.order.blocks.iter().zip(waiting);
    let versions = blocks.map(|(&of, waiting)| {
        let masked = !waiting.is_empty() || request.may_be_partial;
        Versions {
            all_lanes: (!masked || twice && !one_version(of)).then(block),
            masked: masked.then(block),
        }
    });
    versions.collect()
}

/// The blocks that run the rows of a subgroup one after the other (`normalise::row_split`): never by all lanes.
fn rows(request: &Request<'_>) -> HashSet<Block> {
    let loops = ControlFlow::new(request.kernel).loops().into_iter();
    let goes_on = |block: Block| {
        let instructions = block.instructions().into_iter();
        let mut called = instructions.filter_map(Value::called_function);
        called.any(|function| function.name() == callee::SAME)
    };
    let of_rows = loops.filter(|each| goes_on(each.latch));
    of_rows.flat_map(|each| each.body).collect()
}

/// The mask of all lanes.
pub(super) fn all_lanes(context: Context, width: u32) -> Value {
    let one = Value::int(Type::int(context, 1), 1);
    Value::vector(&vec![one; width as usize])
}

impl Vectoriser<'_> {
    /// Begins with the first block's version for the lanes that exist.
    pub(super) fn enter(&mut self) {
        let Versions { all_lanes, masked } = self.versions[0];
        let (Some(all), Some(masked)) = (all_lanes, masked) else {
            self.entry.jump(self.version_of(0, true));
            return;
        };
        let everybody = !0 >> (u64::BITS - self.width);
        let lanes = self.function.parameters()[2];
        let whole = Value::int(lanes.ty(), everybody);
        let whole = self
            .entry
            .compare(LLVMIntPredicate::LLVMIntEQ, lanes, whole);
        self.entry.branch(whole, all, masked);
    }

    /// The lanes that exist.
    pub(super) fn existing(&self) -> Value {
        let lanes = self.function.parameters()[2];
        let narrow = Type::int(self.context, self.width);
        let bits = self.builder.cast_unsigned(lanes, narrow);
        self.builder
            .cast(LLVMOpcode::LLVMBitCast, bits, self.mask_type())
    }

    /// The version of block `at` to which control goes with all lanes, or with some.
    pub(super) fn version_of(&self, at: usize, all_lanes: bool) -> Block {
        let versions = self.versions[at];
        let first = match all_lanes {
            true => versions.all_lanes,
            // Where lanes cannot wait elsewhere, all have come.
            false => versions.masked,
        };
        let either = first.or(versions.masked).or(versions.all_lanes);
        either.expect("a block has a version")
    }

    /// The blocks at which lanes may wait while the current version runs.
    pub(super) fn waiting(&self) -> BTreeSet<usize> {
        match self.all_lanes {
            true => BTreeSet::new(),
            false => self.divergence.waiting[self.current].clone(),
        }
    }

    /// In the masked version of a block at which lanes meet: goes to the other version if all have come.
    pub(super) fn rejoin(&mut self) {
        let Some(all) = self.versions[self.current].all_lanes else {
            return;
        };
        if self.all_lanes || !self.divergence.meets[self.current] {
            return;
        }
        let bits = self.mask_bits();
        let everybody = Value::int(bits.ty(), u64::MAX);
        let here = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, bits, everybody);
        let rest = Builder::append_block(self.context, self.function, "");
        self.builder.branch(here, all, rest);
        self.builder.move_to_end(rest);
    }

    /// A branch on a condition that may differ among the lanes, in a version for all lanes.
    pub(super) fn branch_all_lanes(&mut self, condition: Value, [yes, no]: [usize; 2]) {
        let (context, function) = (self.context, self.function);
        let block = || Builder::append_block(context, function, "");
        let (all_yes, all_no, agree, part) = (block(), block(), block(), block());
        if let Some((within, outcome)) = self.within_bound(condition) {
            let rest = block();
            let beyond = self.not(within);
            self.builder
                .branch_likely(beyond, rest, if outcome { all_yes } else { all_no });
            self.builder.move_to_end(rest);
        }
        let question = self.agreement(condition);
        self.builder.branch_likely(question.differ, part, agree);
        self.builder.move_to_end(agree);
        self.builder.branch(question.outcome, all_yes, all_no);
        for (side, target) in [(all_yes, yes), (all_no, no)] {
            self.builder.move_to_end(side);
            self.go_together(target);
        }
        self.builder.move_to_end(part);
        let taken = self.vector(condition);
        self.part(taken, yes, no);
    }

    /// All lanes go to `target`: on a side path.
    fn go_together(&mut self, target: usize) {
        self.on_side_path(|vectoriser| {
            vectoriser.send_lanes(target, vectoriser.mask);
            let next = vectoriser.version_of(target, true);
            vectoriser.builder.jump(next);
        });
    }

    /// `these` lanes go to one block, the others to another.
    fn part(&mut self, these: Value, to: usize, others_to: usize) {
        let others = self.builder.binary(LLVMOpcode::LLVMXor, self.mask, these);
        self.send_lanes(to, these);
        self.send_lanes(others_to, others);
        let next = self.version_of(to.min(others_to), false);
        self.builder.jump(next);
    }

    /// The same where one way is an elected lane's: not all lanes take it, and mostly none does.
    pub(super) fn branch_elected(&mut self, condition: Value, [yes, no]: [usize; 2]) {
        let block = || Builder::append_block(self.context, self.function, "");
        let (nobody, somebody) = (block(), block());
        let outcome = self.versions[yes].all_lanes.is_none();
        let (alone, rest) = if outcome { (yes, no) } else { (no, yes) };
        let election = self.election(condition, outcome);
        self.builder.branch(election.nobody, nobody, somebody);
        self.builder.move_to_end(nobody);
        self.go_together(rest);
        self.builder.move_to_end(somebody);
        self.part(election.elected, alone, rest);
    }

    /// Asks which lane a condition elects by being `outcome`. Where lanes' numbers are consecutive, that is how far the
    /// number that elects lies behind lane 0's.
    fn election(&mut self, condition: Value, outcome: bool) -> Election {
        let equality = Equality::of(self.divergence, condition, outcome, self.width)
            .filter(|it| self.is_here(condition) && it.stride == 1);
        let bits = Type::int(self.context, self.width);
        let Some(equality) = equality else {
            let holds = self.vector(condition);
            let elected = match outcome {
                true => holds,
                false => self.builder.binary(LLVMOpcode::LLVMXor, self.mask, holds),
            };
            let any = self.bits(elected);
            let nobody = self
                .builder
                .compare(LLVMIntPredicate::LLVMIntEQ, any, Value::zero(bits));
            return Election { nobody, elected };
        };
        let (first, number) = (self.scalar(equality.counting), self.scalar(equality.other));
        let behind = self.builder.binary(LLVMOpcode::LLVMSub, number, first);
        let (predicate, least, lane) = match equality.lane {
            Lane::Number(lane) => (
                LLVMIntPredicate::LLVMIntNE,
                lane,
                Value::int(bits, lane.into()),
            ),
            Lane::OfMask => {
                let lane = self.builder.cast_unsigned(behind, bits);
                (LLVMIntPredicate::LLVMIntUGE, self.width, lane)
            }
        };
        let nobody = self
            .builder
            .compare(predicate, behind, Value::int(behind.ty(), least.into()));
        let one = self
            .builder
            .binary(LLVMOpcode::LLVMShl, Value::int(bits, 1), lane);
        let elected = self
            .builder
            .cast(LLVMOpcode::LLVMBitCast, one, self.mask_type());
        Election { nobody, elected }
    }

    /// Asks whether a condition is the same in all lanes.
    fn agreement(&mut self, condition: Value) -> Agreement {
        if let Some(ends) = self.agreement_of_ends(condition) {
            return ends;
        }
        let vector = self.vector(condition);
        let bits = self.bits(vector);
        let is = |value| {
            self.builder.compare(
                LLVMIntPredicate::LLVMIntEQ,
                bits,
                Value::int(bits.ty(), value),
            )
        };
        let (all, none) = (is(u64::MAX), is(0));
        let agree = self.builder.binary(LLVMOpcode::LLVMOr, all, none);
        Agreement {
            differ: self.not(agree),
            outcome: all,
        }
    }

    /// Whether a comparison is of this block. The operands of another block's may not be known here.
    fn is_here(&self, condition: Value) -> bool {
        condition.is_instruction() && condition.block() == self.order.blocks[self.current]
    }

    /// Whether no lane has come to a bound that the lanes count towards, and the condition's value then. This is the
    /// one question in an iteration of a loop. Where the bound does not change, the value that the first lane is
    /// compared with is computed before the loop.
    fn within_bound(&mut self, condition: Value) -> Option<(Value, bool)> {
        use LLVMIntPredicate::*;
        let ends = self.ends(condition)?;
        let with_bound = match ends.before {
            LLVMIntSLT => LLVMIntSLE,
            LLVMIntSGT => LLVMIntSGE,
            LLVMIntULT => LLVMIntULE,
            _ => LLVMIntUGE,
        };
        let outcome = [ends.before, with_bound].contains(&ends.predicate);
        let at_bound = matches!(
            ends.predicate,
            LLVMIntSLE | LLVMIntSGE | LLVMIntULE | LLVMIntUGE
        ) == outcome;
        // The last lane may be at the bound, too, where the condition is the same there.
        let distance = ends.far.unsigned_abs() as u64 - u64::from(at_bound);
        let name = match ends.before {
            LLVMIntSLT => "llvm.ssub.sat",
            LLVMIntSGT => "llvm.sadd.sat",
            LLVMIntULT => "llvm.usub.sat",
            _ => "llvm.uadd.sat",
        };
        let ty = ends.first.ty();
        let saturated = self.module.intrinsic(name, &[ty]);
        let distance = Value::int(ty, distance);
        // Saturated, it is a value on whose near side there is none.
        let edge = self
            .builder
            .call_function(saturated, &[ends.bound, distance]);
        Some((self.builder.compare(ends.before, ends.first, edge), outcome))
    }

    /// The same for a comparison of a value that counts up or down over the lanes with one that is the same in all:
    /// the first and the last lane answer for those between them, unless the values wrap.
    fn agreement_of_ends(&mut self, condition: Value) -> Option<Agreement> {
        let ends = self.ends(condition)?;
        let far = Value::int(ends.first.ty(), ends.far as u64);
        let last = self.builder.binary(LLVMOpcode::LLVMAdd, ends.first, far);
        // Counting up, the values have wrapped if the last one is less than the first.
        let wrapped = self.builder.compare(ends.before, last, ends.first);
        let ask = |lane: Value| self.builder.compare(ends.predicate, lane, ends.bound);
        let (outcome, other) = (ask(ends.first), ask(last));
        let differ = self.builder.binary(LLVMOpcode::LLVMXor, outcome, other);
        let differ = self.builder.binary(LLVMOpcode::LLVMOr, differ, wrapped);
        Some(Agreement { differ, outcome })
    }

    /// What such a comparison compares.
    fn ends(&mut self, condition: Value) -> Option<Ends> {
        use LLVMIntPredicate::*;
        if !self.is_here(condition) || condition.opcode() != Some(LLVMOpcode::LLVMICmp) {
            return None;
        }
        let (left, right) = (condition.operand(0), condition.operand(1));
        let shapes = [left, right].map(|value| self.divergence.shape(value));
        let (counting, bound, predicate, stride) = match shapes {
            [Shape::Strided { stride, .. }, Shape::Uniform] => {
                (left, right, condition.int_predicate(), stride)
            }
            [Shape::Uniform, Shape::Strided { stride, .. }] => {
                (right, left, condition.swapped_predicate(), stride)
            }
            _ => return None,
        };
        if !counting.ty().is_int() || stride == 0 {
            return None;
        }
        let signed = match predicate {
            LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE => true,
            LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE => false,
            _ => return None,
        };
        let far = i128::from(stride) * i128::from(self.width - 1);
        let bits = counting.ty().int_width();
        if bits > 64 || far.unsigned_abs() >= 1 << (bits - 1) {
            return None;
        }
        Some(Ends {
            first: self.scalar(counting),
            bound: self.scalar(bound),
            far,
            predicate,
            before: match (signed, far > 0) {
                (true, true) => LLVMIntSLT,
                (true, false) => LLVMIntSGT,
                (false, true) => LLVMIntULT,
                (false, false) => LLVMIntUGT,
            },
        })
    }
}

/// A comparison of a value that counts over the lanes with one that is the same in all.
struct Ends {
    /// The first lane's value.
    first: Value,
    /// What it is compared with.
    bound: Value,
    /// How far the last lane's value is from the first one's: below 0 counting down, never 0.
    far: i128,
    /// The comparison, with the lane's value on the left.
    predicate: LLVMIntPredicate,
    /// The comparison that holds for a value before another one, in the order in which the lanes count.
    before: LLVMIntPredicate,
}

/// The answer to which lane a condition elects.
struct Election {
    /// Whether there is none.
    nobody: Value,
    /// If there is: its mask.
    elected: Value,
}

/// The answer to whether a condition is the same in all lanes.
struct Agreement {
    /// Whether it is not.
    differ: Value,
    /// If it is: the condition.
    outcome: Value,
}
