//! Rounding to `bfloat`, which the back end asks for where it makes loops of atomic operations. Debian's compiler
//! support has no such functions.

/// `__truncsfbf2`: rounds to the nearest `bfloat`, to the even one of two. The result is the lower half of a register
/// for floating-point numbers, here of one of 32 bits.
pub extern "C" fn from_float(number: f32) -> f32 {
    f32::from_bits(u32::from(nearest(number)))
}

/// `__truncdfbf2`: the same for a `double`.
pub extern "C" fn from_double(number: f64) -> f32 {
    from_float(to_odd(number))
}

fn nearest(number: f32) -> u16 {
    let bits = number.to_bits();
    let upper = bits >> 16;
    let rounded = match number.is_nan() {
        true => upper | 0x40,
        false => (bits + 0x7fff + (upper & 1)) >> 16,
    };
    rounded as u16
}

/// The `float` next to a number; of those around it the one that is odd as a bit pattern, so that rounding once more
/// is as if it were once.
fn to_odd(number: f64) -> f32 {
    let near = number as f32;
    let back = f64::from(near);
    if number.is_nan() || back == number {
        return near;
    }
    let away = u32::from(back.abs() > number.abs());
    f32::from_bits((near.to_bits() - away) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `number` rounded by its definition: the nearest of all finite numbers, the even one of two.
    fn by_search(number: f64) -> u16 {
        let value = |bits: u16| f64::from(f32::from_bits(u32::from(bits) << 16));
        let sign = u16::from(number.is_sign_negative()) << 15;
        // Behind the largest finite number is what would be the next power of two.
        let place = |bits: u16| match bits {
            0x7f80 => 2f64.powi(128),
            _ => value(bits),
        };
        let above = (0..=0x7f80).find(|&bits| place(bits) >= number.abs());
        let above = above.unwrap_or(0x7f80);
        let below = above.saturating_sub(1);
        let (up, down) = (place(above) - number.abs(), number.abs() - place(below));
        let nearest = match up.total_cmp(&down) {
            std::cmp::Ordering::Less => above,
            std::cmp::Ordering::Greater => below,
            std::cmp::Ordering::Equal if above % 2 == 0 => above,
            std::cmp::Ordering::Equal => below,
        };
        sign | nearest
    }

    #[test]
    fn numbers_round_to_the_nearest() {
        let mut numbers = vec![
            0.0,
            1.0,
            1.00390625,
            1.01171875,
            3.4e38,
            3.3961775e38,
            1e-40,
            9.2e-41,
            4.6e-41,
            1e300,
        ];
        // Next to the middle of two.
        let middle = 1.00390625f64;
        numbers.extend([
            middle.next_up(),
            middle.next_down(),
            2f64.powi(-134),
            2f64.powi(-134).next_up(),
        ]);
        for number in numbers.into_iter().flat_map(|it| [it, -it]) {
            assert_eq!(nearest(to_odd(number)), by_search(number), "{number:e}");
            let float = number as f32;
            assert_eq!(nearest(float), by_search(f64::from(float)), "{float:e}");
        }
    }

    #[test]
    fn what_is_no_number_stays_so() {
        assert_eq!(nearest(f32::INFINITY), 0x7f80);
        assert_eq!(nearest(to_odd(f64::NEG_INFINITY)), 0xff80);
        assert_eq!(nearest(f32::from_bits(0x7f800001)), 0x7fc0);
        assert_eq!(nearest(to_odd(f64::NAN)) & 0x7fc0, 0x7fc0);
    }
}
