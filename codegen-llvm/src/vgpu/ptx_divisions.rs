//! Makes divisions of the multiplications and shifts that stand for them in an image that was PTX: compilers divide by
//! constants so, and the passes that follow know rows of collapsed loops by their divisions (`warp::normalise::rows`).
//!
//! Needs: registers made values. Leaves: `udiv` and `sdiv` by constants, where the result is the same for every
//! dividend (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994). The host's
//! back end makes multiplications of them again.

use llvm_sys::LLVMOpcode::{self, *};

use crate::ir::{Builder, Context, Value};

/// Rewrites a function.
pub fn run(context: Context, function: Value) {
    for instruction in function.instructions() {
        let made = match instruction.opcode() {
            Some(LLVMLShr) => unsigned(context, instruction),
            Some(LLVMAnd) => multiple(context, instruction),
            Some(LLVMAdd) => signed(context, instruction),
            _ => None,
        };
        if let Some(made) = made {
            instruction.replace_all_uses(made);
        }
    }
}

/// The number by which `x` is divided where `x * factor >> shift` is computed, for all `x` below 2^`bits`.
///
/// With e = factor * d - 2^shift, x * factor / 2^shift = x / d + x * e / (d * 2^shift). The second summand changes no
/// quotient if it is less than 1 / d.
fn divisor(factor: u128, shift: u32, bits: u32) -> Option<u64> {
    if shift >= 127 || bits > 64 || factor == 0 {
        return None;
    }
    let power = 1u128 << shift;
    let divisor = power.div_ceil(factor);
    let error = divisor.checked_mul(factor)? - power;
    let largest = (1u128 << bits) - 1;
    let exact = error.checked_mul(largest)? < power;
    (exact && divisor >= 3 && divisor <= largest).then_some(divisor as u64)
}

/// A constant's value, if that has at most 64 bits.
fn constant(value: Value) -> Option<u64> {
    if value.ty().int_width() <= 64 {
        return value.as_int();
    }
    let narrow = value.truncated_constant(64)?;
    let bits = narrow.as_int()?;
    (Value::int(value.ty(), bits) == value).then_some(bits)
}

fn shift_of(shift: Value) -> Option<u32> {
    constant(shift.operand(1))?.try_into().ok()
}

/// How many of a value's bits may be set, as its last operations say.
fn bits_of(value: Value) -> u32 {
    let width = value.ty().int_width();
    let within = match value.opcode() {
        Some(LLVMZExt) => {
            let number = value.operand(0);
            let without_sign = number.ty().int_width() - u32::from(value.is_of_nonnegative());
            bits_of(number).min(without_sign)
        }
        Some(LLVMLShr) => {
            let shift = shift_of(value).unwrap_or(0);
            bits_of(value.operand(0)).saturating_sub(shift)
        }
        Some(LLVMAnd) => match constant(value.operand(1)) {
            Some(mask) => 64 - mask.leading_zeros(),
            None => width,
        },
        _ => width,
    };
    within.min(width)
}

/// A number times a constant, in so many bits that the product has all of its own.
struct Product {
    number: Value,
    factor: u64,
}

impl Product {
    fn of(value: Value) -> Option<Product> {
        if value.opcode() != Some(LLVMMul) {
            return None;
        }
        let (number, factor) = (value.operand(0), constant(value.operand(1))?);
        let room = value.ty().int_width();
        let is_whole = bits_of(number) + 64 - factor.leading_zeros() <= room;
        is_whole.then_some(Product { number, factor })
    }

