//! `omptarget bench epcc`: what OpenMP constructs cost in target regions.
//!
//! The measuring programs (`bench/epcc`) run launches and print raw timings. This module computes overheads with
//! confidence intervals from them, and makes tables and pictures. The method is Bull's (*Measuring Synchronisation and
//! Scheduling Overheads in OpenMP*, EWOMP 1999), for teams of GPU threads as in *fork-join*, §VI-A.

mod compare;
mod lines;
mod plot;
mod report;
mod sample;
mod suites;
mod table;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use lines::Lines;
use omptarget_driver::{Failure, Result};
use report::Report;
use suites::Program;

use super::programs;

const HELP: &str = "\
Examples:
  omptarget bench epcc                                         all constructs, some minutes
  omptarget bench epcc --constructs parallel,barrier,for --threads 32,128,992
  omptarget bench epcc --constructs sync --json >a.json
  omptarget bench epcc --compare a.json b.json --svg both.svg
  omptarget bench epcc --build programs -- --offload-arch=sm_90
  omptarget bench epcc --programs programs --json >gpu.json    on a machine without clang

The programs run on the default device; OMPTARGET_DEVICES and --device choose another. docs/measuring.md says what the
figures mean and what the JSON has.";

/// Arguments of `omptarget bench epcc`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// Suites (sync, sched, array, task), constructs, or both [default: all; --list names them]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    constructs: Vec<String>,
    /// Threads per team, 1 to 992 [default: 32,64,128,256,512,992]
    #[arg(long, value_name = "LIST")]
    threads: Option<String>,
    /// Teams; 0: as many as the runtime chooses [default: 1]
    #[arg(long, value_name = "LIST")]
    teams: Option<String>,
    /// Which kernels [default: both]
    #[arg(long)]
    mode: Option<Modes>,
    /// Timings of each construct and shape, at least 2 [default: 20]
    #[arg(long, value_name = "N")]
    repetitions: Option<u32>,
    /// Executions of the construct in one timing [default: 100]
    #[arg(long, value_name = "N")]
    inner: Option<u32>,
    /// Iterations of the delay in each [default: 16]
    #[arg(long, value_name = "N")]
    delay: Option<u32>,
    /// OpenMP's number of the device to measure
    #[arg(long, value_name = "N")]
    device: Option<u32>,
    /// Name the suites and constructs, measure nothing
    #[arg(long)]
    list: bool,
    /// Do not count instructions and switches on a device that could
    #[arg(long)]
    no_counts: bool,
    /// Run the programs of this folder (made with --build) instead of compiling them
    #[arg(long, value_name = "FOLDER", conflicts_with = "build")]
    programs: Option<PathBuf>,
    /// Compile the programs into this folder and stop
    #[arg(long, value_name = "FOLDER")]
    build: Option<PathBuf>,
    /// What the measurement is of, for tables and pictures
    #[arg(long, value_name = "TEXT", default_value = "omptarget-rs")]
    label: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the figures (SVG)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// What to draw and to compare
    #[arg(long, value_enum, default_value_t = Quantity::Cycles)]
    quantity: Quantity,
    /// Compare what two runs with --json have printed, measure nothing
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["programs", "build", "list", "json"])]
    compare: Option<Vec<PathBuf>>,
    /// Seconds a program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    limit: u64,
    /// Further arguments for clang
    #[arg(last = true, value_name = "ARGUMENT", conflicts_with = "programs")]
    clang: Vec<OsString>,
}

/// The modes of kernels.
#[derive(Clone, Copy, ValueEnum)]
enum Modes {
    /// All threads of the block run the kernel from its start
    Spmd,
    /// One thread runs it and wakes the others for regions
    Generic,
    /// One after the other
    Both,
}

/// The figures of a construct.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Quantity {
    /// Overhead in cycles of the device's clock
    Cycles,
    /// Overhead in nanoseconds
    Ns,
    /// Instructions per thread (virtual GPU)
    Instructions,
    /// Switches per thread (virtual GPU)
    Switches,
}

