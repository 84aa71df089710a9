//! Sobol's sequences, with the direction numbers of S. Joe and F. Kuo ("Constructing Sobol sequences with better
//! two-dimensional projections", SIAM J. Sci. Comput. 30(5), 2008), in the order of a Gray code.

use std::sync::OnceLock;

use sobol::params::JoeKuoD6;

/// As many dimensions as cuRAND has.
pub const DIMENSIONS: usize = 20_000;

/// The direction vectors of a dimension.
pub type Directions = [u64; 64];

fn directions(parameters: Option<&sobol::params::JoeKuoD6Dim>) -> Directions {
    let mut vectors = [0; 64];
    let Some(parameters) = parameters else {
        // The first dimension has no polynomial: van der Corput's sequence.
        return std::array::from_fn(|index| 1 << (63 - index));
    };
    let degree = parameters.m.len();
    for (index, m) in parameters.m.iter().enumerate() {
        vectors[index] = u64::from(*m) << (63 - index);
    }
    for index in degree..64 {
        let mut vector = vectors[index - degree] ^ (vectors[index - degree] >> degree);
        for term in 1..degree {
            if parameters.a >> (degree - 1 - term) & 1 == 1 {
                vector ^= vectors[index - term];
            }
        }
        vectors[index] = vector;
    }
    vectors
}

/// The direction vectors of all dimensions.
pub fn all() -> &'static [Directions] {
    static ALL: OnceLock<Vec<Directions>> = OnceLock::new();
    ALL.get_or_init(|| {
        let parameters = JoeKuoD6::extended().dim_params;
        let others = parameters.iter().map(|one| directions(Some(one)));
        std::iter::once(directions(None))
            .chain(others)
            .take(DIMENSIONS)
            .collect()
    })
}

/// The same, 32 bits of 32 vectors.
pub fn all_short() -> &'static [[u32; 32]] {
    static ALL: OnceLock<Vec<[u32; 32]>> = OnceLock::new();
    ALL.get_or_init(|| all().iter().map(short).collect())
}

/// 32 bits of a dimension's first 32 vectors.
pub fn short(one: &Directions) -> [u32; 32] {
    std::array::from_fn(|index| (one[index] >> 32) as u32)
}

/// A point's coordinate: the vectors that the Gray code of its number names.
pub fn coordinate(directions: &Directions, number: u64) -> u64 {
    let gray = number ^ (number >> 1);
    let named = (0..64).filter(|bit| gray >> bit & 1 == 1);
    named.fold(0, |sum, bit| sum ^ directions[bit])
}

/// The coordinate of the next point.
pub fn next(directions: &Directions, coordinate: u64, number: u64) -> u64 {
    coordinate ^ directions[(number.trailing_ones() as usize).min(63)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_curand() {
        let short = |dimension: usize, number| (coordinate(&all()[dimension], number) >> 32) as u32;
        let first: Vec<u32> = (0..8).map(|number| short(0, number)).collect();
        let expected = [
            0,
            0x8000_0000,
            0xc000_0000,
            0x4000_0000,
            0x6000_0000,
            0xe000_0000,
            0xa000_0000,
            0x2000_0000,
        ];
        assert_eq!(first, expected);
        let second: Vec<u32> = (0..4).map(|number| short(1, number)).collect();
        assert_eq!(second, [0, 0x8000_0000, 0x4000_0000, 0xc000_0000]);
        let third = &all()[2];
        assert_eq!(
            next(third, coordinate(third, 1000), 1000),
            coordinate(third, 1001)
        );
    }
}
