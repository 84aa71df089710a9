//! The test of the shadow memory in vector code: whether all that the lanes access is what they may access and, where
//! that is checked, was written. Only if it fails, the engine looks at each lane.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};

/// Most bytes whose shadow is tested at once.
const LARGEST_TEST: u64 = 512;

/// Bytes of memory that a word of the shadow stands for, where each lane tests one.
const BYTES_PER_WORD: u64 = 32;

impl Vectoriser<'_> {
    /// The range of all lanes' accesses without gaps: its bytes before lane 0's address, and all of them.
    pub(super) fn bytes_of_all(&self, stride: i64, size: u64) -> Option<(u64, u64)> {
        let between = stride.unsigned_abs() * u64::from(self.width - 1);
        let dense = stride.unsigned_abs() <= size && size > 0;
        let before = if stride < 0 { between } else { 0 };
        (dense && between + size <= LARGEST_TEST).then_some((before, between + size))
    }

    /// Calls the engine unless nothing is wrong with a whole range. The test takes whole bytes of the shadow, so it may
    /// fail near the end of an allocation. Any address has a shadow.
    pub(super) fn unless_plain(
        &mut self,
        low: Value,
        bytes: u64,
        call: impl FnOnce(&mut Self),
    ) {
        let bits = self.window_offset(low);
        let byte = self.combine(LLVMOpcode::LLVMLShr, bits, 3);
        let touched = (bytes + 6) / 8 + 1;
        let test = Type::int(self.context, 8 * touched as u32);
        let both = self.shadows(byte, |vectoriser, pointer| {
            let word = vectoriser.builder.load(test, pointer);
            word.set_alignment(1);
            word
        });
        let ones = Value::all_ones(test);
        let suspect = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, both, ones);
        self.if_unlikely(suspect, call);
    }

    /// The same for an access of each lane, of `size` bytes at `pointers`. A lane gathers the aligned word of the shadow
    /// that its first byte is in. What goes beyond that word is the engine's.
    pub(super) fn unless_each_is_plain(
        &mut self,
        pointers: Value,
        size: u64,
        call: impl FnOnce(&mut Self),
    ) {
        let bits = self.window_offset(pointers);
        let byte = self.combine(LLVMOpcode::LLVMLShr, bits, 3);
        let byte = self.combine(LLVMOpcode::LLVMAnd, byte, !3);
        let word = Type::int(self.context, BYTES_PER_WORD as u32);
        let words = word.vector(self.width);
        let both = self.shadows(byte, |vectoriser, pointers| {
            vectoriser.gather(words, pointers, 4)
        });
        let place = self.builder.cast(LLVMOpcode::LLVMTrunc, bits, words);
        let place = self.combine(LLVMOpcode::LLVMAnd, place, BYTES_PER_WORD - 1);
        let shifted = self.builder.binary(LLVMOpcode::LLVMLShr, both, place);
        let wanted = (1 << size) - 1;
        let found = self.combine(LLVMOpcode::LLVMAnd, shifted, wanted);
        let wanted = self.broadcast(Value::int(word, wanted));
        let suspect = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, found, wanted);
        let any = self.any_active(suspect);
        self.if_unlikely(any, call);
    }

    /// Whether a lane's access of so many bytes may lie in one word of the shadow.
    pub(super) fn fits_shadow_word(size: u64) -> bool {
        (1..BYTES_PER_WORD).contains(&size)
    }

    /// What `load` finds in the shadows of the checks, at `byte` from their beginnings: the bits that all of them have.
    fn shadows(&mut self, byte: Value, load: impl Fn(&mut Self, Value) -> Value) -> Value {
        let pointer = self.pointer_like(byte.ty());
        let at = |vectoriser: &mut Self, base: u64| {
            let address = vectoriser.combine(LLVMOpcode::LLVMAdd, byte, base);
            let address = vectoriser
                .builder
                .cast(LLVMOpcode::LLVMIntToPtr, address, pointer);
            load(vectoriser, address)
        };
        let accessible = at(self, vgpu_abi::ACCESSIBLE_SHADOW);
        if !self.checks.init {
            return accessible;
        }
        let written = at(self, vgpu_abi::WRITTEN_SHADOW);
        self.builder
            .binary(LLVMOpcode::LLVMAnd, accessible, written)
    }

    /// The offset of a pointer, or of each of a vector, in the device window.
    fn window_offset(&mut self, pointers: Value) -> Value {
        let int = Type::int(self.context, 64);
        let ty = match pointers.ty().is_pointer() {
            true => int,
            false => int.vector(self.width),
        };
        let bits = self.builder.cast(LLVMOpcode::LLVMPtrToInt, pointers, ty);
        self.combine(LLVMOpcode::LLVMAnd, bits, (1 << vgpu_abi::WINDOW_SHIFT) - 1)
    }

    /// A number, or each of a vector, combined with a constant.
    fn combine(&mut self, operation: LLVMOpcode, value: Value, constant: u64) -> Value {
        let ty = value.ty();
        let constant = match ty.is_int() {
            true => Value::int(ty, constant),
            false => self.broadcast(Value::int(ty.element(0), constant)),
        };
        self.builder.binary(operation, value, constant)
    }

    /// The type of pointers in place of these numbers.
    fn pointer_like(&self, numbers: Type) -> Type {
        let pointer = Type::pointer(self.context);
        match numbers.is_int() {
            true => pointer,
            false => pointer.vector(self.width),
        }
    }
}
