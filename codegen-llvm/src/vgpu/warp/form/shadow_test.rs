//! The test of the shadow memory in vector code: whether all that the lanes access is what they may access and, where
//! that is checked, was written. Only if it fails, the engine looks at each lane.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::access_pattern::AccessPattern;
use super::runs::Runs;
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

    /// Whether something may be wrong with the lanes' accesses of `size` bytes at `address`. `loads`: they only read.
    pub(super) fn suspect_accesses(&mut self, address: Value, size: u64, loads: bool) -> Value {
        let is_element = size.is_power_of_two() && size <= 16;
        let pattern = match is_element {
            true => {
                let element = Type::int(self.context, 8 * size as u32);
                self.access_pattern(address, element, loads)
            }
            false => AccessPattern::GatherScatter,
        };
        match pattern {
            AccessPattern::Runs(runs) if self.run_bytes(runs, size) <= LARGEST_TEST => {
                self.suspect_runs(runs, size)
            }
            AccessPattern::RunsIf(test, runs) if self.run_bytes(runs, size) <= LARGEST_TEST => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                let together = self.suspect_runs(runs, size);
                self.builder.jump(done);
                self.builder.move_to_end(far);
                let pointers =
                    self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
                let apart = self.suspect_lanes(pointers, size);
                self.builder.jump(done);
                self.builder.move_to_end(done);
                self.merge_paths(&[together], near, &[apart], far)[0]
            }
            _ => {
                let pointers = self.flat_vector(address);
                self.suspect_lanes(pointers, size)
            }
        }
    }

    /// Whether something may be wrong with one of the runs.
    fn suspect_runs(&mut self, runs: Runs, size: u64) -> Value {
        let bytes = self.run_bytes(runs, size);
        let starts: Vec<_> = self.parts(runs).map(|(start, _)| start).collect();
        let mut any = Value::zero(Type::int(self.context, 1));
        for start in starts {
            let suspect = self.suspect_range(start, bytes);
            any = self.builder.binary(LLVMOpcode::LLVMOr, any, suspect);
        }
        any
    }

    /// Whether something may be wrong with a whole range. The test takes whole bytes of the shadow, so it may fail near
    /// the end of an allocation. Any address has a shadow.
    pub(super) fn suspect_range(&mut self, low: Value, bytes: u64) -> Value {
        let bits = self.window_offset(low);
        let byte = self.combine(LLVMOpcode::LLVMLShr, bits, 3);
        let touched = (bytes + 6) / 8 + 1;
        let width = 1 << touched.ilog2().min(3);
        let word = Type::int(self.context, 8 * width as u32);
        // The last word may overlap the one before. One wide integer is more than LLVM's back end can take.
        let words = (0..touched - width).step_by(width as usize);
        let both = words
            .chain([touched - width])
            .map(|offset| {
                let byte = self.combine(LLVMOpcode::LLVMAdd, byte, offset);
                self.shadows(byte, |vectoriser, pointer| {
                    let word = vectoriser.builder.load(word, pointer);
                    word.set_alignment(1);
                    word
                })
            })
            .collect::<Vec<_>>();
        let both = both
            .into_iter()
            .reduce(|a, b| self.builder.binary(LLVMOpcode::LLVMAnd, a, b))
            .unwrap_or_else(|| Value::zero(word));
        let ones = Value::all_ones(word);
        self.builder
            .compare(LLVMIntPredicate::LLVMIntNE, both, ones)
    }

    /// Whether something may be wrong with an access of an active lane, of `size` bytes at its pointer. A lane gathers
    /// the aligned word of the shadow that its first byte is in. What goes beyond that word is suspect.
    fn suspect_lanes(&mut self, pointers: Value, size: u64) -> Value {
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
        self.any_active(suspect)
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
