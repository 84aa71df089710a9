//! The figures as text.

use anstyle::Style;

use super::Quantity;
use super::report::{REFERENCE, Report, Row, TWO_BARRIERS};

/// Width of the constructs' names and of a figure.
const NAME: usize = 24;
const FIGURE: usize = 17;

/// Prints all figures.
pub fn print(report: &Report) {
    for (mode, teams) in report.groups() {
        for quantity in [
            Quantity::Cycles,
            Quantity::Ns,
            Quantity::Instructions,
            Quantity::Switches,
        ] {
            group(report, mode, teams, quantity);
        }
    }
    for left_out in &report.left_out {
        anstream::println!("left out: {left_out}");
    }
    let outliers: usize = report.rows.iter().map(|row| row.cycles.outliers).sum();
    anstream::println!(
        "{} timings of each, {outliers} outliers in all left out; ± is half the width of the 95 % confidence interval",
        report.repetitions
    );
}

/// The constructs of one mode and number of teams, by threads.
fn group(report: &Report, mode: &str, teams: u32, quantity: Quantity) {
    let rows: Vec<&Row> = report
        .rows
        .iter()
        .filter(|row| {
            row.case.mode == mode && row.case.teams == teams && row.figure(quantity).is_some()
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let mut threads: Vec<u32> = rows.iter().map(|row| row.case.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let bold = Style::new().bold();
    let teams = if teams == 1 {
        "1 team".to_owned()
    } else {
        format!("{teams} teams")
    };
    anstream::println!(
        "{bold}{}, {mode} mode, {teams}, by threads{bold:#} ({})",
        quantity.name(),
        report.label
    );
    let heads: String = threads
        .iter()
        .map(|threads| format!("{threads:>FIGURE$}"))
        .collect();
    anstream::println!("{:NAME$}{heads}", "");
    let mut titles: Vec<String> = Vec::new();
    for row in &rows {
        let title = row.case.title();
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    for title in &titles {
        let figure = |threads: &u32| {
            let row = rows
                .iter()
                .find(|row| row.case.threads == *threads && row.case.title() == *title);
            row.and_then(|row| row.figure(quantity))
                .map_or(String::new(), |figure| text(figure, quantity))
        };
        let figures: String = threads
            .iter()
            .map(|threads| format!("{:>FIGURE$}", figure(threads)))
            .collect();
        anstream::println!("{title:NAME$}{figures}");
    }
    if quantity == Quantity::Cycles {
        fork_join(&rows, &threads);
    }
    anstream::println!("");
}

/// The cost of `parallel` as a multiple of the two barriers that it needs at least.
fn fork_join(rows: &[&Row], threads: &[u32]) {
    let mean = |construct: &str, threads: u32| {
        let row = rows.iter().find(|row| {
            row.case.threads == threads
                && row.case.construct == construct
                && [REFERENCE, "sync"].contains(&row.case.suite.as_str())
        })?;
        Some(row.cycles.mean)
    };
    let ratio = |&threads: &u32| Some(mean("parallel", threads)? / mean(TWO_BARRIERS, threads)?);
    if threads.iter().all(|threads| ratio(threads).is_none()) {
        return;
    }
    let text = |threads| ratio(threads).map_or(String::new(), |ratio| format!("{ratio:.2}"));
    let ratios: String = threads
        .iter()
        .map(|threads| format!("{:>FIGURE$}", text(threads)))
        .collect();
    anstream::println!("{:NAME$}{ratios}", "parallel / two barriers");
}

fn text((mean, half_width): (f64, f64), quantity: Quantity) -> String {
    match quantity {
        Quantity::Cycles | Quantity::Ns => format!("{mean:.0} ± {half_width:.0}"),
        Quantity::Instructions => format!("{mean:.1}"),
        Quantity::Switches => format!("{mean:.2}"),
    }
}
