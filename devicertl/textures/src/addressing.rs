//! From a coordinate to the index of a texel (CUDA C++ Programming Guide, "Texture Fetching").

use crate::descriptor::Mode;

/// The largest integer that is not above `x`, and how far above it `x` is.
pub fn split(x: f32) -> (i32, f32) {
    let towards_zero = x as i32;
    let above = towards_zero as f32 > x;
    let floor = towards_zero.saturating_sub(above as i32);
    (floor, x - floor as f32)
}

/// A weight as the hardware has it: 9 bits, 8 of them behind the point.
pub fn weight(fraction: f32) -> f32 {
    let steps = (fraction * 256.0 + 0.5) as i32;
    steps.clamp(0, 256) as f32 / 256.0
}

/// The texel that is read for an index. `None`: the border.
pub fn index(index: i32, size: u32, mode: u32) -> Option<u32> {
    if (index as u32) < size {
        return Some(index as u32);
    }
    let size = size as i64;
    let index = index as i64;
    let inside = match mode {
        Mode::BORDER => return None,
        Mode::WRAP => index.rem_euclid(size.max(1)),
        Mode::MIRROR => {
            let period = index.rem_euclid((2 * size).max(1));
            period.min(2 * size - 1 - period)
        }
        _ => index.clamp(0, (size - 1).max(0)),
    };
    Some(inside as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_outside() {
        let all = |mode| [-5, -1, 0, 3, 4, 9].map(|at| index(at, 4, mode));
        let inside = |texels: [u32; 6]| texels.map(Some);
        assert_eq!(all(Mode::CLAMP), inside([0, 0, 0, 3, 3, 3]));
        assert_eq!(all(Mode::WRAP), inside([3, 3, 0, 3, 0, 1]));
        assert_eq!(all(Mode::MIRROR), inside([3, 0, 0, 3, 3, 1]));
        let border = [None, None, Some(0), Some(3), None, None];
        assert_eq!(all(Mode::BORDER), border);
    }

    #[test]
    fn weights_have_eight_bits() {
        assert_eq!(weight(1.0), 1.0);
        assert_eq!(weight(0.3), 77.0 / 256.0);
        assert_eq!(split(-0.25), (-1, 0.75));
        assert_eq!(split(f32::NAN).0, 0);
        assert_eq!(split(-1e30).0, i32::MIN);
    }
}
