//! Shuffles: each lane takes the value of another one.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::ShuffleMode;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// `vgpu_shfl(cx, site, mask, mode, value, b, c)` as the PTX ISA specifies "shfl.sync". `from` is the source lane
    /// `j`, and `inside` tells whether it lies in the segment. The result has 32 bits of value, then the predicate.
    pub(super) fn shuffle(&mut self, call: Value) -> Result<(), Refusal> {
        use LLVMOpcode::{LLVMAdd, LLVMAnd, LLVMOr, LLVMShl, LLVMSub, LLVMXor};
        let arguments = call.arguments();
        let Some(mode) = arguments[3].as_int() else {
            return Err(Refusal::at(
                self.context,
                call,
                "the kind of a shuffle is only known at run time",
            ));
        };
        if self.width != 32 {
            let what = "a shuffle needs warps of 32 lanes";
            return Err(Refusal::at(self.context, call, what));
        }
        let int = Type::int(self.context, 32);
        let constant = |value: u64| self.builder.splat(Value::int(int, value), self.width);
        let (five, eight) = (constant(31), constant(8));
        let lane = self.steps(int, 1);
        let (value, b, c) = (
            self.vector(arguments[4]),
            self.vector(arguments[5]),
            self.vector(arguments[6]),
        );
        let is_uniform = self.divergence.shape(arguments[5]).is_uniform();
        let common = is_uniform.then(|| self.scalar(arguments[5]));
        let builder = &self.builder;
        let op = |opcode, left, right| builder.binary(opcode, left, right);
        let by = op(LLVMAnd, b, five);
        let segments = op(LLVMOpcode::LLVMLShr, c, eight);
        let segments = op(LLVMAnd, segments, five);
        let others = op(LLVMXor, segments, five);
        let clamp = op(LLVMAnd, c, others);
        let lowest = op(LLVMAnd, lane, segments);
        let highest = op(LLVMOr, lowest, clamp);
        let up = mode == ShuffleMode::Up as u64;
        let slides = up || mode == ShuffleMode::Down as u64;
        let from = match mode {
            _ if up => op(LLVMSub, lane, by),
            _ if mode == ShuffleMode::Down as u64 => op(LLVMAdd, lane, by),
            _ if mode == ShuffleMode::Bfly as u64 => op(LLVMXor, lane, by),
            _ => op(LLVMOr, lowest, op(LLVMAnd, by, others)),
        };
        let bound = if up {
            LLVMIntPredicate::LLVMIntSGE
        } else {
            LLVMIntPredicate::LLVMIntSLE
        };
        let inside = builder.compare(bound, from, highest);
        let from = builder.select(inside, from, lane);
        let distance =
            common.filter(|_| slides && !from.is_constant() && !self.has_permutation(value));
        let (moved, inside) = match distance {
            Some(distance) => {
                let distance = builder.binary(LLVMAnd, distance, Value::int(int, 31));
                let whole = if up { 0 } else { 31 };
                let inside = (arguments[6].as_int() != Some(whole)).then_some(inside);
                self.slide(value, distance, up, inside)
            }
            None => {
                // An inactive lane gives nothing: the reader keeps its own value.
                let lanes = builder.splat(self.mask_bits(), self.width);
                let there = op(LLVMOpcode::LLVMLShr, lanes, from);
                let there = builder.cast(LLVMOpcode::LLVMTrunc, there, self.mask_type());
                // Selected afterwards, so that a constant `from` stays constant.
                let moved = self.permute(value, from);
                (builder.select(there, moved, value), inside)
            }
        };
        let wide = Type::int(self.context, 64).vector(self.width);
        let low = self.builder.cast(LLVMOpcode::LLVMZExt, moved, wide);
        let flag = self.builder.cast(LLVMOpcode::LLVMZExt, inside, wide);
        let thirty_two = self
            .builder
            .splat(Value::int(Type::int(self.context, 64), 32), self.width);
        let high = self.builder.binary(LLVMShl, flag, thirty_two);
        let both = self.builder.binary(LLVMOr, low, high);
        self.define_vector(call, both);
        Ok(())
    }

    /// A shuffle where all lanes look equally far, `distance` lanes further or, for `up`, back: a load that starts so
    /// many elements from where the vector was stored, on the stack. `inside` tells whether the source lies in the
    /// lane's segment, if there are segments. Gives the values, and whether the source is inside.
    fn slide(
        &self,
        value: Value,
        distance: Value,
        up: bool,
        inside: Option<Value>,
    ) -> (Value, Value) {
        use LLVMOpcode::{LLVMLShr, LLVMShl, LLVMSub, LLVMZExt};
        let builder = &self.builder;
        let element = value.ty().element(0);
        let slot = self.slot(element.vector(2 * self.width));
        let at = |index: Value| builder.element_pointer(element, slot, &[index]);
        let index = Type::int(self.context, 64);
        let middle = Value::int(index, u64::from(self.width));
        let lanes = builder.cast(LLVMZExt, distance, index);
        let (stored, loaded) = match up {
            true => (at(middle), at(builder.binary(LLVMSub, middle, lanes))),
            false => (slot, at(lanes)),
        };
        builder.store(value, stored);
        let moved = builder.load(value.ty(), loaded);
        moved.set_alignment(self.layout.alignment(element) as u32);
        // What lies beyond the vector was never stored, and no lane takes it.
        let towards_readers = if up { LLVMShl } else { LLVMLShr };
        let reach = |lanes| {
            let readers = builder.binary(towards_readers, lanes, distance);
            builder.cast(LLVMOpcode::LLVMBitCast, readers, self.mask_type())
        };
        let active = reach(self.mask_bits());
        let (there, inside) = match inside {
            Some(inside) => (builder.binary(LLVMOpcode::LLVMAnd, active, inside), inside),
            None => (active, reach(Value::all_ones(distance.ty()))),
        };
        (builder.select(there, moved, value), inside)
    }

    /// Whether the CPU permutes lanes of this vector as a vector says.
    fn has_permutation(&self, value: Value) -> bool {
        let element = value.ty().element(0);
        self.has_vpermi2d && self.width == 32 && element == Type::int(self.context, 32)
    }

    /// The vector whose lane `l` is lane `from[l]` of `value`: a `shufflevector` for constant lanes, else the CPU's
    /// permutation where it has one, else a gather from the stack.
    pub(super) fn permute(&self, value: Value, from: Value) -> Value {
        if from.is_constant() {
            return self.builder.shuffle(value, from);
        }
        let element = value.ty().element(0);
        if self.has_permutation(value) {
            let half = |vector, first| self.builder.shuffle_both(vector, vector, first..first + 16);
            let (low, high) = (half(value, 0), half(value, 16));
            let permute = self
                .module
                .intrinsic("llvm.x86.avx512.vpermi2var.d.512", &[]);
            let [first, second] = [0, 16].map(|at| {
                self.builder
                    .call_function(permute, &[low, half(from, at), high])
            });
            return self.builder.shuffle_both(first, second, 0..32);
        }
        let slot = self.slot(value.ty());
        self.builder.store(value, slot);
        let pointers = self.element_pointers(slot, element, from);
        let types = [value.ty(), pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.gather", &types);
        let call = self
            .builder
            .call_function(function, &[pointers, self.mask, value]);
        call.align_argument(self.context, 0, self.layout.alignment(element));
        call
    }
}