    /// Emits the quotient before an instruction, if the product shifted right is one.
    fn quotient(&self, context: Context, place: Value, shift: u32) -> Option<Value> {
        let divisor = divisor(self.factor.into(), shift, bits_of(self.number))?;
        let builder = Builder::before(context, place);
        let wide = self.number.ty();
        let mut number = self.number;
        while number.opcode() == Some(LLVMZExt) {
            number = number.operand(0);
        }
        // The number was divided by a power of two first.
        let before = match number.opcode() {
            Some(LLVMLShr) => shift_of(number)?,
            _ => 0,
        };
        let whole = divisor.checked_mul(1u64.checked_shl(before)?)?;
        let width = number.ty().int_width();
        let fits = width >= 64 || whole >> width == 0;
        let (number, divisor) = match before > 0 && fits {
            true => (number.operand(0), whole),
            false => (number, divisor),
        };
        let divisor = Value::int(number.ty(), divisor);
        let quotient = builder.binary(LLVMUDiv, number, divisor);
        Some(builder.cast_unsigned(quotient, wide))
    }
}

/// `x * factor >> shift`, and `(x - h >> 1) + h >> shift` where `h` is the upper half of a product: then the factor has
/// one bit more than `x`.
fn unsigned(context: Context, shifted: Value) -> Option<Value> {
    let shift = shift_of(shifted)?;
    if let Some(product) = Product::of(shifted.operand(0)) {
        return product.quotient(context, shifted, shift);
    }
    let sum = shifted.operand(0);
    if sum.opcode() != Some(LLVMAdd) {
        return None;
    }
    let halved = |half: Value, high: Value| {
        let is_half = half.opcode() == Some(LLVMLShr) && shift_of(half) == Some(1);
        let difference = is_half.then(|| half.operand(0))?;
        let is_difference = difference.opcode() == Some(LLVMSub) && difference.operand(1) == high;
        is_difference.then(|| difference.operand(0))
    };
    let (left, right) = (sum.operand(0), sum.operand(1));
    let (number, high) = match (halved(left, right), halved(right, left)) {
        (Some(number), _) => (number, right),
        (_, Some(number)) => (number, left),
        _ => return None,
    };
    let width = number.ty().int_width();
    let factor = upper_half(high, number, LLVMZExt)? as u128 + (1u128 << width);
    let divisor = divisor(factor, width + shift + 1, width)?;
    let builder = Builder::before(context, shifted);
    Some(builder.binary(LLVMUDiv, number, Value::int(number.ty(), divisor)))
}

/// The constant factor, as bits of `number`'s width, if `high` is the upper half of its product with `number`.
fn upper_half(high: Value, number: Value, extension: LLVMOpcode) -> Option<u64> {
    let width = number.ty().int_width();
    let shifted = (high.opcode() == Some(LLVMTrunc)).then(|| high.operand(0))?;
    let shifts = matches!(shifted.opcode(), Some(LLVMLShr | LLVMAShr));
    if !shifts || shift_of(shifted)? != width || shifted.ty().int_width() != 2 * width {
        return None;
    }
    let product = shifted.operand(0);
    let extended = (product.opcode() == Some(LLVMMul)).then(|| product.operand(0))?;
    if extended.opcode() != Some(extension) || extended.operand(0) != number {
        return None;
    }
    let factor = product.operand(1);
    match extension {
        LLVMSExt => signed_constant(factor, width),
        _ => constant(factor),
    }
}

/// The lower bits of a constant that is a sign-extended number of `width` bits.
fn signed_constant(factor: Value, width: u32) -> Option<u64> {
    let bits = factor.truncated_constant(width)?;
    let extended = Value::signed_int(factor.ty(), bits.as_signed_int()?);
    (extended == factor).then(|| bits.as_int())?
}

/// `x * factor >> shift & mask`: the mask hides the lower bits of a quotient's multiple.
fn multiple(context: Context, masked: Value) -> Option<Value> {
    let mask = constant(masked.operand(1)).filter(|mask| *mask != 0)?;
    let mut shifted = masked.operand(0);
    if shifted.opcode() == Some(LLVMTrunc) {
        shifted = shifted.operand(0);
    }
    if shifted.opcode() != Some(LLVMLShr) {
        return None;
    }
    let (product, shift) = (Product::of(shifted.operand(0))?, shift_of(shifted)?);
    let (quotient, hidden) = (1..=mask.trailing_zeros()).find_map(|hidden| {
        let quotient = product.quotient(context, masked, shift + hidden)?;
        Some((quotient, hidden))
    })?;
    let builder = Builder::before(context, masked);
    let ty = masked.ty();
    let quotient = builder.cast_unsigned(quotient, ty);
    let multiple = builder.binary(LLVMShl, quotient, Value::int(ty, hidden.into()));
    Some(builder.binary(LLVMAnd, multiple, masked.operand(1)))
}

