//! Generators: what programs hold handles of, and how their sequences become one.
//!
//! cuRAND's documents say how: of XORWOW and MRG32k3a, number n is of the sequence n mod 4096 (MRG32k3a in its newer
//! order: 81920); of Philox, four numbers after four are of 65536 sequences in turn. Doubles and pairs of normal
//! numbers take what they need of their sequence.

use cuda_library::handles::Handles;
use parking_lot::Mutex;

use crate::distributions::{box_muller, normal_quantile, uniform, uniform_double};
use crate::mrg32k3a::Mrg32k3a;
use crate::mt19937::Mt19937;
use crate::philox;
use crate::scramble;
use crate::sobol::{self, Directions};
use crate::status::{Result, Status};
use crate::xorwow::Xorwow;

/// `curandRngType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// XORWOW, which is the default.
    Xorwow,
    /// MRG32k3a.
    Mrg32k3a,
    /// Philox4x32-10.
    Philox,
    /// The Mersenne twister.
    Mt19937,
    /// Sobol's sequences of 32 bits.
    Sobol32,
    /// Sobol's sequences of 64 bits.
    Sobol64,
    /// Scrambled ones of 32 bits.
    ScrambledSobol32,
    /// Scrambled ones of 64 bits.
    ScrambledSobol64,
}

impl Kind {
    /// The sort of a number.
    pub fn of(number: i32) -> Result<Kind> {
        Ok(match number {
            100 | 101 => Kind::Xorwow,
            121 => Kind::Mrg32k3a,
            142 => Kind::Mt19937,
            161 => Kind::Philox,
            200 | 201 => Kind::Sobol32,
            202 => Kind::ScrambledSobol32,
            203 => Kind::Sobol64,
            204 => Kind::ScrambledSobol64,
            _ => return Err(Status::TYPE_ERROR),
        })
    }

    /// Whether it has dimensions in place of a seed.
    pub fn is_quasi(self) -> bool {
        self.is_wide() || matches!(self, Kind::Sobol32 | Kind::ScrambledSobol32)
    }

    /// Whether its numbers have 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::Sobol64 | Kind::ScrambledSobol64)
    }

    /// The direction vectors of a dimension, and what is added to all coordinates, digit by digit.
    fn dimension(self, index: usize) -> (&'static Directions, u64) {
        match self {
            Kind::ScrambledSobol32 | Kind::ScrambledSobol64 => {
                (&scramble::directions()[index], scramble::shifts()[index])
            }
            _ => (&sobol::all()[index], 0),
        }
    }
}

/// Where a generator is.
#[derive(Clone)]
enum State {
    /// Nothing was asked for since it was set up.
    Fresh,
    Xorwow(Vec<Xorwow>),
    Mrg32k3a(Vec<Mrg32k3a>),
    /// The next number of each sequence: the counter, and which of the block's four.
    Philox(Vec<u64>),
    Mt19937(Box<Mt19937>),
    /// The number of the next point.
    Sobol(u64),
}

/// A generator.
#[derive(Clone)]
pub struct Generator {
    /// Its sort.
    pub kind: Kind,
    /// Whether its numbers go to memory of the host.
    pub on_host: bool,
    /// Where the work goes.
    pub stream: usize,
    seed: u64,
    offset: u64,
    is_legacy: bool,
    dimensions: usize,
    state: State,
    /// The sequence that is next.
    turn: usize,
}

/// What programs hold handles of.
pub static GENERATORS: Handles<Mutex<Generator>> = Handles::starting_at(0x4A4D_0000);

/// Sequences of each generator.
const XORWOW: usize = 4096;
const MRG32K3A: usize = 81_920;
const PHILOX: usize = 65_536;

/// What is made of random bits, and how many sequences' turns that takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// Numbers of 32 bits.
    Bits,
    /// `float` in (0, 1].
    Uniform,
    /// `double` in (0, 1].
    UniformDouble,
    /// Normal `float`, by mean and deviation.
    Normal(f32, f32),
    /// Normal `double`, by mean and deviation.
    NormalDouble(f64, f64),
}

impl Generator {
    /// A generator of a sort.
    pub fn new(kind: Kind, on_host: bool) -> Generator {
        Generator {
            kind,
            on_host,
            stream: 0,
            seed: 0,
            offset: 0,
            is_legacy: false,
            dimensions: 1,
            state: State::Fresh,
            turn: 0,
        }
    }

    /// Begins anew with a seed.
    pub fn set_seed(&mut self, seed: u64) -> Result<()> {
        if self.kind.is_quasi() {
            return Err(Status::TYPE_ERROR);
        }
        (self.seed, self.state) = (seed, State::Fresh);
        Ok(())
    }

