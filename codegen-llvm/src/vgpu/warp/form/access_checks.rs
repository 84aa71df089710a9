//! Announced accesses (pass `access-checks`) of many lanes at once.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::AccessKind;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

/// Most bytes whose shadow is tested at once.
const LARGEST_TEST: u64 = 512;

impl Vectoriser<'_> {
    /// `vgpu.check_access(address, size, value, site, kind)`: one call of the engine for all lanes.
    pub(super) fn access_check(&mut self, call: Value) -> Result<(), Refusal> {
        let [address, size, value, site, kind] = self.five(call)?;
        if !self.divergence.shape(size).is_uniform() {
            return self.access_check_per_lane(call);
        }
        let size = self.scalar(size);
        let (kind, value) = self.written_value(kind, value);
        let (lanes, cx) = (self.lanes(), self.cx);
        let stride = match self.divergence.shape(address) {
            Shape::Uniform => Some(0),
            Shape::Strided { stride, .. } => Some(stride),
            Shape::Tiled { .. } | Shape::Varying => None,
        };
        let common = [cx, site, kind, size, lanes, value];
        let Some(stride) = stride else {
            let pointers = self.flat_vector(address);
            let slot = self.lane_slot(pointers.ty(), &[]);
            self.builder.store(pointers, slot);
            self.engine_check("vgpu_warp_access_each", &[&common[..], &[slot]].concat());
            return Ok(());
        };
        let first = self.scalar(address);
        let first = self.flat(first);
        let step = Value::int(Type::int(self.context, 64), stride as u64);
        let arguments = [&common[..], &[first, step]].concat();
        match self.bytes_of_all(stride, size) {
            Some((before, bytes)) if !self.checks.race => {
                let low = self.offset_by(first, -(before as i64));
                self.unless_plain(low, bytes, |vectoriser| {
                    vectoriser.engine_check("vgpu_warp_access", &arguments);
                });
            }
            _ => _ = self.engine_check("vgpu_warp_access", &arguments),
        }
        Ok(())
    }

    /// The range of all lanes' accesses without gaps: its bytes before lane 0's address, and all of them.
    fn bytes_of_all(&self, stride: i64, size: Value) -> Option<(u64, u64)> {
        let size = size.as_int()?;
        let between = stride.unsigned_abs() * u64::from(self.width - 1);
        let dense = stride.unsigned_abs() <= size && size > 0;
        let before = if stride < 0 { between } else { 0 };
        (dense && between + size <= LARGEST_TEST).then_some((before, between + size))
    }

    /// Calls the engine unless all of a range may be accessed and, where that is checked, was written. The test takes
    /// whole bytes of the shadow, so it may fail near the end of an allocation. Any address has a shadow.
    fn unless_plain(&mut self, low: Value, bytes: u64, call: impl FnOnce(&mut Self)) {
        let int = Type::int(self.context, 64);
        let number = |value| Value::int(int, value);
        let bits = self.builder.cast(LLVMOpcode::LLVMPtrToInt, low, int);
        let offset = self.builder.binary(
            LLVMOpcode::LLVMAnd,
            bits,
            number((1 << vgpu_abi::WINDOW_SHIFT) - 1),
        );
        let byte = self.builder.binary(LLVMOpcode::LLVMLShr, offset, number(3));
        let touched = (bytes + 6) / 8 + 1;
        let test = Type::int(self.context, 8 * touched as u32);
        let shadows = [vgpu_abi::ACCESSIBLE_SHADOW, vgpu_abi::WRITTEN_SHADOW];
        let count = if self.checks.init { 2 } else { 1 };
        let words = shadows[..count].iter().map(|&base| {
            let at = self.builder.binary(LLVMOpcode::LLVMAdd, byte, number(base));
            let pointer = Type::pointer(self.context);
            let at = self.builder.cast(LLVMOpcode::LLVMIntToPtr, at, pointer);
            let word = self.builder.load(test, at);
            word.set_alignment(1);
            word
        });
        let both = words
            .reduce(|a, b| self.builder.binary(LLVMOpcode::LLVMAnd, a, b))
            .unwrap_or_else(|| Value::zero(test));
        let ones = Value::all_ones(test);
        let suspect = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, both, ones);
        self.if_unlikely(suspect, call);
    }

    /// The same where each lane has a size of its own.
    fn access_check_per_lane(&mut self, call: Value) -> Result<(), Refusal> {
        let [address, size, value, site, kind] = self.five(call)?;
        let (pointers, sizes) = (self.flat_vector(address), self.vector(size));
        let (kind, value) = self.written_value(kind, value);
        self.for_each_lane(None, |vectoriser, lane| {
            let one = vectoriser.lane_bit(lane);
            let first = vectoriser.extract_lane(pointers, lane);
            let size = vectoriser.extract_lane(sizes, lane);
            let none = Value::zero(one.ty());
            let arguments = [vectoriser.cx, site, kind, size, one, value, first, none];
            vectoriser.engine_check("vgpu_warp_access", &arguments)
        });
        Ok(())
    }

    /// `vgpu.check_object(object, extent, address, size, site, kind)`: a comparison, and a call for each lane if any
    /// lane is outside.
    pub(super) fn object_check(&mut self, call: Value) -> Result<(), Refusal> {
        let [object, extent, address, size, site, kind] = call.arguments()[..] else {
            return Err(self.malformed(call));
        };
        let int = Type::int(self.context, 64);
        let wide = int.vector(self.width);
        let (objects, addresses) = (self.flat_vector(object), self.flat_vector(address));
        let number = |vectoriser: &Self, pointers| {
            vectoriser
                .builder
                .cast(LLVMOpcode::LLVMPtrToInt, pointers, wide)
        };
        let (first, bits) = (number(self, objects), number(self, addresses));
        let offset = self.builder.binary(LLVMOpcode::LLVMSub, bits, first);
        let (extents, sizes) = (self.vector(extent), self.vector(size));
        let room = self.builder.binary(LLVMOpcode::LLVMSub, extents, sizes);
        let outside = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntUGT, offset, room);
        let any = self.any_active(outside);
        self.if_unlikely(any, |vectoriser| {
            vectoriser.for_each_lane(None, |vectoriser, lane| {
                vectoriser.announce_lane(lane);
                let one = |vector| vectoriser.extract_lane(vector, lane);
                let (object, address) = (one(objects), one(addresses));
                let (extent, size) = (one(extents), one(sizes));
                let arguments = [vectoriser.cx, site, kind, size, address, object, extent];
                vectoriser.engine_check("vgpu_outside", &arguments)
            });
        });
        Ok(())
    }

    /// `vgpu.check_fence(kind)`.
    pub(super) fn fence_check(&mut self, call: Value) -> Result<(), Refusal> {
        let (lanes, cx) = (self.lanes(), self.cx);
        self.engine_check("vgpu_warp_fence", &[cx, call.operand(0), lanes]);
        Ok(())
    }

    /// `vgpu.check_sync(mask)`. The active lanes are those of the mask that are in this code.
    pub(super) fn sync_check(&mut self) -> Result<(), Refusal> {
        let (lanes, cx) = (self.lanes(), self.cx);
        self.engine_check("vgpu_warp_meet", &[cx, lanes]);
        Ok(())
    }

    /// The active lanes, a bit each of 64.
    fn lanes(&self) -> Value {
        let bits = self.mask_bits();
        self.builder
            .cast_unsigned(bits, Type::int(self.context, 64))
    }

    /// The bit of one lane, of 64.
    fn lane_bit(&self, lane: Value) -> Value {
        let int = Type::int(self.context, 64);
        let lane = self.builder.cast_unsigned(lane, int);
        self.builder
            .binary(LLVMOpcode::LLVMShl, Value::int(int, 1), lane)
    }

    /// Calls one of the engine's functions for checked code ([`vgpu_abi::CHECK_SYMBOLS`]).
    fn engine_check(&self, name: &str, arguments: &[Value]) -> Value {
        let parameters: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
        let ty = Type::function(Type::void(self.context), &parameters);
        let function = self.module.declare(name, ty);
        function.add_attribute(self.context, "nounwind");
        self.builder.call_function(function, arguments)
    }

    /// The kind of an access, and the value that all lanes write, if they write the same.
    fn written_value(&mut self, kind: Value, value: Value) -> (Value, Value) {
        if self.divergence.shape(value).is_uniform() {
            return (kind, self.scalar(value));
        }
        let bits = AccessKind(kind.as_int().unwrap_or(0) as u32).without(AccessKind::VALUE);
        (
            Value::int(kind.ty(), bits.0.into()),
            Value::zero(value.ty()),
        )
    }

    fn five(&self, call: Value) -> Result<[Value; 5], Refusal> {
        call.arguments()
            .try_into()
            .map_err(|_| self.malformed(call))
    }

    fn malformed(&self, call: Value) -> Refusal {
        Refusal::at(self.context, call, "an announced access is malformed")
    }
}
