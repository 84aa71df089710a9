//! Sums of 32-bit numbers, as they are written: with or without extensions, whose carries are dropped.

use indexmap::IndexMap;
use llvm_sys::LLVMOpcode::{self, LLVMAdd, LLVMMul};

use crate::ir::{Builder, Type, Value};

/// How many nested sums are looked into.
const DEPTH: u32 = 8;

/// The bits of a 32-bit number.
const WORD: u64 = u32::MAX as u64;

/// The largest constant and factor that are looked at.
pub const LARGEST: i64 = 1 << 16;

/// Positive multiples of values, and a constant: their sum modulo 2^32.
#[derive(Default)]
pub struct WordSum {
    /// Values of 32 or 64 bits, and how often each is added.
    pub terms: IndexMap<Value, i64>,
    /// What is added to them.
    pub constant: i64,
}

impl WordSum {
    /// The sum that a value of 32 or 64 bits is, modulo 2^32, of values that `is_term` takes.
    pub fn of(value: Value, is_term: &impl Fn(Value) -> bool) -> Option<WordSum> {
        use LLVMOpcode::*;
        let mut sum = WordSum::default();
        let mut pending = vec![(value, 1i64, DEPTH)];
        while let Some((part, factor, depth)) = pending.pop() {
            let depth = depth.checked_sub(1)?;
            if let Some(number) = part.as_int() {
                let product = factor.checked_mul(i64::from(number as i32))?;
                sum.constant = sum.constant.checked_add(product)?;
                continue;
            }
            if is_term(part) {
                let times = sum.terms.entry(part).or_default();
                *times = times.checked_add(factor)?;
                continue;
            }
            let opcode = part.opcode()?;
            let first = part.operand_or_none(0)?;
            let constant = || part.operand(1).as_int();
            let factor = match opcode {
                LLVMTrunc | LLVMZExt | LLVMSExt if has_word(part) && has_word(first) => factor,
                LLVMAnd if constant() == Some(WORD) => factor,
                LLVMMul => factor.checked_mul(i64::try_from(constant()?).ok()?)?,
                LLVMShl => factor.checked_mul(1 << constant().filter(|by| *by < 16)?)?,
                _ if opcode == LLVMAdd || part.is_disjoint() => {
                    pending.push((part.operand(1), factor, depth));
                    factor
                }
                _ => return None,
            };
            pending.push((first, factor, depth));
        }
        let is_small = |number: &i64| (1..=LARGEST).contains(number);
        let fits = sum.constant.abs() <= LARGEST && sum.terms.values().all(is_small);
        fits.then_some(sum)
    }

    /// Writes the sum in 64 bits. `word` gives a term in 64 bits. Needs: it does not overflow there.
    pub fn emit(&self, builder: &Builder, word: impl Fn(Value) -> Value) -> Value {
        let ty = Type::int(builder.context(), 64);
        let product = |(&term, &factor): (&Value, &i64)| match factor {
            1 => word(term),
            _ => builder.binary(LLVMMul, word(term), Value::signed_int(ty, factor)),
        };
        let terms = self.terms.iter().map(product);
        let sum = terms.reduce(|left, right| {
            let sum = builder.binary(LLVMAdd, left, right);
            promise(sum);
            sum
        });
        let constant = Value::signed_int(ty, self.constant);
        match sum {
            Some(sum) if self.constant == 0 => sum,
            Some(sum) => {
                let both = builder.add_without_overflow(sum, constant);
                if self.constant > 0 {
                    promise(both);
                }
                both
            }
            None => constant,
        }
    }
}

/// Whether an instruction makes 64 bits of a number's lower 32: with its sign, with zeros.
pub fn is_extension(value: Value) -> bool {
    use LLVMOpcode::*;
    let is_wide = value.ty().is_int() && value.ty().int_width() == 64;
    is_wide
        && match value.opcode() {
            Some(LLVMSExt | LLVMZExt) => value.operand(0).ty().int_width() == 32,
            Some(LLVMAnd) => value.operand(1).as_int() == Some(WORD),
            _ => false,
        }
}

/// Whether a number has at least 32 bits.
fn has_word(value: Value) -> bool {
    value.ty().is_int() && matches!(value.ty().int_width(), 32 | 64)
}

/// Says that an addition of numbers that are not negative overflows neither way.
fn promise(sum: Value) {
    sum.set_cannot_overflow();
    sum.set_cannot_carry();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, Module};

    /// The sum that `%value`, the last instruction, is: of parameters, by their numbers.
    fn sum_of(text: &str) -> Option<(Vec<(usize, i64)>, i64)> {
        let text = format!("define void @f(i32 %0, i32 %1, i64 %2) {{\n{text}\nret void\n}}");
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let function = module.function("f").unwrap();
        let parameters = function.parameters();
        let instructions = function.instructions();
        let value = instructions[instructions.len() - 2];
        let sum = WordSum::of(value, &|it| parameters.contains(&it))?;
        let number = |it: &Value| parameters.iter().position(|parameter| parameter == it);
        let terms = sum
            .terms
            .iter()
            .map(|(it, times)| (number(it).unwrap(), *times));
        Some((terms.collect(), sum.constant))
    }

    #[test]
    fn sums_are_taken_apart() {
        let sum = "%x = mul i32 %0, 3
                   %y = add i32 %x, -2
                   %z = zext i32 %y to i64
                   %s = shl i64 %2, 2
                   %a = add i64 %z, %s
                   %b = and i64 %a, 4294967295
                   %c = trunc i64 %b to i32
                   %d = add i32 %c, %0";
        assert_eq!(sum_of(sum), Some((vec![(0, 4), (2, 4)], -2)));
        let both = "%x = add i64 %2, 4294967295
                    %y = and i64 %x, 4294967295";
        assert_eq!(sum_of(both), Some((vec![(2, 1)], -1)));
    }

    #[test]
    fn other_values_are_no_sums() {
        assert_eq!(sum_of("%x = sub i32 %0, %1"), None);
        assert_eq!(sum_of("%x = mul i32 %0, %1"), None);
        assert_eq!(sum_of("%x = mul i32 %0, -1"), None, "a negative multiple");
        assert_eq!(sum_of("%x = add i32 %0, 1000000"), None, "a large constant");
        assert_eq!(sum_of("%x = and i64 %2, 65535"), None, "other bits");
        let narrow = "%x = trunc i32 %0 to i8
                      %y = zext i8 %x to i32";
        assert_eq!(sum_of(narrow), None, "bits are lost");
    }
}
