//! `omptarget bench programs`: public programs on the virtual GPU, LLVM's host offload and the initial device.

mod list;
mod table;
mod verdict;
mod way;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omptarget_driver::{Failure, Result};
use serde::Serialize;

use self::list::Program;
use self::way::{WAYS, Way};
use crate::llvm_host;
use crate::programs::Ended;
use crate::report::{outcome, print_json};
use crate::statistics::{geometric_means, quartiles};

const HELP: &str = "\
Examples:
  git clone --depth 1 https://github.com/zjin-lcf/HeCBench
  omptarget bench programs --suite hecbench=HeCBench
  omptarget bench programs --suite hecbench=HeCBench --only softmax,bfs --runs 5 --json
  omptarget bench programs --list

The programs are those of bench/programs.json; their sources are not part of this project. Every program is compiled
(-O3) for the virtual GPU, for LLVM's host offload, and without offload, so that its regions run on the initial device.
The first run on the virtual GPU finds no compiled kernels. Later runs are in alternation, each time in another order;
their median counts. CPU time is user and system time of all threads. A ratio is the virtual GPU's CPU time over the
other's, less than 1 where the virtual GPU takes less. `<` says that the other one was ended at the time limit.

A result is wrong if the program says so itself, or if its output, times aside, differs from that of both others while
these agree. Of outputs that all differ nothing is said. A program that is marked in the list needs teams of the size
that it asks for, which only the virtual GPU gives: the others' results are wrong. The second mean leaves out such
programs, and all that the other implementation gets wrong. LLVM's host offload needs its library (scripts/fetch puts it
into dist/llvm).
Exit code 1: a program could not be compiled or run for the virtual GPU, or gave a wrong result there.";

/// Arguments of `omptarget bench programs`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// Where a suite's sources are
    #[arg(long = "suite", value_name = "NAME=FOLDER", value_parser = named_folder)]
    suites: Vec<(String, PathBuf)>,
    /// Another list of programs than bench/programs.json, in the same form
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Only these programs
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Only these implementations, besides the virtual GPU
    #[arg(long, value_name = "WAY", value_delimiter = ',')]
    ways: Vec<Way>,
    /// Later runs of each program
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Seconds that a run may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit: u64,
    /// What to compile for: a level of x86-64, as OMPTARGET_VGPU_CPU
    #[arg(long, value_name = "LEVEL", default_value = "native", value_parser = llvm_host::CPUS)]
    cpu: String,
    /// Keep the compiled programs here, a folder each
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Only print the programs and their suites
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn named_folder(text: &str) -> std::result::Result<(String, PathBuf), String> {
    let (name, folder) = text.split_once('=').ok_or("it is not NAME=FOLDER")?;
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), folder))
}

/// What something took, in seconds.
#[derive(Clone, Copy, Serialize)]
struct Cost {
    wall: f64,
    cpu: f64,
}

impl From<&Ended> for Cost {
    fn from(ended: &Ended) -> Cost {
        Cost {
            wall: ended.wall.as_secs_f64(),
            cpu: ended.cpu.as_secs_f64(),
        }
    }
}

/// A program on one implementation.
#[derive(Serialize)]
struct Figures {
    build: Cost,
    first: Cost,
    /// Medians.
    later: Cost,
    /// It was ended at the time limit: its times are less than the whole.
    late: bool,
    /// Why its result counts as wrong.
    wrong: Option<String>,
    #[serde(skip)]
    output: String,
}

/// A program's figures.
#[derive(Serialize)]
struct Row {
    program: String,
    ways: BTreeMap<Way, Figures>,
    /// CPU time of later runs, ours over the other's.
    ratio: BTreeMap<Way, f64>,
    /// Why there are no figures of an implementation.
    without: BTreeMap<Way, String>,
}

/// The whole measurement.
#[derive(Serialize)]
struct Report {
    runs: u32,
    programs: Vec<Row>,
    /// Over all programs.
    geometric_mean: BTreeMap<Way, f64>,
    /// Over those whose result is right on the other implementation, too.
    geometric_mean_of_right: BTreeMap<Way, f64>,
    left_out: Vec<String>,
    failed: Vec<String>,
}

