//! Values in the current block: where they come from, and in which form.

use llvm_sys::LLVMOpcode;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::elected::Lane;
use crate::vgpu::warp::analysis::shape::Shape;

impl Vectoriser<'_> {
    /// The type of a mask: `<width x i1>`.
    pub(super) fn mask_type(&self) -> Type {
        Type::int(self.context, 1).vector(self.width)
    }

    /// The type of a vector with a `ty` for each lane: structures and arrays field by field.
    pub(super) fn widened(&self, ty: Type) -> Result<Type, String> {
        use llvm_sys::LLVMTypeKind::LLVMArrayTypeKind;
        if ty.is_structure() {
            let fields: Result<Vec<_>, _> = ty
                .fields()
                .into_iter()
                .map(|field| self.widened(field))
                .collect();
            return Ok(Type::structure(self.context, &fields?));
        }
        if ty.kind() == LLVMArrayTypeKind {
            return Ok(self.widened(ty.element(0))?.array(ty.array_length()));
        }
        if ty.is_int() || ty.is_float() || ty.is_pointer() {
            return Ok(ty.vector(self.width));
        }
        Err(format!("a value of type {} has no vector form", ty.print()))
    }

    /// Whether the current block can have the scalar of a uniform, strided or tiled value: it is computed here, or used
    /// by other blocks than its own.
    pub(super) fn is_at_hand(&self, value: Value) -> bool {
        !value.is_instruction()
            || self.scalars.contains_key(&value)
            || self.slots.contains_key(&value)
    }

    /// Whether the current block can have the vector of a value.
    pub(super) fn is_known(&self, value: Value) -> bool {
        self.is_at_hand(value) || self.vectors.contains_key(&value)
    }

    /// A uniform value, or lane 0's value of a strided or tiled one.
    pub(super) fn scalar(&mut self, value: Value) -> Value {
        if let Some(&known) = self
            .parameters
            .get(&value)
            .or_else(|| self.scalars.get(&value))
        {
            return known;
        }
        if !value.is_instruction() {
            return value;
        }
        let loaded = self.builder.load(value.ty(), self.slots[&value]);
        self.scalars.insert(value, loaded);
        loaded
    }

    /// The number of the elected lane that runs the current block, if one does: 32 bits.
    pub(super) fn elected_lane(&self) -> Option<Value> {
        let lane = self.divergence.elected(self.order.blocks[self.current])?;
        Some(match lane {
            Lane::Number(number) => self.int32(number.into()),
            Lane::OfMask => self.first_lane(),
        })
    }

    /// A uniform value, or where an elected lane runs the current block, that lane's value.
    pub(super) fn scalar_here(&mut self, value: Value) -> Value {
        match self.elected_lane() {
            Some(lane) => self.value_of_lane(value, lane),
            None => self.scalar(value),
        }
    }

    /// Lane `lane`'s value.
    pub(super) fn value_of_lane(&mut self, value: Value, lane: Value) -> Value {
        match self.divergence.shape(value) {
            Shape::Uniform => self.scalar(value),
            Shape::Strided { stride, .. } => {
                let base = self.scalar(value);
                self.strided_of_lane(base, stride, lane)
            }
            Shape::Tiled { .. } | Shape::Varying => {
                let vector = self.vector(value);
                self.extract_lane(vector, lane)
            }
        }
    }

    /// Lane `lane`'s number or pointer of those that begin with lane 0's `base` and differ by `stride`.
    pub(super) fn strided_of_lane(&self, base: Value, stride: i64, lane: Value) -> Value {
        let is_pointer = base.ty().is_pointer();
        let ty = match is_pointer {
            true => Type::int(self.context, 64),
            false => base.ty(),
        };
        let lane = self.builder.cast_unsigned(lane, ty);
        let stride = Value::int(ty, stride as u64);
        let steps = self.builder.binary(LLVMOpcode::LLVMMul, lane, stride);
        match is_pointer {
            true => self.builder.byte_offset(base, steps),
            false => self.builder.binary(LLVMOpcode::LLVMAdd, base, steps),
        }
    }

    /// The vector of a value, whatever its shape.
    pub(super) fn vector(&mut self, value: Value) -> Value {
        if let Some(&known) = self.vectors.get(&value) {
            return known;
        }
        let vector = match self.divergence.shape(value) {
            Shape::Uniform => {
                let scalar = self.scalar(value);
                self.broadcast(scalar)
            }
            shape @ (Shape::Strided { .. } | Shape::Tiled { .. }) => {
                let base = self.scalar(value);
                self.stepped_vector(base, |lane| shape.step(lane))
            }
            Shape::Varying => {
                let ty = self
                    .widened(value.ty())
                    .expect("slots are made of widened types");
                self.builder.load(ty, self.slots[&value])
            }
        };
        self.vectors.insert(value, vector);
        vector
    }

    /// A vector with the same value in all lanes.
    pub(super) fn broadcast(&self, scalar: Value) -> Value {
        use llvm_sys::LLVMTypeKind::LLVMArrayTypeKind;
        let ty = scalar.ty();
        let count = match ty.kind() {
            LLVMArrayTypeKind => ty.array_length() as u32,
            _ if ty.is_structure() => ty.fields().len() as u32,
            _ => return self.builder.splat(scalar, self.width),
        };
        let wide = self.widened(ty).expect("its parts were widened before");
        (0..count).fold(Value::poison(wide), |whole, index| {
            let part = self.broadcast(self.builder.field(scalar, index));
            self.builder.insert_field(whole, part, index)
        })
    }

    /// `base` plus what `step` gives for each lane.
    fn stepped_vector(&self, base: Value, step: impl Fn(i64) -> i64) -> Value {
        let ty = base.ty();
        if ty.is_pointer() {
            let steps = self.lanes_constant(Type::int(self.context, 64), step);
            let byte = Type::int(self.context, 8);
            return self.builder.index(byte, base, &[steps]);
        }
        let steps = self.lanes_constant(ty, step);
        let bases = self.builder.splat(base, self.width);
        self.builder.binary(LLVMOpcode::LLVMAdd, bases, steps)
    }

    /// 0, `stride`, 2 `stride` … as a constant.
    pub(super) fn steps(&self, ty: Type, stride: i64) -> Value {
        self.lanes_constant(ty, |lane| stride.wrapping_mul(lane))
    }

    /// A constant vector, with what `of` gives for each lane.
    fn lanes_constant(&self, ty: Type, of: impl Fn(i64) -> i64) -> Value {
        let lanes = 0..i64::from(self.width);
        let all: Vec<_> = lanes.map(|lane| Value::int(ty, of(lane) as u64)).collect();
        Value::vector(&all)
    }

    /// Makes `scalar` the value of a uniform, strided or tiled instruction.
    pub(super) fn define_scalar(&mut self, instruction: Value, scalar: Value) {
        self.scalars.insert(instruction, scalar);
        if let Some(&slot) = self.slots.get(&instruction) {
            self.builder.store(scalar, slot);
        }
    }

    /// Makes `vector` the value of a varying instruction.
    pub(super) fn define_vector(&mut self, instruction: Value, vector: Value) {
        self.vectors.insert(instruction, vector);
        if let Some(&slot) = self.slots.get(&instruction) {
            self.builder.store(vector, slot);
        }
    }

    /// A constant of 32 bits.
    fn int32(&self, value: u64) -> Value {
        Value::int(Type::int(self.context, 32), value)
    }

    /// The active lanes in which `condition` holds. In the other lanes `condition` may be poison, so an `and` would
    /// not do.
    pub(super) fn active_where(&self, condition: Value) -> Value {
        let nowhere = Value::zero(self.mask_type());
        self.builder.select(self.mask, condition, nowhere)
    }

    /// The active lanes as the bits of an integer of `width` bits.
    pub(super) fn mask_bits(&self) -> Value {
        self.bits(self.mask)
    }

    /// A mask as the bits of an integer.
    pub(super) fn bits(&self, mask: Value) -> Value {
        let int = Type::int(self.context, self.width);
        self.builder.cast(LLVMOpcode::LLVMBitCast, mask, int)
    }

    /// The number of the first active lane, 32 bits.
    pub(super) fn first_lane(&self) -> Value {
        let bits = self.mask_bits();
        self.count_trailing(bits)
    }

    /// The number of trailing zeros of a non-zero mask, 32 bits.
    pub(super) fn count_trailing(&self, bits: Value) -> Value {
        let count = self.module.intrinsic("llvm.cttz", &[bits.ty()]);
        let yes = Value::int(Type::int(self.context, 1), 1);
        let lane = self.builder.call_function(count, &[bits, yes]);
        self.builder
            .cast_unsigned(lane, Type::int(self.context, 32))
    }

    /// The number of the last active lane, 32 bits.
    pub(super) fn last_lane(&self) -> Value {
        let bits = self.mask_bits();
        let count = self.module.intrinsic("llvm.ctlz", &[bits.ty()]);
        let yes = Value::int(Type::int(self.context, 1), 1);
        let above = self.builder.call_function(count, &[bits, yes]);
        let above = self
            .builder
            .cast_unsigned(above, Type::int(self.context, 32));
        let top = self.int32(u64::from(self.width) - 1);
        self.builder.binary(LLVMOpcode::LLVMSub, top, above)
    }

    /// Whether a load reads a field of the context, which is the same for the whole subgroup.
    pub(super) fn is_context_load(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMLoad)
            && context_fields::context_field(instruction).is_some()
    }
}