    /// Begins anew at a number.
    pub fn set_offset(&mut self, offset: u64) -> Result<()> {
        if self.kind == Kind::Mt19937 {
            return Err(Status::TYPE_ERROR);
        }
        (self.offset, self.state) = (offset, State::Fresh);
        Ok(())
    }

    /// `curandOrdering_t`: of pseudo-random numbers 100 to 104, of quasi-random ones 201.
    pub fn set_ordering(&mut self, ordering: i32) -> Result<()> {
        let allowed = match self.kind {
            kind if kind.is_quasi() => ordering == 201,
            Kind::Xorwow => matches!(ordering, 100 | 101 | 103 | 104),
            _ => matches!(ordering, 100 | 101 | 103 | 104),
        };
        if !allowed {
            return Err(Status::OUT_OF_RANGE);
        }
        (self.is_legacy, self.state) = (ordering == 103, State::Fresh);
        Ok(())
    }

    /// The number of dimensions.
    pub fn set_dimensions(&mut self, dimensions: usize) -> Result<()> {
        if !self.kind.is_quasi() {
            return Err(Status::TYPE_ERROR);
        }
        if !(1..=sobol::DIMENSIONS).contains(&dimensions) {
            return Err(Status::OUT_OF_RANGE);
        }
        (self.dimensions, self.state) = (dimensions, State::Fresh);
        Ok(())
    }

    /// Checks how many numbers are wanted.
    pub fn check_count(&self, count: usize, wanted: Wanted) -> Result<()> {
        let is_pair = matches!(wanted, Wanted::Normal(..) | Wanted::NormalDouble(..));
        let fits = match self.kind.is_quasi() {
            true => count.is_multiple_of(self.dimensions),
            false => !is_pair || count.is_multiple_of(2),
        };
        if fits {
            Ok(())
        } else {
            Err(Status::LENGTH_NOT_MULTIPLE)
        }
    }

    /// Makes the sequences, at the place that was set.
    fn set_up(&mut self) {
        if !matches!(self.state, State::Fresh) {
            return;
        }
        let offset = self.offset;
        // Each sequence's own steps to the place, of sequences that take turns for `each` numbers.
        let steps = |count: usize, each: u64, index: usize| {
            let (turns, rest) = (
                offset / (count as u64 * each),
                offset % (count as u64 * each),
            );
            let own = rest.saturating_sub(index as u64 * each).min(each);
            turns * each + own
        };
        self.turn = 0;
        match self.kind {
            Kind::Xorwow => {
                let mut states = Xorwow::sequences(self.seed, XORWOW);
                let powers = Xorwow::powers(steps(XORWOW, 1, 0));
                let all = states.iter_mut().enumerate();
                all.for_each(|(index, state)| state.skip(steps(XORWOW, 1, index), &powers));
                self.turn = (offset % XORWOW as u64) as usize;
                self.state = State::Xorwow(states);
            }
            Kind::Mrg32k3a => {
                let count = if self.is_legacy { XORWOW } else { MRG32K3A };
                let mut states = Mrg32k3a::sequences(self.seed, count);
                let all = states.iter_mut().enumerate();
                all.for_each(|(index, state)| state.skip(steps(count, 1, index)));
                self.turn = (offset % count as u64) as usize;
                self.state = State::Mrg32k3a(states);
            }
            Kind::Philox => {
                self.turn = (offset / 4 % PHILOX as u64) as usize;
                self.state =
                    State::Philox((0..PHILOX).map(|index| steps(PHILOX, 4, index)).collect());
            }
            Kind::Mt19937 => self.state = State::Mt19937(Box::new(Mt19937::seeded(self.seed))),
            Kind::Sobol32 | Kind::Sobol64 | Kind::ScrambledSobol32 | Kind::ScrambledSobol64 => {
                self.state = State::Sobol(offset)
            }
        }
    }

    /// Hands numbers out, as `f64` or as bits: `put` gets each with its index. 32 bits fit both.
    pub fn make(&mut self, count: usize, wanted: Wanted, mut put: impl FnMut(usize, Number)) {
        self.set_up();
        if let State::Sobol(number) = self.state {
            self.make_points(number, count, wanted, put);
            return;
        }
        let mut numbers = [Number::Bits(0); 4];
        let mut done = 0;
        while done < count {
            let made = self.take_turn(wanted, &mut numbers);
            for number in &numbers[..made.min(count - done)] {
                put(done, *number);
                done += 1;
            }
        }
    }

