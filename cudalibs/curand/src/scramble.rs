//! Scrambled Sobol sequences: a random linear change of each dimension's digits, and a random shift (J. Matoušek, "On
//! the L2-discrepancy for anchored boxes", J. Complexity 14, 1998). Points fill boxes as evenly as before. cuRAND's own
//! change is written down nowhere: these sequences are others than its.

use std::sync::OnceLock;

use crate::sobol::{self, Directions};

/// A generator of random bits (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// The vectors of a dimension, and its shift.
fn scrambled(dimension: usize, vectors: &Directions) -> (Directions, u64) {
    let mut random = SplitMix(dimension as u64);
    // What a digit becomes: itself, and random digits behind it. The first digit is the highest bit.
    let images: [u64; 64] = std::array::from_fn(|digit| {
        let place = 1 << (63 - digit);
        place | random.next() & (place - 1)
    });
    let change = |vector: &u64| {
        let digits = (0..64).filter(|digit| vector >> (63 - digit) & 1 == 1);
        digits.fold(0, |sum, digit| sum ^ images[digit])
    };
    let changed = std::array::from_fn(|index| change(&vectors[index]));
    (changed, random.next())
}

/// All dimensions' vectors and shifts.
struct Scrambled {
    vectors: Vec<Directions>,
    shifts: Vec<u64>,
}

fn all() -> &'static Scrambled {
    static ALL: OnceLock<Scrambled> = OnceLock::new();
    ALL.get_or_init(|| {
        let dimensions = sobol::all().iter().enumerate();
        let (vectors, shifts) = dimensions.map(|(index, one)| scrambled(index, one)).unzip();
        Scrambled { vectors, shifts }
    })
}

/// The direction vectors of all dimensions.
pub fn directions() -> &'static [Directions] {
    &all().vectors
}

/// What all coordinates of each dimension are changed by.
pub fn shifts() -> &'static [u64] {
    &all().shifts
}

/// The upper halves of the direction vectors.
pub fn short_directions() -> &'static [[u32; 32]] {
    static ALL: OnceLock<Vec<[u32; 32]>> = OnceLock::new();
    ALL.get_or_init(|| directions().iter().map(sobol::short).collect())
}

/// The upper halves of the shifts.
pub fn short_shifts() -> &'static [u32] {
    static ALL: OnceLock<Vec<u32>> = OnceLock::new();
    ALL.get_or_init(|| shifts().iter().map(|shift| (shift >> 32) as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_still_fill_every_interval() {
        for dimension in [0, 1, 17, sobol::DIMENSIONS - 1] {
            let (vectors, shift) = (&directions()[dimension], shifts()[dimension]);
            let mut seen = [false; 256];
            for number in 0..256 {
                let point = sobol::coordinate(vectors, number) ^ shift;
                seen[(point >> 56) as usize] = true;
            }
            assert!(seen.iter().all(|seen| *seen), "dimension {dimension}");
        }
    }

    #[test]
    fn pairs_still_fill_boxes() {
        // The first two dimensions are a (0, 2)-sequence: each of 16 boxes of 4 by 4 has one of 16 points.
        let digits = |dimension: usize, number| {
            let point = sobol::coordinate(&directions()[dimension], number) ^ shifts()[dimension];
            (point >> 62) as usize
        };
        let mut boxes = [0; 16];
        (0..16).for_each(|number| boxes[4 * digits(0, number) + digits(1, number)] += 1);
        assert_eq!(boxes, [1; 16]);
    }
}
