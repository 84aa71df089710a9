//! Announced accesses (pass `access-checks`) of many lanes at once.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::AccessKind;

use super::access_pattern::AccessPattern;
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// `vgpu.check_access(address, size, value, site, kind)`: one call of the engine for all lanes.
    pub(super) fn access_check(&mut self, call: Value) -> Result<(), Refusal> {
        let [address, size, value, site, kind] = self.five(call)?;
        if !self.divergence.shape(size).is_uniform() {
            return self.access_check_of_sizes(call);
        }
        let announced = AccessKind(kind.as_int().unwrap_or(0) as u32);
        // Nobody races with a thread's own variables, and only the bounds of what is not the program's matter.
        let alone = announced.has(AccessKind::PRIVATE)
            || announced.has(AccessKind::FOREIGN) && !announced.has(AccessKind::ATOMIC);
        let is_tested = !announced.has(AccessKind::FRESH) && (alone || !self.checks.race);
        let bytes = size.as_int().filter(|_| is_tested);
        let size = self.scalar(size);
        let (kind, value) = self.written_value(kind, value);
        let (lanes, cx) = (self.lanes(), self.cx);
        let common = [cx, site, kind, size, lanes, value];
        let stride = match self.divergence.shape(address) {
            Shape::Uniform => Some(0),
            Shape::Strided { stride, .. } => Some(stride),
            Shape::Tiled { .. } | Shape::Varying => None,
        };
        let dense = |bytes| self.bytes_of_all(stride?, bytes);
        match (stride, bytes.and_then(dense), bytes) {
            (Some(stride), Some((before, bytes)), _) => {
                let first = self.first_address(address);
                let low = self.offset_by(first, -(before as i64));
                let suspect = self.suspect_range(low, bytes);
                self.if_unlikely(suspect, |vectoriser| {
                    vectoriser.check_strided(&common, first, stride);
                });
            }
            (_, None, Some(bytes)) if Self::fits_shadow_word(bytes) => {
                let loads = !announced.has(AccessKind::WRITE);
                let suspect = self.suspect_accesses(address, bytes, loads);
                self.if_unlikely(suspect, |vectoriser| {
                    let pointers = vectoriser.on_side_path(|it| it.flat_vector(address));
                    vectoriser.check_each(&common, pointers);
                });
            }
            (Some(stride), _, _) => {
                let first = self.first_address(address);
                self.check_strided(&common, first, stride);
            }
            _ => self.check_where_lanes_are(&common, address, call.operand(1).as_int()),
        }
        Ok(())
    }

    /// Has the engine compare accesses whose addresses differ in another way than by one distance.
    fn check_where_lanes_are(&mut self, common: &[Value], address: Value, size: Option<u64>) {
        if let Shape::Tiled {
            columns,
            across,
            down,
            ..
        } = self.divergence.shape(address)
        {
            let first = self.first_address(address);
            return self.check_tile(common, first, (columns, across, down));
        }
        let element = size.filter(|size| size.is_power_of_two() && *size <= 16);
        let pattern = element.map(|size| {
            // As of a store: elements of a row are apart only where they surely are.
            let ty = Type::int(self.context, 8 * size as u32);
            (self.access_pattern(address, ty, false), size)
        });
        let Some((AccessPattern::RunsIf(test, runs), size)) = pattern else {
            let pointers = self.flat_vector(address);
            return self.check_each(common, pointers);
        };
        let (near, far, done) = self.fork(test.holds);
        self.builder.move_to_end(near);
        match runs.tile(self.width, size) {
            (_, across, None) => self.check_strided(common, runs.start(), across),
            (columns, across, Some(down)) => {
                self.check_tile(common, runs.start(), (columns, across, down));
            }
        }
        self.builder.jump(done);
        self.builder.move_to_end(far);
        let pointers = self.on_side_path(|it| it.rematerialise_pointers(address));
        self.check_each(common, pointers);
        self.builder.jump(done);
        self.builder.move_to_end(done);
    }

    /// The flat address of lane 0's access.
    fn first_address(&mut self, address: Value) -> Value {
        let first = self.scalar(address);
        self.flat(first)
    }

    /// Has the engine compare accesses at equal distances.
    fn check_strided(&mut self, common: &[Value], first: Value, stride: i64) {
        let step = Value::int(Type::int(self.context, 64), stride as u64);
        self.engine_check("vgpu_warp_access", &[common, &[first, step]].concat());
    }

    /// Has the engine compare accesses of rows of lanes: so many columns, the distance across and the one down.
    fn check_tile(&mut self, common: &[Value], first: Value, tile: (u32, i64, i64)) {
        let (columns, across, down) = tile;
        let int = Type::int(self.context, 64);
        let columns = Value::int(Type::int(self.context, 32), columns.into());
        let [across, down] = [across, down].map(|distance| Value::int(int, distance as u64));
        let arguments = [common, &[first, columns, across, down]].concat();
        self.engine_check("vgpu_warp_access_tile", &arguments);
    }

    /// Has the engine compare the access of each lane.
    fn check_each(&mut self, common: &[Value], pointers: Value) {
        let slot = self.lane_slot(pointers.ty(), &[]);
        self.builder.store(pointers, slot);
        self.engine_check("vgpu_warp_access_each", &[common, &[slot]].concat());
    }

    /// The same where each lane has a size of its own.
    fn access_check_of_sizes(&mut self, call: Value) -> Result<(), Refusal> {
        let [address, size, value, site, kind] = self.five(call)?;
        let (pointers, sizes) = (self.flat_vector(address), self.vector(size));
        let (kind, value) = self.written_value(kind, value);
        let [pointers, sizes] = [pointers, sizes].map(|vector| {
            let slot = self.lane_slot(vector.ty(), &[]);
            self.builder.store(vector, slot);
            slot
        });
        let (lanes, cx) = (self.lanes(), self.cx);
        let arguments = [cx, site, kind, lanes, value, pointers, sizes];
        self.engine_check("vgpu_warp_access_sizes", &arguments);
        Ok(())
    }

    /// `vgpu.check_object(object, extent, address, size, site, kind, declaration)`: a comparison, and a call for each
    /// lane if any lane is outside.
    pub(super) fn object_check(&mut self, call: Value) -> Result<(), Refusal> {
        let [object, extent, address, size, site, kind, declaration] = call.arguments()[..] else {
            return Err(self.malformed(call));
        };
        if let (Some(stride), Some(extent), Some(size)) = (
            self.common_stride(object, address),
            extent.as_int(),
            size.as_int(),
        ) {
            let place = [site, kind, declaration];
            self.object_check_at_once((object, extent), (address, size), stride, place);
            return Ok(());
        }
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
                let arguments = [
                    vectoriser.cx,
                    site,
                    kind,
                    size,
                    address,
                    object,
                    extent,
                    declaration,
                ];
                vectoriser.engine_check("vgpu_outside", &arguments)
            });
        });
        Ok(())
    }

    /// The distance from lane to lane of two addresses, if that is the same: then they lie equally far apart in all
    /// lanes.
    fn common_stride(&self, object: Value, address: Value) -> Option<i64> {
        let stride = |value| match self.divergence.shape(value) {
            Shape::Uniform => Some(0),
            Shape::Strided { stride, .. } => Some(stride),
            Shape::Tiled { .. } | Shape::Varying => None,
        };
        let common = stride(object)?;
        (stride(address) == Some(common)).then_some(common)
    }

    /// One comparison of lane 0's addresses for all lanes, and a call for each lane if they are outside.
    fn object_check_at_once(
        &mut self,
        (object, extent): (Value, u64),
        (address, size): (Value, u64),
        stride: i64,
        [site, kind, declaration]: [Value; 3],
    ) {
        let int = Type::int(self.context, 64);
        let number = |value| Value::int(int, value);
        let (object, address) = (self.first_address(object), self.first_address(address));
        let bits = |pointer| self.builder.cast(LLVMOpcode::LLVMPtrToInt, pointer, int);
        let (first, place) = (bits(object), bits(address));
        let offset = self.builder.binary(LLVMOpcode::LLVMSub, place, first);
        let room = number(extent.wrapping_sub(size));
        let outside = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntUGT, offset, room);
        self.if_unlikely(outside, |vectoriser| {
            vectoriser.for_each_lane(None, |vectoriser, lane| {
                vectoriser.announce_lane(lane);
                let builder = &vectoriser.builder;
                let lane = builder.cast_unsigned(lane, int);
                let step = builder.binary(LLVMOpcode::LLVMMul, lane, number(stride as u64));
                let of_lane = |pointer| builder.byte_offset(pointer, step);
                let (object, address) = (of_lane(object), of_lane(address));
                let arguments = [
                    vectoriser.cx,
                    site,
                    kind,
                    number(size),
                    address,
                    object,
                    number(extent),
                    declaration,
                ];
                vectoriser.engine_check("vgpu_outside", &arguments)
            });
        });
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

    /// `vgpu.check_members(mask, site)`.
    pub(super) fn members_check(&mut self, call: Value) -> Result<(), Refusal> {
        let [mask, site] = call.arguments()[..] else {
            return Err(self.malformed(call));
        };
        let (cx, int) = (self.cx, Type::int(self.context, 64));
        if self.divergence.shape(mask).is_uniform() {
            let mask = self.scalar(mask);
            let mask = self.builder.cast_unsigned(mask, int);
            let lanes = self.lanes();
            self.engine_check("vgpu_warp_members", &[cx, site, mask, lanes]);
            return Ok(());
        }
        let masks = self.vector(mask);
        self.for_each_lane(None, |vectoriser, lane| {
            let mask = vectoriser.extract_lane(masks, lane);
            let mask = vectoriser.builder.cast_unsigned(mask, int);
            let lanes = vectoriser.lanes();
            vectoriser.engine_check("vgpu_warp_members", &[cx, site, mask, lanes])
        });
        Ok(())
    }

    /// The active lanes, a bit each of 64.
    fn lanes(&self) -> Value {
        let bits = self.mask_bits();
        self.builder
            .cast_unsigned(bits, Type::int(self.context, 64))
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
