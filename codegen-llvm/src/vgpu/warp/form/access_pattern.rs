//! How the lanes' elements lie in memory: at unit stride or in runs, so if a test at run time holds, or anywhere.
//!
//! The bounds of a loop over a thread's share of iterations hide from the compiler that consecutive lanes access
//! consecutive elements, although nearly all programs are written that way. Hence the test.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::runs::{RunShape, Runs};
use super::spaced_access::MOST_APART;
use super::stride_test::StrideTest;
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::shape::Shape;

/// The longest step from lane to lane, or from run to run, for which one lane's index answers for all.
const MOST_STEP: i64 = 1 << 16;

/// How the lanes reach their elements.
pub(super) enum AccessPattern {
    /// In runs of consecutive elements.
    Runs(Runs),
    /// The same if the test holds, else anywhere.
    RunsIf(StrideTest, Runs),
    /// Anywhere: a gather or a scatter.
    GatherScatter,
}

/// The only index of an address that varies among lanes.
struct VaryingIndex {
    /// Which operand it is.
    operand: u32,
    value: Value,
    /// The step in it from one element to the next one.
    step: i64,
    /// How many elements one step makes; more than 1 only where a step of 1 does.
    apart: u32,
}

impl Vectoriser<'_> {
    /// How the lanes reach elements of type `ty` at `address`. `loads`: to load them, not to store.
    pub(super) fn access_pattern(
        &mut self,
        address: Value,
        ty: Type,
        loads: bool,
    ) -> AccessPattern {
        let size = self.layout.alloc_size(ty);
        let shape = self.divergence.shape(address);
        if shape != Shape::Varying {
            return match self.run_shape(shape, size as i64, loads) {
                Some(shape) => {
                    let start = self.scalar(address);
                    AccessPattern::Runs(shape.from(self.flat(start)))
                }
                None => AccessPattern::GatherScatter,
            };
        }
        let (pointer, steps) = self.origin(address);
        let mut shape = RunShape::unit_stride(self.width);
        let (test, start) = match self.varying_index(pointer, size, loads) {
            Some(varying) => {
                let VaryingIndex { value, step, .. } = varying;
                let extended = self.extended_runs(&varying, loads);
                let test = self.test_stride(value, step, extended);
                shape = match varying.apart {
                    1 => extended.unwrap_or(shape).scaled(size as i64 / step),
                    apart => RunShape::spaced(self.width, apart),
                };
                (test, self.with_index(pointer, varying.operand, test.base))
            }
            None => {
                let test = self.test_stride(pointer, size as i64, None);
                (test, self.lane_zero_address(pointer, &test, size))
            }
        };
        let start = self.flat(start);
        let start = self.behind(start, steps);
        AccessPattern::RunsIf(test, shape.from(start))
    }

    /// The address that the steps of [`Self::origin`] lead to.
    pub(super) fn behind(&mut self, start: Value, steps: Vec<Value>) -> Value {
        steps.into_iter().rev().fold(start, |start, step| {
            let indices: Vec<_> = (1..step.operand_count())
                .map(|at| self.scalar(step.operand(at)))
                .collect();
            self.builder
                .index(step.source_element_type(), start, &indices)
        })
    }

    /// Of a varying address whose index extends a strided 32-bit value: whether that does not wrap, lane 0's address
    /// if so, and the bytes from lane to lane.
    pub(super) fn extended_stride(&mut self, address: Value) -> Option<(Value, Value, i64)> {
        let (pointer, steps) = self.origin(address);
        let (operand, index, scale) = self.only_varying(pointer)?;
        let narrow = self.extended_value(index)?;
        let Shape::Strided { stride, .. } = self.divergence.shape(narrow) else {
            return None;
        };
        if !(1..=MOST_STEP).contains(&stride) {
            return None;
        }
        let runs = RunShape::unit_stride(self.width);
        let test = self.test_stride(index, stride, Some(runs));
        let start = self.with_index(pointer, operand, test.base);
        let start = self.flat(start);
        let start = self.behind(start, steps);
        Some((test.holds, start, stride.checked_mul(scale as i64)?))
    }

    /// The 32-bit value that an index extends, if it is to be had.
    fn extended_value(&self, index: Value) -> Option<Value> {
        let extends = matches!(
            index.opcode(),
            Some(LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt)
        );
        let narrow = extends.then(|| index.operand(0))?;
        // Only the index is kept for other blocks.
        (self.is_at_hand(narrow) && narrow.ty().int_width() == 32).then_some(narrow)
    }

    /// The runs in which values of this shape lie, whose consecutive ones differ by `step`, if they do.
    pub(super) fn run_shape(&self, shape: Shape, step: i64, loads: bool) -> Option<RunShape> {
        match shape {
            Shape::Strided { stride, .. } if stride == step => {
                Some(RunShape::unit_stride(self.width))
            }
            Shape::Strided { stride, .. } => {
                let apart = self.apart(stride, step, loads)?;
                Some(RunShape::spaced(self.width, apart))
            }
            Shape::Tiled {
                columns,
                across,
                down,
                ..
            } => {
                // An inactive lane's address may lead nowhere.
                let repeated = across == 0 && loads && self.is_every_lane_active();
                (across == step || repeated).then_some(RunShape {
                    columns,
                    repeated,
                    down,
                    apart: 1,
                })
            }
            Shape::Uniform | Shape::Varying => None,
        }
    }

    /// Lane 0's address if the test holds, computed back from the first active lane's.
    fn lane_zero_address(&mut self, pointer: Value, test: &StrideTest, size: u64) -> Value {
        let int = Type::int(self.context, 64);
        let lane = Type::int(self.context, 32);
        let lane = self.builder.cast_unsigned(test.first, lane);
        let pointers = self.flat_vector(pointer);
        let there = self.builder.extract(pointers, lane);
        let back = Value::int(int, (size as i64).wrapping_neg() as u64);
        let back = self.builder.binary(LLVMOpcode::LLVMMul, test.first, back);
        self.builder.byte_offset(there, back)
    }

    /// The varying address that `address` lies a uniform number of bytes behind, and the steps that lead from there to
    /// `address`, the last one first. So neighbours of one element (`a[i - 1]`, `a[i + 1]`) share its test.
    pub(super) fn origin(&self, address: Value) -> (Value, Vec<Value>) {
        let uniform = |value: Value| self.divergence.shape(value).is_uniform();
        let (mut pointer, mut steps) = (address, Vec::new());
        loop {
            match pointer.opcode() {
                Some(LLVMOpcode::LLVMAddrSpaceCast) => {}
                Some(LLVMOpcode::LLVMGetElementPtr)
                    if pointer.operands().into_iter().skip(1).all(uniform) =>
                {
                    steps.push(pointer);
                }
                _ => return (pointer, steps),
            }
            pointer = pointer.operand(0);
        }
    }

    /// The only varying index of an address with a uniform base: its operand, and the bytes that a step in it means.
    pub(super) fn only_varying(&self, pointer: Value) -> Option<(u32, Value, u64)> {
        let uniform = |value: Value| self.divergence.shape(value).is_uniform();
        if pointer.opcode() != Some(LLVMOpcode::LLVMGetElementPtr) || !uniform(pointer.operand(0)) {
            return None;
        }
        let indices = (1..).zip(context_fields::indices(self.layout, pointer));
        let mut varying = indices.filter(|(_, (index, _))| !uniform(*index));
        match (varying.next(), varying.next()) {
            (Some((operand, (index, Some(scale)))), None) => Some((operand, index, scale)),
            _ => None,
        }
    }

    /// The only varying index of an address with a uniform base. `None` unless elements of `size` bytes are a whole
    /// number of its steps, or lie apart in steps of one.
    fn varying_index(&self, pointer: Value, size: u64, loads: bool) -> Option<VaryingIndex> {
        let (operand, index, scale) = self.only_varying(pointer)?;
        let (step, apart) = match scale {
            0 => return None,
            _ if size.is_multiple_of(scale) => ((size / scale) as i64, 1),
            _ if is_looked_up(index) => return None,
            _ => (1, self.apart(scale as i64, size as i64, loads)?),
        };
        Some(VaryingIndex {
            operand,
            value: index,
            step,
            apart,
        })
    }

    /// How many elements of `size` bytes make a distance from lane to lane, if they are accessed as spaced ones.
    fn apart(&self, distance: i64, size: i64, loads: bool) -> Option<u32> {
        // Without AVX-512, a masked store costs as much as the stores that it replaces.
        let is_cheap = loads || self.has_vpermi2d;
        let apart = (distance % size == 0).then_some(distance / size)?;
        // What lies between the elements of inactive lanes may be out of reach.
        let is_spaced = is_cheap && self.is_every_lane_active();
        (is_spaced && (2..=MOST_APART).contains(&apart)).then_some(apart as u32)
    }

    /// A `getelementptr` with index `operand` replaced.
    pub(super) fn with_index(&mut self, pointer: Value, operand: u32, index: Value) -> Value {
        let mut operands = Vec::new();
        for at in 0..pointer.operand_count() {
            operands.push(if at == operand {
                index
            } else {
                self.scalar(pointer.operand(at))
            });
        }
        self.builder
            .index(pointer.source_element_type(), operands[0], &operands[1..])
    }

    /// Tests whether an index or address grows by `step` from lane to lane, or, of an index that is extended from such
    /// runs, whether it lies in them.
    fn test_stride(&mut self, value: Value, step: i64, extended: Option<RunShape>) -> StrideTest {
        let key = (value, step, extended.is_some());
        if let Some(&known) = self.stride_tests.get(&key) {
            return known;
        }
        let test = match extended {
            Some(runs) => self.test_extension(value, runs.reach(step, self.width)),
            _ => self.test_vector(value, step),
        };
        self.stride_tests.insert(key, test);
        test
    }

    /// How many elements of `size` bytes lie from one lane's to the next one's, if they are spaced, or likely are.
    pub(super) fn spacing(&self, address: Value, size: u64) -> Option<u32> {
        let shape = self.divergence.shape(address);
        let runs = match shape {
            Shape::Varying => {
                let (pointer, _) = self.origin(address);
                let varying = self.varying_index(pointer, size, true)?;
                if varying.apart > 1 {
                    return Some(varying.apart);
                }
                self.extended_runs(&varying, true)
            }
            _ => self.run_shape(shape, size as i64, true),
        };
        runs.map(|runs| runs.apart).filter(|apart| *apart > 1)
    }

    /// The runs in which a 32-bit value lies that an index extends, if it counts upwards.
    fn extended_runs(&self, varying: &VaryingIndex, loads: bool) -> Option<RunShape> {
        let (index, step) = (varying.value, varying.step);
        let narrow = self.extended_value(index)?;
        let runs = self.run_shape(self.divergence.shape(narrow), step, loads)?;
        if varying.apart > 1 && (runs.apart > 1 || runs.columns < self.width) {
            return None;
        }
        let is_short = (1..=MOST_STEP).contains(&step) && (0..=MOST_STEP).contains(&runs.down);
        is_short.then_some(runs)
    }

    /// Tests whether a value does not wrap before it is extended, which no lane's exceeds lane 0's by more than
    /// `reach`: a scalar question.
    fn test_extension(&mut self, value: Value, reach: i64) -> StrideTest {
        use LLVMIntPredicate::{LLVMIntSLE, LLVMIntULE};
        let narrow = value.operand(0);
        let base = self.scalar(narrow);
        let is_unsigned =
            value.opcode() == Some(LLVMOpcode::LLVMZExt) && !value.is_of_nonnegative();
        let (opcode, most, at_most) = match is_unsigned {
            true => (LLVMOpcode::LLVMZExt, i64::from(u32::MAX), LLVMIntULE),
            false => (LLVMOpcode::LLVMSExt, i64::from(i32::MAX), LLVMIntSLE),
        };
        let last = Value::int(narrow.ty(), most.wrapping_sub(reach) as u64);
        let holds = self.builder.compare(at_most, base, last);
        let int = Type::int(self.context, 64);
        let base = self.builder.cast(opcode, base, int);
        let lane = self.first_lane();
        let first = self.builder.cast_unsigned(lane, int);
        StrideTest { holds, base, first }
    }

    /// Tests whether a vector grows by `step` from lane to lane.
    fn test_vector(&mut self, value: Value, step: i64) -> StrideTest {
        let int = Type::int(self.context, 64);
        let wide = int.vector(self.width);
        let vector = self.vector(value);
        let vector = if value.ty().is_pointer() {
            self.builder.cast(LLVMOpcode::LLVMPtrToInt, vector, wide)
        } else if value.ty().int_width() < 64 {
            self.builder.cast(LLVMOpcode::LLVMSExt, vector, wide)
        } else {
            vector
        };
        let lane = self.first_lane();
        let first = self.builder.cast_unsigned(lane, int);
        let steps = Value::int(int, step as u64);
        let before = self.builder.binary(LLVMOpcode::LLVMMul, first, steps);
        let there = self.builder.extract(vector, lane);
        let base = self.builder.binary(LLVMOpcode::LLVMSub, there, before);
        let bases = self.builder.splat(base, self.width);
        let expected = self
            .builder
            .binary(LLVMOpcode::LLVMAdd, bases, self.steps(int, step));
        let differ = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, vector, expected);
        let active = self.active_where(differ);
        let bits = self.bits(active);
        let holds = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, bits, Value::zero(bits.ty()));
        StrideTest { holds, base, first }
    }
}

/// Whether an index is read from memory: then it hardly counts up.
fn is_looked_up(index: Value) -> bool {
    use LLVMOpcode::*;
    match index.opcode() {
        Some(LLVMLoad) => true,
        Some(LLVMSExt | LLVMZExt | LLVMTrunc) => is_looked_up(index.operand(0)),
        _ => false,
    }
}
