//! `omptarget bench vgpu`: the virtual GPU's engine.

use anstyle::{AnsiColor, Style};
use omptarget_driver::{Failure, Result};
use plugin_vgpu::Figure;
use serde::Serialize;

use super::report::print_json;

/// Arguments of `omptarget bench vgpu`.
#[derive(clap::Args)]
pub struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One figure as `--json` shows it.
#[derive(Serialize)]
struct Entry {
    what: &'static str,
    unit: &'static str,
    lower_quartile: f64,
    median: f64,
    upper_quartile: f64,
    runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<f64>,
}

impl From<&Figure> for Entry {
    fn from(figure: &Figure) -> Entry {
        let [lower_quartile, median, upper_quartile] = figure.quartiles;
        let Figure {
            what,
            unit,
            goal,
            runs,
            ..
        } = *figure;
        Entry {
            what,
            unit,
            lower_quartile,
            median,
            upper_quartile,
            runs,
            goal,
        }
    }
}

/// Measures and prints.
pub fn bench(options: &Options) -> Result<()> {
    let figures = plugin_vgpu::bench().map_err(|error| Failure::Other(error.to_string()))?;
    let entries: Vec<Entry> = figures.iter().map(Entry::from).collect();
    if options.json {
        print_json(&entries);
        return Ok(());
    }
    let bold = Style::new().bold();
    anstream::println!(
        "{bold}{:<46} {:>9} {:>21}  goal{bold:#}",
        "virtual GPU",
        "median",
        "quartiles"
    );
    entries.iter().for_each(print);
    Ok(())
}

fn print(entry: &Entry) {
    let quartiles = format!("{:.1} … {:.1}", entry.lower_quartile, entry.upper_quartile);
    let goal = match entry.goal {
        None => String::new(),
        Some(goal) => {
            let (style, verdict) = match entry.median <= goal {
                true => (AnsiColor::Green.on_default(), "met"),
                false => (AnsiColor::Red.on_default(), "missed"),
            };
            format!("≤ {goal} {}: {style}{verdict}{style:#}", entry.unit)
        }
    };
    anstream::println!(
        "{:<46} {:>6.1} {:<2} {quartiles:>21}  {goal}",
        entry.what,
        entry.median,
        entry.unit
    );
}
