//! MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
//! generators", Operations Research 47(1), 1999), with sequences 2⁷⁶ apart.

/// The state of a sequence: the last three numbers of both recursions, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mrg32k3a {
    first: [u64; 3],
    second: [u64; 3],
}

const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;
/// Steps between two sequences, as a power of two.
const APART: usize = 76;

/// A linear map of three numbers.
type Map = [[u64; 3]; 3];

/// The step of the first recursion: 1403580 x₂ − 810728 x₃.
const STEP_1: Map = [[0, 1, 0], [0, 0, 1], [M1 - 810_728, 1_403_580, 0]];
/// The step of the second: 527612 x₁ − 1370589 x₃.
const STEP_2: Map = [[0, 1, 0], [0, 0, 1], [M2 - 1_370_589, 0, 527_612]];

fn apply(map: &Map, v: [u64; 3], modulus: u64) -> [u64; 3] {
    map.map(|row| {
        let products = row
            .iter()
            .zip(v)
            .map(|(factor, value)| factor * value % modulus);
        products.sum::<u64>() % modulus
    })
}

fn squared(map: &Map, modulus: u64) -> Map {
    let column = |index: usize| apply(map, map.map(|row| row[index]), modulus);
    let columns = [column(0), column(1), column(2)];
    [0, 1, 2].map(|row| columns.map(|column| column[row]))
}

/// The maps of both recursions for 2ⁿ steps.
fn power(exponent: usize) -> (Map, Map) {
    (0..exponent).fold((STEP_1, STEP_2), |(one, two), _| {
        (squared(&one, M1), squared(&two, M2))
    })
}

impl Mrg32k3a {
    fn seeded(seed: u64) -> Mrg32k3a {
        let (mut first, mut second) = ([12_345; 3], [12_345; 3]);
        if seed != 0 {
            let x = u64::from(seed as u32 ^ 0x5555_5555);
            let y = u64::from((seed >> 32) as u32 ^ 0xAAAA_AAAA);
            first = [x * 12_345 % M1, y * 12_345 % M1, x * 12_345 % M1];
            second = [y * 12_345 % M2, x * 12_345 % M2, y * 12_345 % M2];
        }
        Mrg32k3a { first, second }
    }

    fn mapped(self, (one, two): &(Map, Map)) -> Mrg32k3a {
        Mrg32k3a {
            first: apply(one, self.first, M1),
            second: apply(two, self.second, M2),
        }
    }

    /// The first sequences of a seed.
    pub fn sequences(seed: u64, count: usize) -> Vec<Mrg32k3a> {
        let map = power(APART);
        let next = |state: &Mrg32k3a| Some(state.mapped(&map));
        std::iter::successors(Some(Mrg32k3a::seeded(seed)), next)
            .take(count)
            .collect()
    }

    /// Goes on by some steps.
    pub fn skip(&mut self, steps: u64) {
        let mut map = (STEP_1, STEP_2);
        let mut left = steps;
        while left > 0 {
            if left & 1 == 1 {
                *self = self.mapped(&map);
            }
            map = (squared(&map.0, M1), squared(&map.1, M2));
            left >>= 1;
        }
    }

    /// The next number, from 1 to M1.
    fn next(&mut self) -> u64 {
        let one = (1_403_580 * self.first[1] + (M1 - 810_728) * self.first[0] % M1) % M1;
        let two = (527_612 * self.second[2] + (M2 - 1_370_589) * self.second[0] % M2) % M2;
        self.first = [self.first[1], self.first[2], one];
        self.second = [self.second[1], self.second[2], two];
        if one > two { one - two } else { one + M1 - two }
    }

    /// The next number of 32 bits.
    pub fn next_bits(&mut self) -> u32 {
        /// (2³² − 1) / M1: what makes the greatest number all ones.
        const STRETCH: f64 = 1.000_000_048_662;
        (self.next() as f64 * STRETCH) as u32
    }

    /// The next number in (0, 1].
    pub fn next_uniform(&mut self) -> f64 {
        /// As cuRAND has it: a little less than 1 / M1.
        const SCALE: f64 = 2.328_306_549_837_828_8e-10;
        self.next() as f64 * SCALE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_curand() {
        let mut states = Mrg32k3a::sequences(1234, 4);
        let first: Vec<u32> = states.iter_mut().map(Mrg32k3a::next_bits).collect();
        assert_eq!(first, [0xc968_91f0, 0x26f0_d612, 0xef26_9080, 0xfc8f_a50e]);
        assert_eq!(states[0].next_bits(), 0x9650_c684);
        let mut uniform = Mrg32k3a::sequences(1234, 1)[0];
        assert!((uniform.next_uniform() - 0.786_751_862_715_729_39).abs() < 1e-16);
    }

    #[test]
    fn skipping_is_as_good_as_stepping() {
        let mut stepped = Mrg32k3a::sequences(7, 1)[0];
        let mut skipped = stepped;
        (0..1000).for_each(|_| {
            stepped.next_bits();
        });
        skipped.skip(1000);
        assert_eq!(stepped, skipped);
    }
}