/// `(h >> shift) + (h < 0)` where `h` is the upper half of a product of numbers with a sign, plus `x` where the factor
/// has one bit more than `x`.
fn signed(context: Context, sum: Value) -> Option<Value> {
    let sign_of = |value: Value| {
        let is_sign =
            value.opcode() == Some(LLVMLShr) && shift_of(value) == Some(value.ty().int_width() - 1);
        is_sign.then(|| value.operand(0))
    };
    let (left, right) = (sum.operand(0), sum.operand(1));
    let (quotient, signed) = match (sign_of(left), sign_of(right)) {
        (_, Some(signed)) => (left, signed),
        (Some(signed), _) => (right, signed),
        _ => return None,
    };
    let (high, shift) = match quotient.opcode() {
        Some(LLVMAShr) => (quotient.operand(0), shift_of(quotient)?),
        _ => (quotient, 0),
    };
    let width = high.ty().int_width();
    let (number, factor) = signed_product(high)?;
    if signed != high && signed != number {
        return None;
    }
    // The largest number without its sign is 2^(width - 1): of that the error must not be more than a quotient's.
    let divisor = divisor(factor, width + shift, width - 1)?;
    let error = factor.checked_mul(divisor.into())? - (1u128 << (width + shift));
    if error == 0 || error << (width - 1) > 1u128 << (width + shift) {
        return None;
    }
    let builder = Builder::before(context, sum);
    Some(builder.binary(LLVMSDiv, number, Value::int(number.ty(), divisor)))
}

