//! Integer divisions and remainders lane by lane, in floating point.
//!
//! No CPU divides vectors of integers: LLVM takes the vectors apart, and a 64-bit division occupies the divider for up
//! to 40 cycles per lane. Vectors of `double` it can divide. For integers of less than 52 bits the quotient, cut off,
//! is the integers': `x / d` lies at least `1 / d` below the next integer, which is more than half of the last place of
//! a quotient below `2^52 / d`.
//!
//! 64-bit operands are tested at run time. Where one is larger, or a divisor is 0, the lanes divide one after the other
//! (and the CPU reports the fault).

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};

/// The bits of `2^52 + 2^51` as a `double`. Adding an integer of less than 52 bits to them adds it to the number: this
/// converts between integers and `double` by an addition each.
const BIAS_BITS: u64 = 0x4338_0000_0000_0000;
const BIAS: f64 = 6_755_399_441_055_744.0;

/// Operands must be at least `-LIMIT` and less than `LIMIT`.
const LIMIT: u64 = 1 << 51;

/// Whether an instruction divides integers.
pub(super) fn is_division(opcode: LLVMOpcode) -> bool {
    use LLVMOpcode::*;
    matches!(opcode, LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem)
}

impl Vectoriser<'_> {
    /// A division or remainder whose operands are given as vectors.
    pub(super) fn divide(&mut self, instruction: Value, dividend: Value, divisor: Value) -> Value {
        let bits = instruction.ty().int_width();
        // By a constant LLVM multiplies with its reciprocal, where the CPU has the vector instruction for it.
        let by_constant = is_safe_divisor(instruction.operand(1)) && bits < 64;
        if by_constant || bits > 32 && bits != 64 {
            let divisor = self.safe_divisor(instruction.operand(1), divisor);
            let made = self.binary_like(instruction, dividend, divisor);
            made.take_flags(instruction);
            return made;
        }
        let works = self.can_divide_as_floats(instruction, dividend, divisor);
        let (near, far, done) = self.fork(works);
        self.builder.move_to_end(near);
        let fast = self.divide_as_floats(instruction, dividend, divisor);
        self.builder.jump(done);
        self.builder.move_to_end(far);
        let slow = self.divide_one_by_one(instruction, dividend, divisor);
        let end = self.builder.block();
        self.builder.jump(done);
        self.builder.move_to_end(done);
        self.merge_paths(&[fast], near, &[slow], end)[0]
    }

    /// Whether all active lanes' operands are small enough and no divisor is 0.
    fn can_divide_as_floats(
        &mut self,
        instruction: Value,
        dividend: Value,
        divisor: Value,
    ) -> Value {
        use LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
        let by = instruction.operand(1);
        let is_wide = instruction.ty().int_width() == 64;
        if self.divergence.shape(by).is_uniform() && !is_wide {
            let by = self.scalar(by);
            return self.builder.compare(LLVMIntNE, by, Value::zero(by.ty()));
        }
        let zeros = Value::zero(divisor.ty());
        let mut unfit = self.builder.compare(LLVMIntEQ, divisor, zeros);
        if is_wide {
            for operand in [dividend, divisor] {
                let large = self.is_large(instruction, operand);
                unfit = self.builder.binary(LLVMOpcode::LLVMOr, unfit, large);
            }
        }
        let unfit = self.active_where(unfit);
        let bits = self.bits(unfit);
        let none = Value::zero(bits.ty());
        self.builder.compare(LLVMIntEQ, bits, none)
    }

    /// In which lanes a 64-bit operand is too large.
    fn is_large(&self, instruction: Value, operand: Value) -> Value {
        let wide = operand.ty().element(0);
        let constant = |value| self.builder.splat(Value::int(wide, value), self.width);
        let (from_least, range) = match is_signed(instruction) {
            true => {
                let from_least = self
                    .builder
                    .binary(LLVMOpcode::LLVMAdd, operand, constant(LIMIT));
                (from_least, 2 * LIMIT)
            }
            false => (operand, LIMIT),
        };
        self.builder
            .compare(LLVMIntPredicate::LLVMIntUGE, from_least, constant(range))
    }

    fn divide_as_floats(&self, instruction: Value, dividend: Value, divisor: Value) -> Value {
        use LLVMOpcode::*;
        let double = Type::double(self.context).vector(self.width);
        let (x, d) = (
            self.to_double(instruction, dividend),
            self.to_double(instruction, divisor),
        );
        let builder = &self.builder;
        let quotient = builder.binary(LLVMFDiv, x, d);
        let cut = self.module.intrinsic("llvm.trunc", &[double]);
        let quotient = builder.call_function(cut, &[quotient]);
        let is_remainder = matches!(instruction.opcode(), Some(LLVMURem | LLVMSRem));
        let result = match is_remainder {
            // Both exact: the product is no larger than the dividend.
            true => {
                let product = builder.binary(LLVMFMul, quotient, d);
                builder.binary(LLVMFSub, x, product)
            }
            false => quotient,
        };
        self.to_integer(result, dividend.ty())
    }

    /// A vector of integers of less than 52 bits as `double`.
    fn to_double(&self, instruction: Value, integers: Value) -> Value {
        use LLVMOpcode::*;
        let word = Type::int(self.context, 64);
        let wide = word.vector(self.width);
        let builder = &self.builder;
        let integers = match (integers.ty() == wide, is_signed(instruction)) {
            (true, _) => integers,
            (false, true) => builder.cast(LLVMSExt, integers, wide),
            (false, false) => builder.cast(LLVMZExt, integers, wide),
        };
        let bias = builder.splat(Value::int(word, BIAS_BITS), self.width);
        let biased = builder.binary(LLVMAdd, integers, bias);
        let double = Type::double(self.context);
        let biased = builder.cast(LLVMBitCast, biased, double.vector(self.width));
        let bias = builder.splat(Value::real(double, BIAS), self.width);
        builder.binary(LLVMFSub, biased, bias)
    }

    /// The way back. `numbers` are integers.
    fn to_integer(&self, numbers: Value, ty: Type) -> Value {
        use LLVMOpcode::*;
        let builder = &self.builder;
        let (double, word) = (Type::double(self.context), Type::int(self.context, 64));
        let bias = builder.splat(Value::real(double, BIAS), self.width);
        let biased = builder.binary(LLVMFAdd, numbers, bias);
        let wide = word.vector(self.width);
        let biased = builder.cast(LLVMBitCast, biased, wide);
        let bias = builder.splat(Value::int(word, BIAS_BITS), self.width);
        let integers = builder.binary(LLVMSub, biased, bias);
        match ty == wide {
            true => integers,
            false => builder.cast(LLVMTrunc, integers, ty),
        }
    }

    /// Divides lane by lane. A division by 0 must fail, so the divisors pass through memory that LLVM does not look
    /// into: it would see that they are 0, and leave the division out as undefined.
    fn divide_one_by_one(&mut self, instruction: Value, dividend: Value, divisor: Value) -> Value {
        let slot = self.slot(divisor.ty());
        self.builder.store(divisor, slot).set_volatile();
        let divisor = self.builder.load(divisor.ty(), slot);
        divisor.set_volatile();
        let made = self.for_each_lane(Some(dividend.ty()), |vectoriser, lane| {
            let x = vectoriser.builder.extract(dividend, lane);
            let d = vectoriser.builder.extract(divisor, lane);
            vectoriser.binary_like(instruction, x, d)
        });
        made.expect("a result was asked for")
    }

    fn binary_like(&self, instruction: Value, left: Value, right: Value) -> Value {
        let opcode = instruction.opcode().expect("a division is an instruction");
        self.builder.binary(opcode, left, right)
    }

    /// The divisors, with 1 for inactive lanes: a vector division divides in all of them.
    fn safe_divisor(&self, divisor: Value, vector: Value) -> Value {
        if is_safe_divisor(divisor) {
            return vector;
        }
        let one = self.builder.splat(Value::int(divisor.ty(), 1), self.width);
        // Frozen: where LLVM's code generation believes that a divisor is never 0, as in `shl nuw 5, x`, it divides in
        // all lanes and selects afterwards. An inactive lane's `x` may be too large for it.
        let vector = self.builder.freeze(vector);
        self.builder.select(self.mask, vector, one)
    }
}

/// Whether a divisor is a constant with which no division fails.
fn is_safe_divisor(divisor: Value) -> bool {
    divisor
        .as_signed_int()
        .is_some_and(|value| value != 0 && value != -1)
}

fn is_signed(instruction: Value) -> bool {
    use LLVMOpcode::*;
    matches!(instruction.opcode(), Some(LLVMSDiv | LLVMSRem))
}
