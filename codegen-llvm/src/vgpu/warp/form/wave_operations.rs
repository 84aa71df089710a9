//! AMD's operations across lanes: `vgpu_wave(cx, site, op, value, lane, fallback)` on 64-bit values.
//!
//! They have no member masks. The lanes that are at one together take part, which are the active ones: in a warp form
//! the lanes at the earliest block run first, and the engine has the same rule for the threads that converge
//! (docs/vgpu.md).

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::{WAVE_REDUX, WaveOp};

use super::reduction::Reduction;
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Any of them.
    pub(super) fn wave_operation(&mut self, call: Value) -> Result<(), Refusal> {
        let arguments = call.arguments();
        let operation = arguments[2].as_int();
        let is = |op: WaveOp| operation == Some(op as u64);
        if is(WaveOp::Sync) {
            return Ok(());
        }
        if is(WaveOp::Gather) || is(WaveOp::Scatter) {
            let result = match is(WaveOp::Gather) {
                true => self.wave_gather(&arguments),
                false => self.wave_scatter(&arguments),
            };
            self.define_vector(call, result);
            return Ok(());
        }
        let result = if is(WaveOp::Ballot) {
            self.predicate_bits(arguments[3])
        } else if is(WaveOp::First) {
            let (values, lane) = (self.vector(arguments[3]), self.first_lane());
            self.extract_lane(values, lane)
        } else if let Some(reduction) = operation
            .and_then(|number| number.checked_sub(WAVE_REDUX.into()))
            .and_then(Reduction::with_number)
        {
            self.reduce_active(arguments[3], &reduction)
        } else {
            let what = "an operation across lanes is only known at run time";
            return Err(Refusal::at(self.context, call, what));
        };
        self.define_scalar(call, result);
        Ok(())
    }

    /// The value of the lane that each lane names, or the fallback.
    fn wave_gather(&mut self, arguments: &[Value]) -> Value {
        let (from, there) = self.partners(arguments[4]);
        let value = self.vector(arguments[3]);
        let moved = self.permute(value, from);
        let fallback = self.vector(arguments[5]);
        self.builder.select(there, moved, fallback)
    }

    /// The value that the last lane that named it gave each lane, or the fallback: `llvm.masked.scatter` writes in the
    /// order of the lanes.
    fn wave_scatter(&mut self, arguments: &[Value]) -> Value {
        let (to, there) = self.partners(arguments[4]);
        let (value, fallback) = (self.vector(arguments[3]), self.vector(arguments[5]));
        let given = self.active_where(there);
        let slot = self.slot(value.ty());
        self.builder.store(fallback, slot);
        let element = value.ty().element(0);
        let pointers = self.element_pointers(slot, element, to);
        let types = [value.ty(), pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.scatter", &types);
        let call = self
            .builder
            .call_function(function, &[value, pointers, given]);
        call.align_argument(self.context, 1, self.layout.alignment(element));
        self.builder.load(value.ty(), slot)
    }

    /// The lanes that `lane` names, kept in range, and whether they are active.
    fn partners(&mut self, lane: Value) -> (Value, Value) {
        let int = Type::int(self.context, 32);
        let splat = |value: u32| {
            self.builder
                .splat(Value::int(int, value.into()), self.width)
        };
        let (last, size) = (splat(self.width - 1), splat(self.width));
        let named = self.vector(lane);
        let inside = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntULT, named, size);
        let lane = self.builder.binary(LLVMOpcode::LLVMAnd, named, last);
        let bits = self.mask_bits();
        let shift = match bits.ty().int_width() {
            32 => lane,
            _ => self
                .builder
                .cast(LLVMOpcode::LLVMZExt, lane, bits.ty().vector(self.width)),
        };
        let bits = self.builder.splat(bits, self.width);
        let there = self.builder.binary(LLVMOpcode::LLVMLShr, bits, shift);
        let there = self
            .builder
            .cast(LLVMOpcode::LLVMTrunc, there, self.mask_type());
        let there = self.builder.binary(LLVMOpcode::LLVMAnd, inside, there);
        (lane, there)
    }

    /// The active lanes' values, reduced to one.
    fn reduce_active(&mut self, value: Value, reduction: &Reduction) -> Value {
        let values = self.vector(value);
        self.reduce_lanes(reduction, values, self.mask)
    }
}
