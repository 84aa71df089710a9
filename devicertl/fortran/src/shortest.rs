//! The fewest decimal digits that name a binary number, as flang's run-time library chooses them: of all numbers with
//! that many digits strictly between the middles to the number's neighbours, the one in the middle. (Others take the
//! nearest one: C++'s `to_chars`, Rust. The last digit may differ.)
//!
//! Digits are made of exact integers (R. G. Burger, R. K. Dybvig, *Printing Floating-Point Numbers Quickly and
//! Accurately*, PLDI 1996), a number of up to 1,130 bits over a common denominator.

use core::cmp::Ordering;

/// Words of 32 bits for 2^1,076 · 10 and the like.
const WORDS: usize = 36;

/// A natural number.
#[derive(Clone, Copy)]
struct Natural([u32; WORDS]);

impl Natural {
    fn new(value: u64) -> Natural {
        let mut words = [0; WORDS];
        words[0] = value as u32;
        words[1] = (value >> 32) as u32;
        Natural(words)
    }

    fn times(&mut self, factor: u32) {
        let mut carry = 0;
        for word in &mut self.0 {
            let product = u64::from(*word) * u64::from(factor) + carry;
            *word = product as u32;
            carry = product >> 32;
        }
    }

    fn times_power_of_ten(&mut self, exponent: u32) {
        for _ in 0..exponent / 9 {
            self.times(1_000_000_000);
        }
        for _ in 0..exponent % 9 {
            self.times(10);
        }
    }

    fn shifted(mut self, bits: u32) -> Natural {
        let (words, bits) = ((bits / 32) as usize, bits % 32);
        for at in (0..WORDS).rev() {
            self.0[at] = if at < words { 0 } else { self.0[at - words] };
        }
        self.times(1 << bits);
        self
    }

    fn compare(&self, other: &Natural) -> Ordering {
        for at in (0..WORDS).rev() {
            if self.0[at] != other.0[at] {
                return self.0[at].cmp(&other.0[at]);
            }
        }
        Ordering::Equal
    }

    /// Takes a smaller one away.
    fn minus(&mut self, other: &Natural) {
        let mut borrow = 0;
        for (word, &less) in self.0.iter_mut().zip(&other.0) {
            let difference = i64::from(*word) - i64::from(less) - borrow;
            *word = difference as u32;
            borrow = i64::from(difference < 0);
        }
    }

    /// How often another goes into it, which is up to 20 times; the rest stays.
    fn divide(&mut self, other: &Natural) -> u64 {
        let mut quotient = 0;
        while self.compare(other) != Ordering::Less {
            self.minus(other);
            quotient += 1;
        }
        quotient
    }

    fn is_zero(&self) -> bool {
        self.0 == [0; WORDS]
    }
}

/// A positive binary number: `mantissa` · 2^`exponent`.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    /// Not 0.
    pub mantissa: u64,
    /// Power of 2.
    pub exponent: i32,
    /// The next smaller number is half as far as the next greater one.
    pub is_power: bool,
}

/// What a number is in decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The fewest digits, without a zero at the end.
    pub digits: u64,
    /// The number is 0.DIGITS · 10^this.
    pub exponent: i32,
    /// The same of the number rounded to one digit, to the nearest, of two to the even one.
    pub rounded_exponent: i32,
}

/// The digits of a number.
pub fn decimal(number: Binary) -> Decimal {
    // Quarters, so that the middles to the neighbours are whole.
    let quarters = number.mantissa * 4;
    let power = number.exponent - 2;
    let shift = u32::try_from(power).unwrap_or(0);
    let below = quarters - if number.is_power { 1 } else { 2 };
    let mut value = Natural::new(quarters).shifted(shift);
    let mut low = Natural::new(below).shifted(shift);
    let mut high = Natural::new(quarters + 2).shifted(shift);
    let mut unit = Natural::new(1).shifted(u32::try_from(-power).unwrap_or(0));
    // log10(2) is 0.30103; the guess is right or too small by one.
    let bits = 64 - number.mantissa.leading_zeros() as i32;
    let mut exponent = ((number.exponent + bits - 1) * 30_103).div_euclid(100_000);
    unit.times_power_of_ten(u32::try_from(exponent).unwrap_or(0));
    for each in [&mut value, &mut low, &mut high] {
        each.times_power_of_ten(u32::try_from(-exponent).unwrap_or(0));
    }
    while value.compare(&unit) != Ordering::Less {
        unit.times(10);
        exponent += 1;
    }

    let rounded_exponent = exponent + i32::from(rounds_up_to_ten(value, &unit));
    let (mut least, mut greatest) = (low.divide(&unit), high.divide(&unit));
    let mut length = 0;
    loop {
        let last = if high.is_zero() {
            greatest - 1
        } else {
            greatest
        };
        if least < last {
            let (digits, zeros) = without_zeros((least + 1).midpoint(last));
            return Decimal {
                digits,
                exponent: exponent - length + zeros + count(digits),
                rounded_exponent,
            };
        }
        low.times(10);
        high.times(10);
        least = least * 10 + low.divide(&unit);
        greatest = greatest * 10 + high.divide(&unit);
        length += 1;
    }
}

/// Whether `value / unit`, which is from 0.1 up to 1, is 1 when rounded to one digit.
fn rounds_up_to_ten(mut value: Natural, unit: &Natural) -> bool {
    value.times(20);
    // A half is rounded to the even digit, 10.
    value.divide(unit) >= 19
}

fn without_zeros(mut digits: u64) -> (u64, i32) {
    let mut zeros = 0;
    while digits.is_multiple_of(10) {
        digits /= 10;
        zeros += 1;
    }
    (digits, zeros)
}

/// Decimal digits of a number.
fn count(mut number: u64) -> i32 {
    let mut count = 0;
    while number > 0 {
        number /= 10;
        count += 1;
    }
    count
}
