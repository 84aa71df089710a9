//! Quantiles and means of samples.

use std::collections::BTreeMap;

/// The quantile `part` (0 to 1) of samples in ascending order, interpolated; there must be one.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * (place - place.floor())
}

/// Lower quartile, median and upper quartile; `None` without samples.
pub fn quartiles(samples: &[f64]) -> Option<[f64; 3]> {
    if samples.is_empty() {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some([0.25, 0.5, 0.75].map(|part| quantile(&sorted, part)))
}

/// The geometric mean of positive values; `None` without values.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// The geometric mean of each key's values over all rows.
pub fn geometric_means<'a, Key: Copy + Ord + 'a>(
    rows: impl Iterator<Item = &'a BTreeMap<Key, f64>>,
) -> BTreeMap<Key, f64> {
    let mut all: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    for (&key, &value) in rows.flatten() {
        all.entry(key).or_default().push(value);
    }
    let mean = |(key, values): (Key, Vec<f64>)| Some((key, geometric_mean(&values)?));
    all.into_iter().filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        assert_eq!(quartiles(&[5.0, 1.0, 3.0, 2.0, 4.0]), Some([2.0, 3.0, 4.0]));
        assert_eq!(quartiles(&[1.0, 2.0]), Some([1.25, 1.5, 1.75]));
        assert_eq!(quartiles(&[7.0]), Some([7.0; 3]));
        assert_eq!(quartiles(&[]), None);
    }

    #[test]
    fn geometric_means() {
        let mean = geometric_mean(&[1.0, 4.0, 16.0]).expect("of three");
        assert!((mean - 4.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
