//! Loads and stores.
//!
//! One address for all lanes: one access. Consecutive elements: a masked vector. Else a gather or a scatter, unless a
//! test at run time shows that the elements are consecutive after all: the bounds of a loop over threads' shares of
//! iterations hide that from the compiler, though nearly all programs are written that way.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::Vectoriser;
use crate::ir::{Block, Builder, Type, Value};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

/// The outcome of a test at run time.
#[derive(Clone, Copy)]
pub(super) struct StrideTest {
    /// Whether the active lanes' values count up.
    pub(super) holds: Value,
    /// If so, the value that lane 0 has or would have, of 64 bits.
    base: Value,
    /// The first active lane, of 64 bits.
    first: Value,
}

/// How a vector of elements is reached.
pub(super) enum AccessPattern {
    /// From one address on.
    UnitStride(Value),
    /// From the address on if the test holds.
    UnitStrideIf(StrideTest, Value),
    /// Anywhere.
    GatherScatter,
}

impl Vectoriser<'_> {
    /// A load.
    pub(super) fn load(&mut self, load: Value) -> Result<(), Refusal> {
        let address = load.operand(0);
        if self.vectors.contains_key(&load) {
            // With a neighbour.
            return Ok(());
        }
        if self.is_context_load(load) || self.divergence.shape(address).is_uniform() {
            let value = self.once(load);
            self.define_scalar(load, value);
            return Ok(());
        }
        if load.is_volatile() || load.is_atomic() || !context_fields::is_element(load.ty()) {
            return self.lane_by_lane(load, false);
        }
        let ty = load.ty().vector(self.width);
        let alignment = load.alignment();
        let value = match self.access_pattern(address, load.ty()) {
            AccessPattern::UnitStride(start) => {
                self.load_unit_stride(address, ty, start, alignment)
            }
            AccessPattern::GatherScatter => {
                let pointers = self.flat_vector(address);
                self.gather(ty, pointers, alignment)
            }
            AccessPattern::UnitStrideIf(test, start) => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                let row = self.load_unit_stride(address, ty, start, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(far);
                let pointers =
                    self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
                let gathered = self.gather(ty, pointers, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(done);
                self.merge_paths(&[row], near, &[gathered], far)[0]
            }
        };
        self.define_vector(load, value);
        Ok(())
    }

    /// A store.
    pub(super) fn store(&mut self, store: Value) -> Result<(), Refusal> {
        let (value, address) = (store.operand(0), store.operand(1));
        if self.divergence.shape(address).is_uniform() {
            let last = match self.divergence.shape(value).is_uniform() {
                true => self.scalar(value),
                // All lanes write to one place: the last one's value stays.
                false => {
                    self.widened(value.ty())
                        .map_err(|what| Refusal::at(self.context, store, &what))?;
                    let vector = self.vector(value);
                    let lane = self.last_lane();
                    self.extract_lane(vector, lane)
                }
            };
            let address = self.scalar(address);
            let copy = self.builder.copy_of(store);
            copy.set_operand(0, last);
            copy.set_operand(1, address);
            return Ok(());
        }
        if store.is_volatile() || store.is_atomic() || !context_fields::is_element(value.ty()) {
            return self.lane_by_lane(store, false);
        }
        let vector = self.vector(value);
        let alignment = store.alignment();
        match self.access_pattern(address, value.ty()) {
            AccessPattern::UnitStride(start) => self.store_unit_stride(vector, start, alignment),
            AccessPattern::GatherScatter => {
                let pointers = self.flat_vector(address);
                self.scatter(vector, pointers, alignment);
            }
            AccessPattern::UnitStrideIf(test, start) => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                self.store_unit_stride(vector, start, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(far);
                let pointers =
                    self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
                self.scatter(vector, pointers, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(done);
            }
        }
        Ok(())
    }

    pub(super) fn fork(&self, condition: Value) -> (Block, crate::ir::Block, crate::ir::Block) {
        let block = || Builder::append_block(self.context, self.function, "");
        let all = (block(), block(), block());
        let not = self.builder.binary(
            LLVMOpcode::LLVMXor,
            condition,
            Value::int(condition.ty(), 1),
        );
        self.builder.branch_likely(not, all.1, all.0);
        all
    }

    /// Phis of what two ways made.
    pub(super) fn merge_paths(
        &self,
        these: &[Value],
        here: Block,
        those: &[Value],
        there: Block,
    ) -> Vec<Value> {
        let both = these.iter().zip(those).map(|(&one, &other)| {
            let phi = self.builder.phi(one.ty());
            phi.add_incoming(one, here);
            phi.add_incoming(other, there);
            phi
        });
        both.collect()
    }

    /// How the elements of type `ty` at `address` are reached.
    pub(super) fn access_pattern(&mut self, address: Value, ty: Type) -> AccessPattern {
        let size = self.layout.alloc_size(ty);
        if let Shape::Strided { stride, .. } = self.divergence.shape(address) {
            if stride == size as i64 {
                let start = self.scalar(address);
                return AccessPattern::UnitStride(self.flat(start));
            }
            return AccessPattern::GatherScatter;
        }
        let (pointer, steps) = self.origin(address);
        let (test, start) = match self.varying_index(pointer, size) {
            Some((number, index, step)) => {
                let test = self.test_stride(index, step);
                (test, self.with_index(pointer, number, test.base))
            }
            None => {
                let test = self.test_stride(pointer, size as i64);
                (test, self.lane_zero(pointer, &test, size))
            }
        };
        let mut start = self.flat(start);
        for step in steps.into_iter().rev() {
            let indices: Vec<_> = (1..step.operand_count())
                .map(|at| self.scalar(step.operand(at)))
                .collect();
            let ty = step.source_element_type();
            start = self.builder.index(ty, start, &indices);
        }
        AccessPattern::UnitStrideIf(test, start)
    }

    /// Lane 0's address if addresses count up: the first active lane's, and back.
    fn lane_zero(&mut self, pointer: Value, test: &StrideTest, size: u64) -> Value {
        let int = Type::int(self.context, 64);
        let lane = Type::int(self.context, 32);
        let lane = self.builder.cast_unsigned(test.first, lane);
        let pointers = self.flat_vector(pointer);
        let there = self.builder.extract(pointers, lane);
        let back = Value::int(int, (size as i64).wrapping_neg() as u64);
        let back = self.builder.binary(LLVMOpcode::LLVMMul, test.first, back);
        self.builder.byte_offset(there, back)
    }

    /// What a varying address is a uniform number of bytes away from, and those steps, the last one first: neighbours of one
    /// element (`a[i - 1]`, `a[i + 1]`) share its test.
    fn origin(&self, address: Value) -> (Value, Vec<Value>) {
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

    /// The only index that varies in an address with a uniform base, if elements of `size` bytes are a whole number of its steps:
    /// its number among the operands, the index, and that number of steps.
    fn varying_index(&self, pointer: Value, size: u64) -> Option<(u32, Value, i64)> {
        let uniform = |value: Value| self.divergence.shape(value).is_uniform();
        if pointer.opcode() != Some(LLVMOpcode::LLVMGetElementPtr) || !uniform(pointer.operand(0)) {
            return None;
        }
        let indices = context_fields::indices(self.layout, pointer)
            .into_iter()
            .enumerate();
        let mut varying = indices.filter(|(_, (index, _))| !uniform(*index));
        let (Some((number, (index, Some(scale)))), None) = (varying.next(), varying.next()) else {
            return None;
        };
        (scale > 0 && size.is_multiple_of(scale))
            .then(|| (number as u32 + 1, index, (size / scale) as i64))
    }

    /// A `getelementptr` with index `number` replaced.
    fn with_index(&mut self, pointer: Value, number: u32, index: Value) -> Value {
        let mut operands = Vec::new();
        for at in 0..pointer.operand_count() {
            operands.push(if at == number {
                index
            } else {
                self.scalar(pointer.operand(at))
            });
        }
        self.builder
            .index(pointer.source_element_type(), operands[0], &operands[1..])
    }

    /// Tests whether an index or address counts up by `step` from lane to lane.
    fn test_stride(&mut self, value: Value, step: i64) -> StrideTest {
        if let Some(&known) = self.stride_tests.get(&(value, step)) {
            return known;
        }
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
        let test = StrideTest { holds, base, first };
        self.stride_tests.insert((value, step), test);
        test
    }

    /// A pointer in the flat address space.
    pub(super) fn flat(&self, pointer: Value) -> Value {
        self.builder.to_space(pointer, Type::pointer(self.context))
    }

    /// A vector of pointers in the flat address space.
    pub(super) fn flat_vector(&mut self, address: Value) -> Value {
        let pointers = self.vector(address);
        let ty = Type::pointer(self.context).vector(self.width);
        self.builder.to_space(pointers, ty)
    }

    /// Builds what only a side way needs: what becomes known there is not known on the main way.
    pub(super) fn on_side_path<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let (scalars, vectors) = (self.scalars.clone(), self.vectors.clone());
        let made = build(self);
        (self.scalars, self.vectors) = (scalars, vectors);
        made
    }

    /// The vector of a pointer in the flat address space, computed here rather than where the kernel does: with rows,
    /// nothing but side ways need it.
    pub(super) fn rematerialise_pointers(&mut self, address: Value) -> Value {
        let pointers = self.rematerialise_address(address);
        let ty = Type::pointer(self.context).vector(self.width);
        self.builder.to_space(pointers, ty)
    }

    fn rematerialise_address(&mut self, address: Value) -> Value {
        if self.divergence.shape(address) != Shape::Varying {
            return self.vector(address);
        }
        match address.opcode() {
            Some(LLVMOpcode::LLVMAddrSpaceCast) => {
                let pointers = self.rematerialise_address(address.operand(0));
                let ty = address.ty().vector(self.width);
                self.builder.to_space(pointers, ty)
            }
            Some(LLVMOpcode::LLVMGetElementPtr) => {
                let base = address.operand(0);
                if self.divergence.shape(base) == Shape::Varying {
                    let again = self.rematerialise_address(base);
                    self.vectors.insert(base, again);
                }
                self.vector_pointer(address)
            }
            _ => self.vector(address),
        }
    }

    pub(super) fn load_unit_stride(
        &mut self,
        address: Value,
        ty: Type,
        start: Value,
        alignment: u64,
    ) -> Value {
        let (origin, _) = self.origin(address);
        self.prefetch_ahead(origin, start, self.layout.alloc_size(ty));
        let function = self.module.intrinsic("llvm.masked.load", &[ty, start.ty()]);
        let nothing = Value::poison(ty);
        let call = self
            .builder
            .call_function(function, &[start, self.mask, nothing]);
        call.align_argument(self.context, 0, alignment);
        call
    }

    fn store_unit_stride(&self, vector: Value, start: Value, alignment: u64) {
        let types = [vector.ty(), start.ty()];
        let function = self.module.intrinsic("llvm.masked.store", &types);
        let call = self
            .builder
            .call_function(function, &[vector, start, self.mask]);
        call.align_argument(self.context, 1, alignment);
    }

    pub(super) fn gather(&self, ty: Type, pointers: Value, alignment: u64) -> Value {
        let types = [ty, pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.gather", &types);
        let nothing = Value::poison(ty);
        let call = self
            .builder
            .call_function(function, &[pointers, self.mask, nothing]);
        call.align_argument(self.context, 0, alignment);
        call
    }

    fn scatter(&self, vector: Value, pointers: Value, alignment: u64) {
        let types = [vector.ty(), pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.scatter", &types);
        let call = self
            .builder
            .call_function(function, &[vector, pointers, self.mask]);
        call.align_argument(self.context, 1, alignment);
    }
}
