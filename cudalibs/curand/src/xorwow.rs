//! XORWOW (G. Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8(14), 2003, section 3.1), seeded as cuRAND documents it, with
//! sequences 2⁶⁷ apart.

/// The state of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xorwow {
    v: [u32; 5],
    d: u32,
}

/// What the Weyl sequence adds at each step.
const WEYL: u32 = 362_437;
/// Bits of the part that is linear over GF(2).
const BITS: usize = 160;
/// Steps between two sequences, as a power of two.
const APART: usize = 67;

/// A linear map of the state over GF(2): the images of the unit vectors.
type Map = Vec<[u32; 5]>;

fn apply(map: &Map, v: [u32; 5]) -> [u32; 5] {
    let mut image = [0; 5];
    for (bit, column) in map.iter().enumerate() {
        if v[bit / 32] >> (bit % 32) & 1 == 1 {
            (0..5).for_each(|word| image[word] ^= column[word]);
        }
    }
    image
}

fn squared(map: &Map) -> Map {
    map.iter().map(|column| apply(map, *column)).collect()
}

impl Xorwow {
    fn seeded(seed: u64) -> Xorwow {
        let low = (seed as u32 ^ 0xaad2_6b49).wrapping_mul(1_099_087_573);
        let high = ((seed >> 32) as u32 ^ 0xf7dc_efdd).wrapping_mul(2_591_861_531);
        Xorwow {
            v: [
                123_456_789_u32.wrapping_add(low),
                362_436_069 ^ low,
                521_288_629_u32.wrapping_add(high),
                88_675_123 ^ high,
                5_783_321_u32.wrapping_add(low),
            ],
            d: 6_615_241_u32.wrapping_add(high).wrapping_add(low),
        }
    }

    fn step(v: [u32; 5]) -> [u32; 5] {
        let t = v[0] ^ (v[0] >> 2);
        [
            v[1],
            v[2],
            v[3],
            v[4],
            (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1)),
        ]
    }

    /// The map of one step.
    fn one_step() -> Map {
        let unit = |bit: usize| {
            let mut v = [0; 5];
            v[bit / 32] = 1 << (bit % 32);
            v
        };
        (0..BITS).map(|bit| Xorwow::step(unit(bit))).collect()
    }

    /// The first sequences of a seed.
    pub fn sequences(seed: u64, count: usize) -> Vec<Xorwow> {
        let mut map = Xorwow::one_step();
        for _ in 0..APART {
            map = squared(&map);
        }
        let next = |state: &Xorwow| {
            // The Weyl sequence comes to the same number after 2³² steps.
            Some(Xorwow {
                v: apply(&map, state.v),
                d: state.d,
            })
        };
        std::iter::successors(Some(Xorwow::seeded(seed)), next)
            .take(count)
            .collect()
    }

    /// The maps for 1, 2, 4 … steps, as many as a number has bits.
    pub fn powers(steps: u64) -> Vec<Vec<[u32; 5]>> {
        let bits = (u64::BITS - steps.leading_zeros()) as usize;
        let map = (steps > 0).then(Xorwow::one_step);
        std::iter::successors(map, |map| Some(squared(map)))
            .take(bits)
            .collect()
    }

    /// Goes on by some steps.
    pub fn skip(&mut self, steps: u64, powers: &[Vec<[u32; 5]>]) {
        for (bit, map) in powers.iter().enumerate() {
            if steps >> bit & 1 == 1 {
                self.v = apply(map, self.v);
            }
        }
        self.d = self.d.wrapping_add(WEYL.wrapping_mul(steps as u32));
    }

    /// The next number.
    pub fn next(&mut self) -> u32 {
        self.v = Xorwow::step(self.v);
        self.d = self.d.wrapping_add(WEYL);
        self.v[4].wrapping_add(self.d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_curand() {
        let mut states = Xorwow::sequences(1234, 4);
        let first: Vec<u32> = states.iter_mut().map(Xorwow::next).collect();
        assert_eq!(first, [0x253d_5e15, 0xd1f7_605a, 0x8ce6_f6f8, 0x4b79_ff67]);
        let second: Vec<u32> = states.iter_mut().map(Xorwow::next).collect();
        assert_eq!(second, [0x6f55_8604, 0xed29_ae49, 0xcfd5_1210, 0x4efd_7f5a]);
    }

    #[test]
    fn skipping_is_as_good_as_stepping() {
        let mut stepped = Xorwow::sequences(7, 1)[0];
        let mut skipped = stepped;
        (0..1000).for_each(|_| {
            stepped.next();
        });
        skipped.skip(1000, &Xorwow::powers(1000));
        assert_eq!(stepped, skipped);
    }
}
