//! A loop over the active lanes, and single lanes of vectors.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use crate::ir::{Builder, Type, Value};

/// Lanes in an iteration of a loop over all of them. Every width is a multiple.
const TOGETHER: u64 = 8;

impl Vectoriser<'_> {
    /// Runs `body` in a loop over the active lanes, with the lane's number (32 bits). If `result` is given, the lanes'
    /// results become a vector of that type. At least one lane is active.
    pub(super) fn for_each_lane(
        &mut self,
        result: Option<Type>,
        body: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Option<Value> {
        if let Some(lane) = self.elected_lane() {
            let value = body(self, lane);
            return result.map(|ty| self.insert_lane(Value::poison(ty), value, lane));
        }
        let in_memory = result.filter(|&ty| has_array_layout(ty));
        let in_memory = in_memory.map(|ty| (ty, self.result_slot(ty)));
        let bits = self.mask_bits();
        let before = self.builder.block();
        let body_block = Builder::append_block(self.context, self.function, "");
        let done = Builder::append_block(self.context, self.function, "");
        self.builder.jump(body_block);
        self.builder.move_to_end(body_block);
        let left = self.builder.phi(bits.ty());
        let gathered = result.filter(|_| in_memory.is_none());
        let gathered = gathered.map(|ty| self.builder.phi(ty));
        let lane = match self.all_lanes_are_active() {
            true => self
                .builder
                .cast_unsigned(left, Type::int(self.context, 32)),
            false => self.count_trailing(left),
        };
        let value = body(self, lane);
        if let Some((ty, slot)) = in_memory {
            let place = self.place_of_lane(ty, slot, lane);
            self.builder.store(value, place);
        }
        let with_lane = gathered.map(|whole| self.insert_lane(whole, value, lane));
        let (first, rest, more) = self.next_lane(bits, left);
        let end = self.builder.block();
        self.builder.branch(more, body_block, done);
        left.add_incoming(first, before);
        left.add_incoming(rest, end);
        if let (Some(whole), Some(next)) = (gathered, with_lane) {
            whole.add_incoming(Value::poison(whole.ty()), before);
            whole.add_incoming(next, end);
        }
        self.builder.move_to_end(done);
        let loaded = in_memory.map(|(ty, slot)| self.builder.load(ty, slot));
        loaded.or(with_lane)
    }

    /// What a loop over the active lanes begins with, goes on with after `left`, and whether it goes on: the lanes'
    /// number where all are active, else the bits of the lanes that are left.
    fn next_lane(&self, bits: Value, left: Value) -> (Value, Value, Value) {
        let number = |value| Value::int(bits.ty(), value);
        let add = |value| self.builder.binary(LLVMOpcode::LLVMAdd, left, value);
        let differs = |one, other| {
            self.builder
                .compare(LLVMIntPredicate::LLVMIntNE, one, other)
        };
        if self.all_lanes_are_active() {
            let next = add(number(1));
            return (number(0), next, differs(next, number(self.width.into())));
        }
        let minus_one = add(number(u64::MAX));
        let rest = self.builder.binary(LLVMOpcode::LLVMAnd, left, minus_one);
        (bits, rest, differs(rest, number(0)))
    }

    /// A slot for lanes' results. LLVM would store a vector and load it again to insert an element at a variable index.
    fn result_slot(&mut self, ty: Type) -> Value {
        let known = self.result_slots.iter().find(|(of, _)| *of == ty);
        if let Some(&(_, slot)) = known {
            return slot;
        }
        let slot = self.slot(ty);
        self.result_slots.push((ty, slot));
        slot
    }

    /// The place of a lane's element of a vector in memory.
    pub(super) fn place_of_lane(&self, vector: Type, slot: Value, lane: Value) -> Value {
        let wide = self
            .builder
            .cast_unsigned(lane, Type::int(self.context, 64));
        self.builder.index(vector.element(0), slot, &[wide])
    }

    /// Runs `body` for the active lanes, without results, on what `fetch` gives for the lane. Small bodies: there are
    /// several copies.
    pub(super) fn for_active_lanes<T>(
        &mut self,
        fetch: impl Fn(&mut Self, Value) -> T,
        body: impl Fn(&mut Self, T) -> Value,
    ) {
        if self.all_lanes_are_active() {
            self.for_all_lanes(fetch, body);
        } else {
            self.for_each_lane(None, |vectoriser, lane| {
                let fetched = fetch(vectoriser, lane);
                body(vectoriser, fetched)
            });
        }
    }

    /// Runs `body` for each lane where it is known that all are active, [`TOGETHER`] in an iteration. A loop over the
    /// bits of a mask ends at another place of the code each time, and the host predicts its end wrongly. All that is
    /// fetched comes before the first body: where bodies store to addresses that the host does not know yet, a load
    /// behind them may have to wait for these.
    fn for_all_lanes<T>(
        &mut self,
        fetch: impl Fn(&mut Self, Value) -> T,
        body: impl Fn(&mut Self, T) -> Value,
    ) {
        let int = Type::int(self.context, 32);
        let number = |value| Value::int(int, value);
        let before = self.builder.block();
        let body_block = Builder::append_block(self.context, self.function, "");
        let done = Builder::append_block(self.context, self.function, "");
        self.builder.jump(body_block);
        self.builder.move_to_end(body_block);
        let first = self.builder.phi(int);
        let fetched: Vec<_> = (0..TOGETHER)
            .map(|step| {
                let lane = self
                    .builder
                    .binary(LLVMOpcode::LLVMAdd, first, number(step));
                fetch(self, lane)
            })
            .collect();
        for of_lane in fetched {
            body(self, of_lane);
        }
        let next = self
            .builder
            .binary(LLVMOpcode::LLVMAdd, first, number(TOGETHER));
        let more =
            self.builder
                .compare(LLVMIntPredicate::LLVMIntNE, next, number(self.width.into()));
        let end = self.builder.block();
        self.builder.branch(more, body_block, done);
        first.add_incoming(number(0), before);
        first.add_incoming(next, end);
        self.builder.move_to_end(done);
    }

    /// Whether all lanes are known to be active.
    fn all_lanes_are_active(&self) -> bool {
        let all = u64::MAX >> (u64::BITS - self.width);
        self.mask_bits().as_int() == Some(all)
    }

    /// A vector with lane `lane` replaced; structures field by field.
    fn insert_lane(&self, whole: Value, value: Value, lane: Value) -> Value {
        let count = value.ty().part_count();
        if count == 0 {
            return self.builder.insert_element(whole, value, lane);
        }
        (0..count).fold(whole, |made, index| {
            let (vectors, part) = (
                self.builder.field(whole, index),
                self.builder.field(value, index),
            );
            let part = self.insert_lane(vectors, part, lane);
            self.builder.insert_field(made, part, index)
        })
    }

    /// Lane `lane` of a vector; structures field by field.
    pub(super) fn extract_lane(&self, vector: Value, lane: Value) -> Value {
        let count = vector.ty().part_count();
        if count == 0 {
            return self.builder.extract(vector, lane);
        }
        let parts: Vec<_> = (0..count)
            .map(|index| self.extract_lane(self.builder.field(vector, index), lane))
            .collect();
        let types: Vec<_> = parts.iter().map(|part| part.ty()).collect();
        let whole = Value::poison(Type::structure(self.context, &types));
        parts
            .into_iter()
            .enumerate()
            .fold(whole, |whole, (index, part)| {
                self.builder.insert_field(whole, part, index as u32)
            })
    }

    /// Calls `vgpu_warp_lane`: the engine calls that follow are for this lane.
    pub(super) fn announce_lane(&self, lane: Value) {
        let ty = Type::function(
            Type::void(self.context),
            &[Type::pointer(self.context), Type::int(self.context, 32)],
        );
        let function = self.module.declare("vgpu_warp_lane", ty);
        function.add_attribute(self.context, "nounwind");
        self.builder.call_function(function, &[self.cx, lane]);
    }
}

/// Whether a vector lies in memory like an array.
pub(super) fn has_array_layout(vector: Type) -> bool {
    vector.part_count() == 0 && is_in_bytes(vector.element(0))
}

/// Whether vectors of such elements are not packed bit by bit, as LLVM does with integers of other widths.
pub(super) fn is_in_bytes(element: Type) -> bool {
    let bits = element.is_int().then(|| element.int_width());
    bits.is_none_or(|bits| bits >= 8 && bits.is_power_of_two())
}
