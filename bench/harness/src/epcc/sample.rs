//! Means of repeated timings, without outliers, with confidence intervals.

/// A timing further from the mean than this many standard deviations is an outlier (EPCC's benchmarks count them). With
/// ten timings or fewer there can be none.
const OUTLIER: f64 = 3.0;

/// Student's t for two-sided 95 % and 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];
/// The same for more degrees of freedom: at least as many as stated.
const STUDENT_OF_MANY: [(f64, f64); 3] = [(120.0, 1.980), (60.0, 2.000), (40.0, 2.021)];

/// A summary of repeated timings of one thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Mean of the timings that are kept.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// How many were kept.
    pub kept: usize,
    /// How many were left out.
    pub outliers: usize,
}

impl Sample {
    /// Summarises at least two timings. Outliers are determined once, and left out.
    pub fn of(timings: &[f64]) -> Sample {
        let (mean, deviation) = moments(timings);
        let kept: Vec<f64> = timings
            .iter()
            .copied()
            .filter(|timing| (timing - mean).abs() <= OUTLIER * deviation)
            .collect();
        let outliers = timings.len() - kept.len();
        let (mean, deviation) = moments(&kept);
        Sample {
            mean,
            deviation,
            kept: kept.len(),
            outliers,
        }
    }

    /// The variance of the mean.
    fn error(&self) -> f64 {
        self.deviation * self.deviation / self.kept as f64
    }
}

/// The difference of two means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The difference.
    pub mean: f64,
    /// The true difference lies within this distance with a probability of 95 %.
    pub half_width: f64,
}

/// `sample - factor * reference`, by Welch's method: the two have different deviations.
pub fn difference(sample: &Sample, reference: &Sample, factor: f64) -> Difference {
    let errors = [sample.error(), factor * factor * reference.error()];
    let freedoms = [sample.kept, reference.kept].map(|kept| kept as f64 - 1.0);
    let error = errors[0] + errors[1];
    let spread = errors[0].powi(2) / freedoms[0] + errors[1].powi(2) / freedoms[1];
    let freedom = if spread > 0.0 {
        error * error / spread
    } else {
        freedoms[0] + freedoms[1]
    };
    Difference {
        mean: sample.mean - factor * reference.mean,
        half_width: student(freedom) * error.sqrt(),
    }
}

/// Mean and standard deviation (with n - 1).
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// Student's t for two-sided 95 %. Between two entries of the tables, the one with fewer degrees of freedom counts.
fn student(freedom: f64) -> f64 {
    let many = STUDENT_OF_MANY.iter().find(|(least, _)| freedom >= *least);
    match many {
        Some((_, t)) => *t,
        None => STUDENT[(freedom.floor().clamp(1.0, 30.0) as usize) - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn without_outliers() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 9+1+1+1+0+0+4+16 = 32, 32/7 = 4.5714, its root 2.1381.
        let sample = Sample::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert!(near(sample.mean, 5.0) && near(sample.deviation, 2.1381));
        assert_eq!((sample.kept, sample.outliers), (8, 0));
    }

    #[test]
    fn one_outlier() {
        // Nineteen times 10 or 12 and once 1011: mean 61, deviation 224: 950 is more than 3 × 224 = 671 away.
        let mut timings: Vec<f64> = (0..19)
            .map(|i| if i % 2 == 0 { 10.0 } else { 12.0 })
            .collect();
        timings.push(1011.0);
        let sample = Sample::of(&timings);
        assert_eq!((sample.kept, sample.outliers), (19, 1));
        // Ten times 10 and nine times 12: mean 208/19, squares 10·(18/19)² + 9·(20/19)² = 360/19, over 18.
        assert!(near(sample.mean, 208.0 / 19.0));
        assert!(near(sample.deviation, (360.0_f64 / 19.0 / 18.0).sqrt()));
    }

    #[test]
    fn few_timings_have_no_outliers() {
        let mut timings = vec![1.0; 9];
        timings.push(1e9);
        assert_eq!(Sample::of(&timings).outliers, 0);
        timings.push(1.0);
        assert_eq!(Sample::of(&timings).outliers, 1);
    }

    #[test]
    fn equal_timings() {
        let sample = Sample::of(&[3.0; 5]);
        assert_eq!((sample.mean, sample.deviation, sample.kept), (3.0, 0.0, 5));
        let none = difference(&sample, &sample, 1.0);
        assert_eq!((none.mean, none.half_width), (0.0, 0.0));
    }

    #[test]
    fn welch() {
        // Variances 4 and 9, ten of each: error 0.4 + 0.9 = 1.3, freedom 1.3² / (0.16/9 + 0.81/9) = 15.68, t of 15:
        // 2.131.
        let sample = |mean, deviation| Sample {
            mean,
            deviation,
            kept: 10,
            outliers: 0,
        };
        let both = difference(&sample(20.0, 2.0), &sample(5.0, 3.0), 1.0);
        assert!(near(both.mean, 15.0) && near(both.half_width, 2.131 * 1.3_f64.sqrt()));
        // Twice the reference: error 0.4 + 3.6 = 4, freedom 16 / (0.16/9 + 12.96/9) = 10.98, t of 10: 2.228.
        let twice = difference(&sample(20.0, 2.0), &sample(5.0, 3.0), 2.0);
        assert!(near(twice.mean, 10.0) && near(twice.half_width, 2.228 * 2.0));
    }

    #[test]
    fn student_is_conservative() {
        assert_eq!(student(0.3), 12.706);
        assert_eq!(student(30.0), 2.042);
        assert_eq!(student(39.9), 2.042);
        assert_eq!(student(40.0), 2.021);
        assert_eq!(student(1e9), 1.980);
    }
}