/// Measures and prints.
pub fn bench(options: &Options) -> Result<()> {
    let programs = chosen(list::programs(options.from.as_deref())?, &options.only)?;
    if options.list {
        for program in &programs {
            anstream::println!("{:<32} {}", program.name, program.suite);
        }
        return Ok(());
    }
    let wanted =
        |way: &Way| *way == Way::Ours || options.ways.is_empty() || options.ways.contains(way);
    let (missing, ways): (Vec<Way>, Vec<Way>) = WAYS
        .into_iter()
        .filter(wanted)
        .partition(|way| way.lacks().is_some());
    let mut report = Report {
        runs: options.runs,
        programs: Vec::new(),
        geometric_mean: BTreeMap::new(),
        geometric_mean_of_right: BTreeMap::new(),
        left_out: missing.iter().filter_map(|way| way.lacks()).collect(),
        failed: Vec::new(),
    };
    for program in &programs {
        eprintln!("{} ...", program.name);
        match measure(program, &ways, options) {
            Ok(row) => report.programs.push(row),
            Err(why) => report.failed.push(format!("{}: {why}", program.name)),
        }
    }
    finish(&mut report);
    match options.json {
        true => print_json(&report),
        false => table::print(&report),
    }
    outcome(&report.failed)
}

fn chosen(all: Vec<Program>, only: &[String]) -> Result<Vec<Program>> {
    if let Some(unknown) = only
        .iter()
        .find(|name| all.iter().all(|program| program.name != **name))
    {
        return Err(Failure::Usage(format!(
            "no program {unknown}; `omptarget bench programs --list` prints the names"
        )));
    }
    let wanted = |program: &Program| only.is_empty() || only.contains(&program.name);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Compiles and runs a program on all implementations.
fn measure(program: &Program, ways: &[Way], options: &Options) -> Result<Row> {
    let suite = options
        .suites
        .iter()
        .find(|(name, _)| *name == program.suite);
    let (_, suite) =
        suite.ok_or_else(|| Failure::Other(format!("needs --suite {}=FOLDER", program.suite)))?;
    let folder = program.folder(suite)?;
    let temporary =
        tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
    let build = match &options.keep {
        Some(keep) => keep.join(&program.name),
        None => temporary.path().to_owned(),
    };
    std::fs::create_dir_all(&build)
        .map_err(Failure::system(format!("cannot make {}", build.display())))?;
    let build = std::path::absolute(&build).map_err(Failure::system("no current folder"))?;
    forget_kernels(&build)?;
    program.write_files(&build)?;
    let mut row = Row {
        program: program.name.clone(),
        ways: BTreeMap::new(),
        ratio: BTreeMap::new(),
        without: BTreeMap::new(),
    };
    for &way in ways {
        match first_run(way, program, &folder, &build, options) {
            Ok(figures) => drop(row.ways.insert(way, figures)),
            Err(why) if way == Way::Ours => return Err(why),
            Err(why) => drop(row.without.insert(way, why.to_string())),
        }
    }
    later_runs(&mut row, program, &folder, &build, options)?;
    judge(&mut row, program);
    Ok(row)
}

/// Removes the kernels that earlier measurements compiled.
fn forget_kernels(build: &Path) -> Result<()> {
    match std::fs::remove_dir_all(build.join("cache")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::system("cannot empty the cache")(error))
        }
        _ => Ok(()),
    }
}

fn first_run(
    way: Way,
    program: &Program,
    folder: &Path,
    build: &Path,
    options: &Options,
) -> Result<Figures> {
    let compiled = way.compile(program, folder, build, &options.cpu)?;
    let ended = run(way, program, folder, build, options)?;
    Ok(Figures {
        build: (&compiled).into(),
        first: (&ended).into(),
        later: (&ended).into(),
        late: ended.status.is_none(),
        wrong: None,
        output: ended.output,
    })
}

/// Runs it once. It may end at the time limit, but not with an error.
fn run(
    way: Way,
    program: &Program,
    folder: &Path,
    build: &Path,
    options: &Options,
) -> Result<Ended> {
    let ended = way.run(
        program,
        folder,
        build,
        &options.cpu,
        Duration::from_secs(options.limit),
    )?;
    match ended.status {
        Some(status) if status.code() != Some(program.status) => {
            let last = ended.output.lines().next_back().unwrap_or_default();
            Err(Failure::Other(format!(
                "{} ended with {status}: {last}",
                way.title()
            )))
        }
        None if way == Way::Ours => {
            let limit = options.limit;
            Err(Failure::Other(format!(
                "{} ran longer than {limit} s",
                way.title()
            )))
        }
        _ => Ok(ended),
    }
}