    /// The next sequence's numbers.
    fn take_turn(&mut self, wanted: Wanted, numbers: &mut [Number; 4]) -> usize {
        let turn = self.turn;
        let mut advance = |count: usize| self.turn = if turn + 1 == count { 0 } else { turn + 1 };
        match &mut self.state {
            State::Xorwow(states) => {
                advance(states.len());
                let state = &mut states[turn];
                of_bits(wanted, || state.next(), numbers, 1)
            }
            State::Mrg32k3a(states) => {
                advance(states.len());
                of_quotients(wanted, &mut states[turn], numbers)
            }
            State::Philox(states) => {
                advance(states.len());
                let place = &mut states[turn];
                // After an offset within a block, the rest of the block is left.
                let most = match wanted {
                    Wanted::Bits | Wanted::Uniform => 4 - (*place % 4) as usize,
                    _ => 4,
                };
                let next = || {
                    let block = philox::block(*place / 4, turn as u64, self.seed);
                    *place += 1;
                    block[((*place - 1) % 4) as usize]
                };
                of_bits(wanted, next, numbers, most)
            }
            State::Mt19937(state) => of_bits(wanted, || state.next(), numbers, 1),
            State::Sobol(_) | State::Fresh => 0,
        }
    }

    /// Points of Sobol's sequences: all first coordinates, then all second ones, and so on.
    fn make_points(
        &mut self,
        first: u64,
        count: usize,
        wanted: Wanted,
        mut put: impl FnMut(usize, Number),
    ) {
        let points = count / self.dimensions;
        let is_wide = self.kind.is_wide();
        for dimension in 0..self.dimensions {
            let (directions, shift) = self.kind.dimension(dimension);
            let mut coordinate = sobol::coordinate(directions, first);
            for point in 0..points {
                put(
                    dimension * points + point,
                    of_coordinate(wanted, coordinate ^ shift, is_wide),
                );
                coordinate = sobol::next(directions, coordinate, first + point as u64);
            }
        }
        self.state = State::Sobol(first + points as u64);
    }
}

/// A number that was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Bits: 32 of them, or 64.
    Bits(u64),
    /// A real number.
    Real(f64),
}

impl Number {
    /// Bits.
    pub fn bits(self) -> u64 {
        match self {
            Number::Bits(bits) => bits,
            Number::Real(_) => 0,
        }
    }

    /// A real number.
    pub fn real(self) -> f64 {
        match self {
            Number::Bits(_) => 0.0,
            Number::Real(real) => real,
        }
    }
}

/// Numbers from bits, up to `most` at once. Pairs take two at once.
fn of_bits(
    wanted: Wanted,
    mut next: impl FnMut() -> u32,
    numbers: &mut [Number; 4],
    most: usize,
) -> usize {
    let pair = |[one, two]: [f64; 2], mean: f64, deviation: f64| {
        [
            Number::Real(mean + deviation * one),
            Number::Real(mean + deviation * two),
        ]
    };
    let count = match wanted {
        Wanted::Normal(..) | Wanted::NormalDouble(..) => most.max(2),
        _ => most,
    };
    let mut index = 0;
    while index < count {
        match wanted {
            Wanted::Bits => numbers[index] = Number::Bits(next().into()),
            Wanted::Uniform => numbers[index] = Number::Real(uniform(next()).into()),
            Wanted::UniformDouble => numbers[index] = Number::Real(uniform_double(next(), next())),
            Wanted::Normal(mean, deviation) => {
                let (one, two) = (uniform(next()).into(), uniform(next()).into());
                let both = pair(box_muller(one, two), mean.into(), deviation.into());
                numbers[index..index + 2].copy_from_slice(&both);
                index += 1;
            }
            Wanted::NormalDouble(mean, deviation) => {
                let (one, two) = (
                    uniform_double(next(), next()),
                    uniform_double(next(), next()),
                );
                numbers[index..index + 2].copy_from_slice(&pair(
                    box_muller(one, two),
                    mean,
                    deviation,
                ));
                index += 1;
            }
        }
        index += 1;
    }
    count
}

/// Numbers of MRG32k3a, whose recursion makes quotients.
fn of_quotients(wanted: Wanted, state: &mut Mrg32k3a, numbers: &mut [Number; 4]) -> usize {
    let (mean, deviation) = match wanted {
        Wanted::Bits => {
            numbers[0] = Number::Bits(state.next_bits().into());
            return 1;
        }
        Wanted::Uniform | Wanted::UniformDouble => {
            numbers[0] = Number::Real(state.next_uniform());
            return 1;
        }
        Wanted::Normal(mean, deviation) => (mean.into(), deviation.into()),
        Wanted::NormalDouble(mean, deviation) => (mean, deviation),
    };
    let pair = box_muller(state.next_uniform(), state.next_uniform());
    numbers[0] = Number::Real(mean + deviation * pair[0]);
    numbers[1] = Number::Real(mean + deviation * pair[1]);
    2
}

