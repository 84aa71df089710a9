//! Announced accesses (pass `access-checks`) of many lanes at once.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::AccessKind;

use super::vectoriser::Vectoriser;
use crate::ir::{Builder, Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

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
        let (name, place) = match stride {
            Some(stride) => {
                let first = self.scalar(address);
                let stride = Value::int(Type::int(self.context, 64), stride as u64);
                ("vgpu_warp_access", vec![self.flat(first), stride])
            }
            None => {
                let pointers = self.flat_vector(address);
                let slot = self.lane_slot(pointers.ty(), &[]);
                self.builder.store(pointers, slot);
                ("vgpu_warp_access_each", vec![slot])
            }
        };
        let arguments = [vec![cx, site, kind, size, lanes, value], place].concat();
        self.engine_check(name, &arguments);
        Ok(())
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
        let active = self.active_where(outside);
        let bits = self.bits(active);
        let any = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, bits, Value::zero(bits.ty()));
        let (cold, done) = (
            Builder::append_block(self.context, self.function, ""),
            Builder::append_block(self.context, self.function, ""),
        );
        self.builder.branch_likely(any, cold, done);
        self.builder.move_to_end(cold);
        self.for_each_lane(None, |vectoriser, lane| {
            vectoriser.announce_lane(lane);
            let one = |vector| vectoriser.extract_lane(vector, lane);
            let (object, address) = (one(objects), one(addresses));
            let (extent, size) = (one(extents), one(sizes));
            let arguments = [vectoriser.cx, site, kind, size, address, object, extent];
            vectoriser.engine_check("vgpu_outside", &arguments)
        });
        self.builder.jump(done);
        self.builder.move_to_end(done);
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
