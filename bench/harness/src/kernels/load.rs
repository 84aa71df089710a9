//! `omptarget bench kernels --load`: what other busy programs cost kernels.

use std::collections::BTreeMap;
use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anstyle::Style;
use omptarget_driver::{Failure, Result};
use serde::Serialize;

use super::{Kernel, Options, Way, cell, plot, run};
use crate::report::{outcome, print_json};
use crate::statistics::{geometric_means, quartiles};

/// Threads that use CPUs until this is dropped.
struct Competitors {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Competitors {
    fn start(count: u32) -> Result<Competitors> {
        let mut competitors = Competitors {
            over: Arc::default(),
            threads: Vec::new(),
        };
        for _ in 0..count {
            let over = competitors.over.clone();
            let thread = std::thread::Builder::new().spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
            let thread = thread.map_err(Failure::system("cannot start a thread"))?;
            competitors.threads.push(thread);
        }
        Ok(competitors)
    }
}

impl Drop for Competitors {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let threads = self.threads.drain(..);
        threads.for_each(|thread| thread.join().expect("a competitor does not panic"));
    }
}

/// A kernel's figures.
#[derive(Serialize)]
struct Row {
    kernel: &'static str,
    /// Medians of the runs' mean times without competitors in µs.
    us: BTreeMap<Way, f64>,
    /// Time with competitors over time without them.
    slowdown: BTreeMap<Way, f64>,
}

/// The whole measurement.
#[derive(Serialize)]
struct Report {
    competitors: u32,
    runs: u32,
    kernels: Vec<Row>,
    geometric_mean: BTreeMap<Way, f64>,
    left_out: Vec<String>,
    failed: Vec<String>,
}

/// Measures next to `competitors` busy threads, and prints.
pub fn bench(
    competitors: u32,
    kernels: &[&'static Kernel],
    ways: &[Way],
    left_out: Vec<String>,
    options: &Options,
) -> Result<()> {
    let mut report = Report {
        competitors,
        runs: options.runs,
        kernels: Vec::new(),
        geometric_mean: BTreeMap::new(),
        left_out,
        failed: Vec::new(),
    };
    for kernel in kernels {
        match measure(competitors, kernel, ways, options) {
            Ok(row) => report.kernels.push(row),
            Err(why) => report.failed.push(format!("{}: {why}", kernel.name)),
        }
    }
    report.geometric_mean = geometric_means(report.kernels.iter().map(|row| &row.slowdown));
    match options.json {
        true => print_json(&report),
        false => print(&report, ways),
    }
    outcome(&report.failed)
}

/// Runs a kernel alone and next to competitors, in alternation.
fn measure(
    competitors: u32,
    kernel: &'static Kernel,
    ways: &[Way],
    options: &Options,
) -> Result<Row> {
    let ways = kernel.runnable(ways);
    let folder = kernel.compile(&ways, &options.cpu)?;
    let mean = [("BENCH_MEAN", "1")];
    let mut times: BTreeMap<Way, Vec<[f64; 2]>> = BTreeMap::new();
    for _ in 0..options.runs {
        for &way in &ways {
            let alone = run(kernel, way, folder.path(), &mean, options)?;
            let competitors = Competitors::start(competitors)?;
            let loaded = run(kernel, way, folder.path(), &mean, options)?;
            drop(competitors);
            times.entry(way).or_default().push([alone, loaded]);
        }
    }
    Ok(row(kernel.name, &times))
}

/// Medians of the times without competitors, and of the runs' slowdowns.
fn row(kernel: &'static str, times: &BTreeMap<Way, Vec<[f64; 2]>>) -> Row {
    let median = |figure: fn(&[f64; 2]) -> f64| {
        let of_way = move |(&way, runs): (&Way, &Vec<[f64; 2]>)| {
            let figures: Vec<f64> = runs.iter().map(figure).collect();
            Some((way, quartiles(&figures)?[1]))
        };
        times.iter().filter_map(of_way).collect()
    };
    Row {
        kernel,
        us: median(|[alone, _]| *alone),
        slowdown: median(|[alone, loaded]| loaded / alone),
    }
}

fn print(report: &Report, ways: &[Way]) {
    let bold = Style::new().bold();
    let (mut times, mut slowdowns) = (String::new(), String::new());
    for way in ways {
        times += &format!("{:>11}", way.title());
        slowdowns += &format!("{:>11}", format!("/ {}", way.title()));
    }
    let count = report.competitors;
    anstream::println!("{bold}mean µs, and with {count} busy threads over without{bold:#}");
    anstream::println!("{bold}{:<15}{times}{slowdowns}{bold:#}", "");
    for row in &report.kernels {
        let time = |way| cell(row.us.get(way), |time| format!("{time:.1}"));
        let times: String = ways.iter().map(time).collect();
        anstream::println!("{:<15}{times}{}", row.kernel, cells(&row.slowdown, ways));
    }
    let (what, means) = ("geometric mean", cells(&report.geometric_mean, ways));
    let times = 11 * ways.len();
    anstream::println!("{bold}{what:<15}{:>times$}{means}{bold:#}", "");
    let left_out = report.left_out.iter();
    left_out.for_each(|why| anstream::println!("left out: {why}"));
}

fn cells(ratios: &BTreeMap<Way, f64>, ways: &[Way]) -> String {
    let cells = ways.iter().map(|way| cell(ratios.get(way), plot::short));
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowdown_is_the_median_of_the_runs_slowdowns() {
        let one = [(Way::Workgroup, vec![[1.0, 2.0], [2.0, 8.0], [4.0, 12.0]])];
        let two = [
            (Way::Workgroup, vec![[2.0, 24.0]]),
            (Way::Host, vec![[1.0, 2.0]]),
        ];
        let rows = [
            row("saxpy", &one.into_iter().collect()),
            row("sum", &two.into_iter().collect()),
        ];
        assert_eq!(rows[0].us[&Way::Workgroup], 2.0);
        assert_eq!(rows[0].slowdown[&Way::Workgroup], 3.0);
        let means = geometric_means(rows.iter().map(|row| &row.slowdown));
        assert!((means[&Way::Workgroup] - 6.0).abs() < 1e-12);
        assert_eq!(means[&Way::Host], 2.0);
    }

    #[test]
    fn competitors_use_cpus_until_they_are_dropped() {
        let competitors = Competitors::start(3).expect("threads can be started");
        let over = competitors.over.clone();
        assert_eq!(competitors.threads.len(), 3);
        let any_ended = competitors.threads.iter().any(JoinHandle::is_finished);
        assert!(!any_ended);
        drop(competitors);
        assert_eq!(Arc::strong_count(&over), 1);
    }
}