/// The number and the positive factor of which a value is the upper half of the product.
fn signed_product(high: Value) -> Option<(Value, u128)> {
    let width = high.ty().int_width();
    if width > 32 {
        return None;
    }
    let extended = |part: Value| {
        let shifted = (part.opcode() == Some(LLVMTrunc)).then(|| part.operand(0))?;
        let product = shifted.opcode().is_some().then(|| shifted.operand(0))?;
        let extended = (product.opcode() == Some(LLVMMul)).then(|| product.operand(0))?;
        (extended.opcode() == Some(LLVMSExt)).then(|| extended.operand(0))
    };
    let is_negative = |factor: u64| factor >> (width - 1) != 0;
    if high.opcode() != Some(LLVMAdd) {
        let number = extended(high)?;
        let factor = upper_half(high, number, LLVMSExt)?;
        return (!is_negative(factor)).then_some((number, factor.into()));
    }
    let (left, right) = (high.operand(0), high.operand(1));
    [(left, right), (right, left)]
        .into_iter()
        .find_map(|(part, number)| {
            let factor = upper_half(part, number, LLVMSExt)?;
            // As a number without a sign it is 2^width more.
            is_negative(factor).then_some((number, factor.into()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    /// The factor and shift for dividing numbers of `bits` bits, with the least shift that serves.
    fn reciprocal(divisor: u64, bits: u32) -> (u128, u32) {
        let shift = (bits..2 * bits + 1)
            .find(|&shift| {
                let factor = (1u128 << shift).div_ceil(divisor.into());
                (factor * u128::from(divisor) - (1 << shift)) * ((1 << bits) - 1) < 1 << shift
            })
            .expect("a shift");
        ((1u128 << shift).div_ceil(divisor.into()), shift)
    }

    #[test]
    fn divisors_are_found_for_every_number() {
        for expected in [3, 5, 6, 7, 10, 24, 100, 511, 641, 1022, 65535] {
            let (factor, shift) = reciprocal(expected, 20);
            assert_eq!(divisor(factor, shift, 20), Some(expected));
            for number in 0..1u128 << 20 {
                let quotient = (number * factor) >> shift;
                assert_eq!(quotient, number / u128::from(expected), "{number}");
            }
            assert_eq!(divisor(factor - 1, shift, 20), None, "{expected}");
        }
        assert_eq!(divisor(3, 2, 32), None);
        assert_eq!(divisor(0, 2, 32), None);
    }

    fn rewritten(body: &str) -> String {
        let text = format!("define i32 @f(i32 %x, i64 %y) {{\n{body}}}\n");
        Module::changed(&text, run)
    }

    #[test]
    fn products_become_divisions() {
        let upper = |extension: &str, factor: i64| {
            format!(
                "  %w = {extension} i32 %x to i64\n  %p = mul i64 %w, {factor}\n  %s = lshr i64 %p, 32\n  \
                 %h = trunc i64 %s to i32\n"
            )
        };
        for (body, expected) in [
            (
                "  %w = zext i32 %x to i64\n  %p = mul i64 %w, 2863311531\n  %s = lshr i64 %p, 36\n  \
                 %q = trunc i64 %s to i32\n  ret i32 %q\n"
                    .to_owned(),
                "udiv i32 %x, 24",
            ),
            // 8 bytes for each of the 1022 columns' rows.
            (
                "  %z = lshr i64 %y, 1\n  %w = zext i64 %z to i128\n  %p = mul i128 %w, 4620710844295151873\n  \
                 %s = lshr i128 %p, 68\n  %t = trunc i128 %s to i64\n  %m = and i64 %t, 288230376151711736\n  \
                 %q = trunc i64 %m to i32\n  ret i32 %q\n"
                    .to_owned(),
                "udiv i64 %y, 1022",
            ),
            (
                upper("zext", 613566757)
                    + "  %d = sub i32 %x, %h\n  %e = lshr i32 %d, 1\n  %f = add i32 %e, %h\n  %q = lshr i32 %f, 2\n  \
                       ret i32 %q\n",
                "udiv i32 %x, 7",
            ),
            (
                upper("sext", 1374389535)
                    + "  %n = lshr i32 %h, 31\n  %e = ashr i32 %h, 5\n  %q = add i32 %e, %n\n  ret i32 %q\n",
                "sdiv i32 %x, 100",
            ),
            (
                upper("sext", -2143281135)
                    + "  %a = add i32 %h, %x\n  %n = lshr i32 %a, 31\n  %e = ashr i32 %a, 9\n  %q = add i32 %e, %n\n  \
                       ret i32 %q\n",
                "sdiv i32 %x, 1022",
            ),
        ] {
            let after = rewritten(&body);
            assert!(after.contains(expected), "{expected}: {after}");
        }
    }

    #[test]
    fn other_products_stay() {
        for body in [
            // One less.
            "  %w = zext i32 %x to i64\n  %p = mul i64 %w, 2863311530\n  %s = lshr i64 %p, 36\n  \
             %q = trunc i64 %s to i32\n  ret i32 %q\n",
            // The product loses bits.
            "  %p = mul i64 %y, 2863311531\n  %s = lshr i64 %p, 36\n  %q = trunc i64 %s to i32\n  ret i32 %q\n",
            // Not the sign of this product.
            "  %w = sext i32 %x to i64\n  %p = mul i64 %w, 1374389535\n  %s = lshr i64 %p, 32\n  \
             %h = trunc i64 %s to i32\n  %t = trunc i64 %y to i32\n  %n = lshr i32 %t, 31\n  %e = ashr i32 %h, 5\n  \
             %q = add i32 %e, %n\n  ret i32 %q\n",
        ] {
            let after = rewritten(body);
            assert!(!after.contains("div"), "{after}");
        }
    }
}
