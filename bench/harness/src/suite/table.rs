//! The table of programs.

use std::collections::BTreeMap;

use anstyle::Style;

use super::way::{WAYS, Way};
use super::{Figures, Report, Row};

const NAME: usize = 24;

/// Prints the report.
pub fn print(report: &Report) {
    let bold = Style::new().bold();
    let heads = [
        "build", "first", "cpu", "later", "cpu", "LLVM", "cpu", "host", "cpu", "/ LLVM", "/ host",
    ];
    let heads: String = heads.iter().map(|head| format!("{head:>8}")).collect();
    anstream::println!("{bold}{:<NAME$}{heads}{bold:#}", "seconds");
    for row in &report.programs {
        print_row(row);
    }
    let count = report.programs.len();
    print_means(
        &format!("geometric mean of all {count} programs"),
        &report.geometric_mean,
    );
    print_means(
        "geometric mean where the other's result is right",
        &report.geometric_mean_of_right,
    );
    for why in &report.left_out {
        anstream::println!("left out: {why}");
    }
    for row in &report.programs {
        print_remarks(row);
    }
}

fn print_means(what: &str, means: &BTreeMap<Way, f64>) {
    let bold = Style::new().bold();
    let cells: String = WAYS[1..]
        .iter()
        .map(|way| number(means.get(way).copied()))
        .collect();
    anstream::println!("{bold}{what:<width$}{cells}{bold:#}", width = NAME + 72);
}

fn print_row(row: &Row) {
    let ours = &row.ways[&Way::Ours];
    let mut cells = [
        ours.build.cpu,
        ours.first.wall,
        ours.first.cpu,
        ours.later.wall,
        ours.later.cpu,
    ]
    .map(|value| number(Some(value)))
    .concat();
    for way in &WAYS[1..] {
        let figures = row.ways.get(way);
        cells += &number(figures.map(|figures| figures.later.wall));
        cells += &number(figures.map(|figures| figures.later.cpu));
    }
    for way in &WAYS[1..] {
        let late = row.ways.get(way).is_some_and(|figures| figures.late);
        let ratio = number(row.ratio.get(way).copied());
        cells += &match late {
            true => format!("{:>8}", format!("<{}", ratio.trim())),
            false => ratio,
        };
    }
    anstream::println!("{:<NAME$}{cells}", row.program);
}

/// What is wrong, and what is missing.
fn print_remarks(row: &Row) {
    let wrong = |(way, figures): (&Way, &Figures)| Some((*way, figures.wrong.clone()?));
    for (way, why) in row.ways.iter().filter_map(wrong) {
        anstream::println!("{}, {}: wrong result: {why}", row.program, way.title());
    }
    for (way, why) in &row.without {
        anstream::println!("{}, {}: {why}", row.program, way.title());
    }
}

fn number(value: Option<f64>) -> String {
    match value {
        None => format!("{:>8}", "-"),
        Some(value) => format!("{value:>8.2}"),
    }
}
