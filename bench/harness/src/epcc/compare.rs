//! Two measurements side by side.

use anstyle::Style;
use omptarget_driver::{Failure, Result};

use super::Quantity;
use super::report::{Report, Row};
use crate::statistics::geometric_mean;

/// A figure with half the width of its confidence interval.
type Figure = (f64, f64);

/// Prints every construct and shape that both measurements have.
pub fn print(a: &Report, b: &Report, quantity: Quantity) -> Result<()> {
    let pairs: Vec<(&Row, Figure, Figure)> = a
        .rows
        .iter()
        .filter_map(|row| {
            Some((
                row,
                row.figure(quantity)?,
                b.row(&row.case)?.figure(quantity)?,
            ))
        })
        .collect();
    if pairs.is_empty() {
        return Err(Failure::Other(format!(
            "the two files have no construct and shape in common with {}",
            quantity.name()
        )));
    }
    let bold = Style::new().bold();
    anstream::println!(
        "{bold}{}{bold:#}: A is {}, B is {}",
        quantity.name(),
        a.label,
        b.label
    );
    anstream::println!(
        "{bold}{:<24} {:<8} {:>6} {:>8} {:>18} {:>18} {:>7}{bold:#}",
        "construct",
        "mode",
        "teams",
        "threads",
        "A",
        "B",
        "B/A"
    );
    for (row, a, b) in &pairs {
        let shown = |(mean, half): Figure| match quantity {
            Quantity::Cycles | Quantity::Ns => format!("{mean:.0} ± {half:.0}"),
            Quantity::Instructions | Quantity::Switches => format!("{mean:.2}"),
        };
        let ratio = ratio(*a, *b).map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let doubt = if overlap(*a, *b) { " ≈" } else { "" };
        anstream::println!(
            "{:<24} {:<8} {:>6} {:>8} {:>18} {:>18} {ratio:>7}{doubt}",
            row.case.title(),
            row.case.mode,
            row.case.teams,
            row.case.threads,
            shown(*a),
            shown(*b)
        );
    }
    let ratios: Vec<f64> = pairs.iter().filter_map(|(_, a, b)| ratio(*a, *b)).collect();
    if let Some(mean) = geometric_mean(&ratios) {
        anstream::println!("geometric mean of {} ratios: {mean:.2}", ratios.len());
    }
    anstream::println!(
        "≈: the confidence intervals overlap; no ratio where a figure is not above 0"
    );
    Ok(())
}

/// B over A, where both cost something.
fn ratio(a: Figure, b: Figure) -> Option<f64> {
    (a.0 > 0.0 && b.0 > 0.0).then(|| b.0 / a.0)
}

fn overlap(a: Figure, b: Figure) -> bool {
    (a.0 - b.0).abs() <= a.1 + b.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_and_overlaps() {
        assert_eq!(ratio((4.0, 1.0), (2.0, 9.0)), Some(0.5));
        assert_eq!(ratio((0.0, 1.0), (2.0, 9.0)), None);
        assert_eq!(ratio((3.0, 1.0), (-2.0, 9.0)), None);
        assert!(overlap((10.0, 1.0), (12.0, 1.0)));
        assert!(!overlap((10.0, 1.0), (12.5, 1.0)));
    }
}
