//! Numbers of a distribution, from random bits: the formulas that cuRAND documents.

use std::f64::consts::TAU;

/// 32 bits in (0, 1].
pub fn uniform(bits: u32) -> f32 {
    const STEP: f32 = 2.328_306_4e-10;
    bits as f32 * STEP + STEP / 2.0
}

/// 53 bits of two numbers in (0, 1].
pub fn uniform_double(low: u32, high: u32) -> f64 {
    const STEP: f64 = 1.110_223_024_625_156_5e-16;
    (u64::from(low) ^ u64::from(high) << 21) as f64 * STEP + STEP / 2.0
}

/// Two normal numbers of two in (0, 1] (G. Box, M. Muller, 1958).
pub fn box_muller(first: f64, second: f64) -> [f64; 2] {
    let radius = (-2.0 * first.ln()).sqrt();
    let (sine, cosine) = (TAU * second).sin_cos();
    [radius * sine, radius * cosine]
}

/// The normal number below which this share of all is (M. Wichura, "Algorithm AS 241", Appl. Statist. 37(3), 1988).
pub fn normal_quantile(share: f64) -> f64 {
    let q = share - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(&A, &B, r);
    }
    let tail = if q < 0.0 { share } else { 1.0 - share };
    // What rounding makes of the greatest share is no longer below 1.
    let r = (-tail.max(f64::MIN_POSITIVE).ln()).sqrt();
    let value = match r <= 5.0 {
        true => ratio(&C, &D, r - 1.6),
        false => ratio(&E, &F, r - 5.0),
    };
    value.copysign(q)
}

/// A quotient of polynomials.
fn ratio(above: &[f64; 8], below: &[f64; 8], r: f64) -> f64 {
    let polynomial = |terms: &[f64; 8]| terms.iter().rev().fold(0.0, |sum, term| sum * r + term);
    polynomial(above) / polynomial(below)
}

const A: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_461,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const B: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const C: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    7.745_450_142_783_414e-4,
];
const D: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const E: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const F: [f64; 8] = [
    1.0,
    0.599_832_206_555_887_9,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

/// A distribution of Poisson's.
pub struct Poisson {
    mean: f64,
    /// The share of all numbers up to each, from the first number on that matters.
    shares: Vec<f64>,
    first: u32,
}

/// Means up to which shares are counted one by one.
const COUNTED: f64 = 4000.0;

impl Poisson {
    /// The distribution of a mean that is positive.
    pub fn new(mean: f64) -> Poisson {
        let mut poisson = Poisson {
            mean,
            shares: Vec::new(),
            first: 0,
        };
        if mean > COUNTED {
            return poisson;
        }
        // Beyond twelve deviations there is nothing that 53 bits could tell.
        let reach = 12.0 * mean.sqrt() + 20.0;
        poisson.first = (mean - reach).max(0.0) as u32;
        let last = (mean + reach) as u32;
        let mut factorial: f64 = (1..=poisson.first).map(|one| f64::from(one).ln()).sum();
        let mut sum = 0.0;
        for number in poisson.first..=last {
            if number > poisson.first {
                factorial += f64::from(number).ln();
            }
            sum += (f64::from(number) * mean.ln() - mean - factorial).exp();
            poisson.shares.push(sum);
        }
        poisson
    }

    /// The number below which this share of all is.
    pub fn quantile(&self, share: f64) -> u32 {
        if self.shares.is_empty() {
            return (self.mean + self.mean.sqrt() * normal_quantile(share))
                .round()
                .max(0.0) as u32;
        }
        let index = self.shares.partition_point(|one| *one < share);
        self.first + index.min(self.shares.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_known_ones() {
        assert!(normal_quantile(0.5).abs() < 1e-15);
        assert!((normal_quantile(0.75) - 0.674_489_750_196_081_7).abs() < 1e-14);
        assert!((normal_quantile(0.001) + 3.090_232_306_167_813_5).abs() < 1e-13);
        assert!((normal_quantile(1e-10) + 6.361_340_902_404_056).abs() < 1e-12);
    }

    #[test]
    fn uniform_numbers_are_those_of_curand() {
        assert_eq!(uniform(0x253d_5e15), 0.145_467_639);
        assert_eq!(
            uniform_double(0x253d_5e15, 0x6f55_8604),
            0.434_898_804_388_412_94
        );
        assert_eq!(uniform(0), 1.164_153_2e-10);
    }

    #[test]
    fn poisson_has_its_mean_and_variance() {
        for mean in [0.5, 5.0, 300.0, 9000.0] {
            let poisson = Poisson::new(mean);
            let count = 20_000;
            let shares = (0..count).map(|one| (f64::from(one) + 0.5) / f64::from(count));
            let numbers: Vec<f64> = shares
                .map(|share| f64::from(poisson.quantile(share)))
                .collect();
            let average = numbers.iter().sum::<f64>() / f64::from(count);
            let variance = numbers
                .iter()
                .map(|one| (one - average).powi(2))
                .sum::<f64>()
                / f64::from(count);
            assert!(
                (average - mean).abs() < 0.01 * mean + 0.01,
                "{mean}: {average}"
            );
            assert!(
                (variance - mean).abs() < 0.03 * mean + 0.02,
                "{mean}: {variance}"
            );
        }
    }
}