/// Runs it again, in alternation, each time in another order. What was too late the first time is not run again.
fn later_runs(
    row: &mut Row,
    program: &Program,
    folder: &Path,
    build: &Path,
    options: &Options,
) -> Result<()> {
    let mut costs: BTreeMap<Way, Vec<Cost>> = BTreeMap::new();
    let mut order: Vec<Way> = row.ways.keys().copied().collect();
    for _ in 0..options.runs {
        for &way in &order {
            let figures = row.ways.get_mut(&way).expect("it ran");
            if figures.late {
                continue;
            }
            let ended = run(way, program, folder, build, options)?;
            figures.late = ended.status.is_none();
            costs.entry(way).or_default().push((&ended).into());
        }
        // Who runs after a program that gave back many small pages pays for large ones.
        order.rotate_left(1);
    }
    let median = |costs: &[Cost], part: fn(&Cost) -> f64| {
        quartiles(&costs.iter().map(part).collect::<Vec<_>>()).map_or(0.0, |[_, median, _]| median)
    };
    for (way, costs) in costs {
        let figures = row.ways.get_mut(&way).expect("it ran");
        figures.later = Cost {
            wall: median(&costs, |cost| cost.wall),
            cpu: median(&costs, |cost| cost.cpu),
        };
    }
    let ours = row.ways[&Way::Ours].later.cpu;
    let others = row.ways.iter().filter(|(way, _)| **way != Way::Ours);
    row.ratio = others
        .map(|(&way, figures)| (way, ours / figures.later.cpu))
        .collect();
    Ok(())
}

/// Says of every implementation's result whether it is wrong.
fn judge(row: &mut Row, program: &Program) {
    let complaint = |figures: &Figures| {
        let line = verdict::complaint(&figures.output, &program.ignore)?;
        Some(format!("says `{}`", line.trim()))
    };
    let complaints: BTreeMap<Way, String> = row
        .ways
        .iter()
        .filter_map(|(&way, figures)| Some((way, complaint(figures)?)))
        .collect();
    let differ = |one: Way, other: Way| -> Option<Option<String>> {
        let output = |way: Way| {
            let figures = row.ways.get(&way).filter(|figures| !figures.late)?;
            Some(&figures.output)
        };
        let (one, other) = (output(one)?, output(other)?);
        Some(verdict::difference(
            one,
            other,
            &program.ignore,
            program.tolerance,
        ))
    };
    let mut wrong = complaints.clone();
    if program.blocks {
        for &way in row.ways.keys().filter(|way| **way != Way::Ours) {
            let why = "has teams of fewer threads than it is written for";
            wrong.entry(way).or_insert(why.into());
        }
    } else if program.varies.is_none() {
        for (one, two, three) in [
            (Way::Ours, Way::Llvm, Way::Host),
            (Way::Llvm, Way::Ours, Way::Host),
            (Way::Host, Way::Ours, Way::Llvm),
        ] {
            let others_agree = differ(two, three) == Some(None)
                && ![two, three].iter().any(|way| complaints.contains_key(way));
            if let (true, Some(Some(lines))) = (others_agree, differ(one, two)) {
                wrong.entry(one).or_insert(format!("differs: {lines}"));
            }
        }
    }
    for (way, why) in wrong {
        row.ways.get_mut(&way).expect("it ran").wrong = Some(why);
    }
}

/// Sorts, means, and what is wrong.
fn finish(report: &mut Report) {
    let ratio = |row: &Row| row.ratio.get(&Way::Llvm).copied().unwrap_or(0.0);
    report
        .programs
        .sort_by(|one, other| ratio(other).total_cmp(&ratio(one)));
    let rows = || report.programs.iter();
    report.geometric_mean = geometric_means(rows().map(|row| &row.ratio));
    let right = |row: &Row| {
        let is_right = |way: &Way| row.ways.get(way).is_some_and(|it| it.wrong.is_none());
        let mut ratio = row.ratio.clone();
        ratio.retain(|way, _| is_right(way));
        ratio
    };
    let right: Vec<_> = rows().map(right).collect();
    report.geometric_mean_of_right = geometric_means(right.iter());
    for row in &report.programs {
        if let Some(why) = &row.ways[&Way::Ours].wrong {
            report
                .failed
                .push(format!("{}: wrong result: {why}", row.program));
        }
    }
}