impl Quantity {
    /// For headings.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Cycles => "overhead, cycles",
            Quantity::Ns => "overhead, ns",
            Quantity::Instructions => "instructions per thread",
            Quantity::Switches => "switches per thread",
        }
    }
}

impl Options {
    /// The arguments of a measuring program.
    fn arguments(&self, constructs: &[String]) -> Vec<String> {
        let number = |value: Option<u32>| value.map(|value| value.to_string());
        let mode = self.mode.map(|mode| match mode {
            Modes::Spmd => "spmd".to_owned(),
            Modes::Generic => "generic".to_owned(),
            Modes::Both => "both".to_owned(),
        });
        let constructs = (!constructs.is_empty()).then(|| constructs.join(","));
        [
            ("--constructs", constructs),
            ("--threads", self.threads.clone()),
            ("--teams", self.teams.clone()),
            ("--mode", mode),
            ("--repetitions", number(self.repetitions)),
            ("--inner", number(self.inner)),
            ("--delay", number(self.delay)),
            ("--device", number(self.device)),
        ]
        .into_iter()
        .filter_map(|(option, value)| Some([option.to_owned(), value?]))
        .flatten()
        .collect()
    }
}

/// Measures or compares.
pub fn bench(options: &Options) -> Result<()> {
    if let Some([a, b]) = options.compare.as_deref() {
        let (a, b) = (Report::read(a)?, Report::read(b)?);
        compare::print(&a, &b, options.quantity)?;
        return draw(options, &[&a, &b]);
    }
    if options.list {
        suites::print();
        return Ok(());
    }
    let mut chosen = suites::chosen(&options.constructs)?;
    if let Some(folder) = &options.build {
        std::fs::create_dir_all(folder).map_err(Failure::system(folder.display().to_string()))?;
        return build(&chosen, folder, &options.clang);
    }
    let temporary =
        tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
    let folder = match &options.programs {
        Some(folder) => {
            // A folder need not have all programs, only those that were requested by name.
            if options.constructs.is_empty() {
                chosen.retain(|(program, _)| folder.join(program.file()).exists());
            }
            if chosen.is_empty() {
                let shown = folder.display();
                return Err(Failure::Other(format!("{shown} has no program of --build")));
            }
            folder
        }
        None => {
            build(&chosen, temporary.path(), &options.clang)?;
            temporary.path()
        }
    };
    let runs: Result<Vec<Lines>> = chosen
        .iter()
        .map(|(program, constructs)| measure(options, &folder.join(program.file()), constructs))
        .collect();
    let report = Report::of(&runs?, options.label.clone())?;
    if options.json {
        anstream::print!("{}", report.to_json());
    } else {
        table::print(&report);
    }
    draw(options, &[&report])
}

fn build(chosen: &[(&Program, Vec<String>)], folder: &Path, flags: &[OsString]) -> Result<()> {
    for (program, _) in chosen {
        programs::compile(&program.file(), &program.sources(), folder, flags)?;
    }
    Ok(())
}

/// Times, then counts if the device can. They are separate runs, as kernels that count are slower.
fn measure(options: &Options, program: &Path, constructs: &[String]) -> Result<Lines> {
    let run = |arguments: &[String], environment: &[(&str, &str)]| {
        let limit = Duration::from_secs(options.limit);
        let text = programs::run(program, arguments, environment, limit).map_err(Failure::Other)?;
        Lines::read(&text)
    };
    let mut arguments = options.arguments(constructs);
    let mut lines = run(&arguments, &[])?;
    if lines.can_count() && !options.no_counts {
        arguments.extend(["--counts", "--inner", lines::COUNTED].map(str::to_owned));
        lines.add_counts(run(&arguments, &[("OMPTARGET_VGPU_COUNT", "1")])?);
    }
    Ok(lines)
}

fn draw(options: &Options, reports: &[&Report]) -> Result<()> {
    let Some(file) = &options.svg else {
        return Ok(());
    };
    let picture =
        plot::draw(reports, options.quantity, &options.constructs).map_err(Failure::Other)?;
    let shown = file.display();
    svg::save(file, &picture).map_err(Failure::system(format!("cannot write {shown}")))
}