/// A number from a coordinate.
fn of_coordinate(wanted: Wanted, coordinate: u64, is_wide: bool) -> Number {
    let short = (coordinate >> 32) as u32;
    let single = f64::from(uniform(short));
    let double = match is_wide {
        true => (coordinate >> 11) as f64 * 1.110_223_024_625_156_5e-16 + 5.551_115_123_125_783e-17,
        false => f64::from(short) * 2.328_306_436_538_696_3e-10 + 2.328_306_436_538_696_3e-10,
    };
    match wanted {
        Wanted::Bits if is_wide => Number::Bits(coordinate),
        Wanted::Bits => Number::Bits(short.into()),
        Wanted::Uniform => Number::Real(single),
        Wanted::UniformDouble => Number::Real(double),
        Wanted::Normal(mean, deviation) => {
            Number::Real(f64::from(mean) + f64::from(deviation) * normal_quantile(single))
        }
        Wanted::NormalDouble(mean, deviation) => {
            Number::Real(mean + deviation * normal_quantile(double))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(generator: &mut Generator, count: usize, wanted: Wanted) -> Vec<Number> {
        let mut numbers = vec![Number::Bits(0); count];
        generator.make(count, wanted, |index, number| numbers[index] = number);
        numbers
    }

    fn seeded(kind: Kind) -> Generator {
        let mut generator = Generator::new(kind, true);
        generator.set_seed(1234).expect("it has a seed");
        generator
    }

    /// What cuRAND 10.3.10's host generators gave for seed 1234 (the places that are named, and the first numbers).
    #[test]
    fn numbers_are_those_of_curand() {
        let places = [
            (
                Kind::Xorwow,
                [
                    (4, 0xea2b_ee0d),
                    (4096, 0x6f55_8604),
                    (204_800, 0xb98a_d647),
                ],
            ),
            (
                Kind::Mrg32k3a,
                [(4, 0xfcef_6715), (4096, 0x9dda_211d), (81_920, 0x9650_c684)],
            ),
            (
                Kind::Philox,
                [(4, 0xd115_a128), (4096, 0x7a66_35c0), (81_920, 0xc071_2926)],
            ),
        ];
        for (kind, places) in places {
            let numbers = made(&mut seeded(kind), 204_801, Wanted::Bits);
            for (place, bits) in places {
                assert_eq!(numbers[place], Number::Bits(bits), "{kind:?} {place}");
            }
            let mut generator = seeded(kind);
            generator.set_offset(5001).expect("it has places");
            assert_eq!(
                made(&mut generator, 9, Wanted::Bits),
                numbers[5001..5010],
                "{kind:?}"
            );
        }
    }

    #[test]
    fn real_numbers_are_those_of_curand() {
        let close = |numbers: Vec<Number>, expected: &[f64], error: f64| {
            for (number, expected) in numbers.into_iter().zip(expected) {
                assert!(
                    (number.real() - expected).abs() < error,
                    "{number:?} {expected}"
                );
            }
        };
        let normal = Wanted::Normal(0.0, 1.0);
        let normal_double = Wanted::NormalDouble(0.0, 1.0);
        let single = made(&mut seeded(Kind::Xorwow), 4, normal);
        close(
            single,
            &[0.780_973_554, -1.801_578_16, -0.280_848_563, 0.563_546_598],
            1e-6,
        );
        let double = made(&mut seeded(Kind::Xorwow), 4, normal_double);
        close(
            double,
            &[
                0.358_739_798_524,
                -1.239_592_503_224,
                -0.091_495_399_774,
                -0.380_118_938_684,
            ],
            1e-11,
        );
        let single = made(&mut seeded(Kind::Philox), 4, normal);
        close(
            single,
            &[-1.616_490_48, 1.229_155_42, -1.560_540_44, 0.464_621_365],
            1e-6,
        );
        let double = made(&mut seeded(Kind::Philox), 4, normal_double);
        close(
            double,
            &[
                -0.539_526_695_907,
                0.160_633_346_442,
                1.008_196_707_737,
                1.832_249_247_815,
            ],
            1e-11,
        );
        let double = made(&mut seeded(Kind::Mrg32k3a), 4, normal_double);
        close(
            double,
            &[
                -0.360_653_646_112,
                -0.591_281_403_742,
                -1.718_536_061_653,
                -0.901_612_625_217,
            ],
            1e-11,
        );
        let uniform = made(&mut seeded(Kind::Philox), 3, Wanted::UniformDouble);
        close(
            uniform,
            &[
                0.853_468_995_430_014,
                0.796_055_148_832_705,
                0.112_275_573_300_343,
            ],
            1e-14,
        );
    }
}
