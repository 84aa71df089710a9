//! `omptarget bench kernels`: the kernels of bench/vgpu.d on the virtual GPU and on other implementations for CPUs.

mod load;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstyle::Style;
use clap::ValueEnum;
use omptarget_driver::{Failure, Result, clang};
use serde::Serialize;
use tempfile::TempDir;

use super::llvm_host;
use super::plot::{self, Bar};
use super::programs;
use super::report::{outcome, print_json};
use super::statistics::{geometric_means, quartiles};

const HELP: &str = "\
Examples:
  omptarget bench kernels
  omptarget bench kernels --only mandelbrot,nbody --runs 11
  omptarget bench kernels --svg kernels.svg --against pocl
  omptarget bench kernels --load 2 --ways workgroup,host

Every kernel is one C source, which is compiled for each implementation; the OpenCL kernels are equivalent. The column
\"one SM\" is the virtual GPU on one CPU. The programs check their results and time only the kernel, after a warm-up run.
They run in alternation. A ratio is the median of the runs' ratios: less than 1 where the virtual GPU is faster. With
--load, each program runs alone and next to busy threads, and its mean times are compared. With --cpu, all but pocl
compile for that level. A kernel that needs warps does not run where there are none. LLVM's host offload needs its
library (scripts/fetch puts it into dist/llvm), pocl the packages pocl-opencl-icd and ocl-icd-opencl-dev. An
implementation that is missing is left out, with a message.
Exit code 1: a program could not be compiled or run, or gave a wrong result. The others' figures are still shown.";

/// Arguments of `omptarget bench kernels`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the ratios (SVG)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// What the picture compares with
    #[arg(long, default_value = "llvm", requires = "svg")]
    against: Way,
    /// Runs of each program
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Only these kernels
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Only these implementations, besides the work-group engine
    #[arg(long, value_name = "WAY", value_delimiter = ',')]
    ways: Vec<Way>,
    /// What to compile for: a level of x86-64, as OMPTARGET_VGPU_CPU
    #[arg(long, value_name = "LEVEL", default_value = "native", value_parser = llvm_host::CPUS)]
    cpu: String,
    /// How much slower each kernel is next to this many busy threads
    #[arg(long, value_name = "COUNT", conflicts_with = "svg", value_parser = clap::value_parser!(u32).range(1..=1000))]
    load: Option<u32>,
    /// Seconds a program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    limit: u64,
}

/// An implementation that runs a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    /// The virtual GPU, warps in warp form where a kernel has one
    Workgroup,
    /// The same on one multiprocessor, which is one CPU
    One,
    /// The virtual GPU, a fiber per thread
    Fiber,
    /// LLVM's host offload
    Llvm,
    /// Plain OpenMP
    Host,
    /// OpenCL by pocl
    Pocl,
}

const WAYS: [Way; 6] = [
    Way::Workgroup,
    Way::One,
    Way::Fiber,
    Way::Llvm,
    Way::Host,
    Way::Pocl,
];

impl Way {
    fn title(self) -> &'static str {
        match self {
            Way::Workgroup => "workgroup",
            Way::One => "one SM",
            Way::Fiber => "fiber",
            Way::Llvm => "LLVM",
            Way::Host => "host",
            Way::Pocl => "pocl",
        }
    }

    /// Whether it is the virtual GPU: both engines, and any number of multiprocessors, run the same program.
    fn ours(self) -> bool {
        matches!(self, Way::Workgroup | Way::One | Way::Fiber)
    }

    /// The shape of the program.
    fn program(self, kernel: &str) -> String {
        let shape = if self.ours() { "vgpu" } else { self.title() };
        format!("{kernel}.{shape}")
    }

    /// Why it is not available here.
    fn lacks(self) -> Option<String> {
        match self {
            Way::Llvm => llvm_host::lacks(),
            Way::Pocl => {
                let there = Path::new("/usr/include/CL/cl.h").exists()
                    && Path::new("/etc/OpenCL/vendors/pocl.icd").exists();
                (!there).then(|| "pocl-opencl-icd and ocl-icd-opencl-dev are not installed".into())
            }
            _ => None,
        }
    }

    fn compile(self, kernel: &Kernel, cpu: &str, folder: &Path) -> Result<()> {
        let sources = [
            (kernel.file, kernel.source),
            ("bench.h", include_str!("../../../vgpu.d/bench.h")),
            ("opencl.h", include_str!("../../../vgpu.d/opencl.h")),
        ];
        let mut flags: Vec<OsString> = Vec::new();
        let clang = if self.ours() {
            clang::for_offload(&flags)?
        } else {
            clang::plain()?
        };
        if matches!(self, Way::Host | Way::Pocl) {
            flags.extend([format!("-march={cpu}").into(), "-fopenmp".into()]);
        }
        match self {
            Way::Workgroup | Way::One | Way::Fiber => {}
            Way::Host => flags.push("-DBENCH_HOST".into()),
            Way::Llvm => flags.extend(llvm_host::flags(cpu)?),
            Way::Pocl => {
                let file = folder.join(format!("{}.cl", kernel.name));
                std::fs::write(&file, kernel.opencl)
                    .map_err(Failure::system(format!("cannot write {}", file.display())))?;
                flags.extend(["-DBENCH_OPENCL", "-lOpenCL"].map(OsString::from));
                flags.push(format!("-DBENCH_KERNELS=\"{}\"", file.display()).into());
            }
        }
        programs::compile_by(clang, &self.program(kernel.name), &sources, folder, &flags)?;
        Ok(())
    }

    /// Additional environment variables.
    fn environment(self) -> Result<Vec<(&'static str, String)>> {
        Ok(match self {
            Way::Workgroup => vec![("OMPTARGET_VGPU_ENGINE", "workgroup".into())],
            Way::One => vec![
                ("OMPTARGET_VGPU_ENGINE", "workgroup".into()),
                ("OMPTARGET_VGPU_SMS", "1".into()),
            ],
            Way::Fiber => vec![("OMPTARGET_VGPU_ENGINE", "fiber".into())],
            Way::Llvm => llvm_host::environment()?,
            Way::Host | Way::Pocl => Vec::new(),
        })
    }
}

/// A kernel's sources.
struct Kernel {
    name: &'static str,
    file: &'static str,
    source: &'static str,
    opencl: &'static str,
}

impl Kernel {
    /// Whether this implementation can run it: neither LLVM's host offload nor the host has warps, and in OpenCL the
    /// kernel is another one.
    fn runs(&self, way: Way) -> bool {
        self.name != "shuffle" || !matches!(way, Way::Llvm | Way::Host)
    }

    /// The implementations among `ways` that can run it.
    fn runnable(&self, ways: &[Way]) -> Vec<Way> {
        let ways = ways.iter().copied();
        ways.filter(|&way| self.runs(way)).collect()
    }

    /// Compiles it for `ways`, into a folder that lives as long as the result.
    fn compile(&self, ways: &[Way], cpu: &str) -> Result<TempDir> {
        let folder =
            tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
        let once = |way: &&Way| **way == Way::Workgroup || !way.ours();
        for &way in ways.iter().filter(once) {
            way.compile(self, cpu, folder.path())?;
        }
        Ok(folder)
    }
}

macro_rules! kernels {
    ($($name:literal),*) => {
        [$(Kernel {
            name: $name,
            file: concat!($name, ".c"),
            source: include_str!(concat!("../../../vgpu.d/", $name, ".c")),
            opencl: include_str!(concat!("../../../vgpu.d/", $name, ".cl")),
        }),*]
    };
}

const KERNELS: [Kernel; 15] = kernels![
    "saxpy",
    "sum",
    "dot",
    "stencil",
    "matmul",
    "transpose",
    "histogram",
    "nbody",
    "mandelbrot",
    "blackscholes",
    "scan",
    "shuffle",
    "rows",
    "heartwall",
    "kmeans"
];

/// A kernel's figures.
#[derive(Serialize)]
struct Row {
    kernel: &'static str,
    /// Median times in µs.
    us: BTreeMap<Way, f64>,
    /// Work-group engine over another implementation.
    ratio: BTreeMap<Way, f64>,
}

/// The whole measurement.
#[derive(Serialize)]
struct Report {
    runs: u32,
    kernels: Vec<Row>,
    geometric_mean: BTreeMap<Way, f64>,
    left_out: Vec<String>,
    failed: Vec<String>,
}

/// Measures and prints.
pub fn bench(options: &Options) -> Result<()> {
    let chosen = chosen(&options.only)?;
    let wanted =
        |way: &Way| *way == Way::Workgroup || options.ways.is_empty() || options.ways.contains(way);
    let (missing, ways): (Vec<Way>, Vec<Way>) = WAYS
        .into_iter()
        .filter(wanted)
        .partition(|way| way.lacks().is_some());
    let left_out = missing
        .iter()
        .filter_map(|way| Some(format!("{}: {}", way.title(), way.lacks()?)))
        .collect();
    match options.load {
        None => compare(&chosen, &ways, left_out, options),
        Some(count) => load::bench(count, &chosen, &ways, left_out, options),
    }
}

/// Compares the ways with each other.
fn compare(
    kernels: &[&'static Kernel],
    ways: &[Way],
    left_out: Vec<String>,
    options: &Options,
) -> Result<()> {
    let mut report = Report {
        runs: options.runs,
        kernels: Vec::new(),
        geometric_mean: BTreeMap::new(),
        left_out,
        failed: Vec::new(),
    };
    for kernel in kernels {
        match measure(kernel, ways, options) {
            Ok(row) => report.kernels.push(row),
            Err(why) => report.failed.push(format!("{}: {why}", kernel.name)),
        }
    }
    report.geometric_mean = geometric_means(report.kernels.iter().map(|row| &row.ratio));
    if let Some(file) = &options.svg {
        svg::save(file, &draw(&report, options.against))
            .map_err(Failure::system(format!("cannot write {}", file.display())))?;
    }
    match options.json {
        true => print_json(&report),
        false => print(&report),
    }
    outcome(&report.failed)
}

fn chosen(only: &[String]) -> Result<Vec<&'static Kernel>> {
    let known = |name: &&String| KERNELS.iter().any(|kernel| kernel.name == **name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        let names = KERNELS.map(|kernel| kernel.name).join(", ");
        return Err(Failure::Usage(format!(
            "no kernel {unknown}; there are {names}"
        )));
    }
    let wanted = |kernel: &&Kernel| only.is_empty() || only.iter().any(|name| name == kernel.name);
    Ok(KERNELS.iter().filter(wanted).collect())
}

/// Runs a kernel on all implementations that can run it, in alternation.
fn measure(kernel: &'static Kernel, ways: &[Way], options: &Options) -> Result<Row> {
    let ways = kernel.runnable(ways);
    let folder = kernel.compile(&ways, &options.cpu)?;
    let mut times: BTreeMap<Way, Vec<f64>> = BTreeMap::new();
    for _ in 0..options.runs {
        for &way in &ways {
            times
                .entry(way)
                .or_default()
                .push(run(kernel, way, folder.path(), &[], options)?);
        }
    }
    Ok(row(kernel.name, &times))
}

/// Runs a kernel's program, with these environment variables. Gives the time that it prints.
fn run(
    kernel: &Kernel,
    way: Way,
    folder: &Path,
    additional: &[(&str, &str)],
    options: &Options,
) -> Result<f64> {
    let limit = Duration::from_secs(options.limit);
    let program = folder.join(way.program(kernel.name));
    let mut environment = way.environment()?;
    environment.push(("OMPTARGET_VGPU_CPU", options.cpu.clone()));
    let variables: Vec<(&str, &str)> = environment
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .chain(additional.iter().copied())
        .collect();
    let output = programs::run(&program, &[], &variables, limit);
    let output = output.map_err(|why| Failure::Other(format!("{}: {why}", way.title())))?;
    let time = output.trim().parse::<f64>().ok().filter(|time| *time > 0.0);
    time.ok_or_else(|| Failure::Other(format!("{}: unexpected output: {output}", way.title())))
}

/// Medians of the times, and of the ratios of runs that followed each other.
fn row(kernel: &'static str, times: &BTreeMap<Way, Vec<f64>>) -> Row {
    let median = |samples: &[f64]| quartiles(samples).map(|[_, median, _]| median);
    let ours = &times[&Way::Workgroup];
    let ratios = |theirs: &[f64]| -> Vec<f64> {
        ours.iter()
            .zip(theirs)
            .map(|(ours, theirs)| ours / theirs)
            .collect()
    };
    let others = times.iter().filter(|(way, _)| **way != Way::Workgroup);
    Row {
        kernel,
        us: times
            .iter()
            .filter_map(|(&way, all)| Some((way, median(all)?)))
            .collect(),
        ratio: others
            .filter_map(|(&way, all)| Some((way, median(&ratios(all))?)))
            .collect(),
    }
}

fn draw(report: &Report, against: Way) -> svg::Document {
    let bar = |label: &str, value: f64, whole| Bar {
        label: label.into(),
        value,
        whole,
    };
    let rows = report.kernels.iter();
    let mut bars: Vec<Bar> = rows
        .filter_map(|row| Some(bar(row.kernel, *row.ratio.get(&against)?, false)))
        .collect();
    let mean = report.geometric_mean.get(&against);
    bars.extend(mean.map(|&mean| bar("geometric mean", mean, true)));
    let title = format!("Time on the virtual GPU / {}", against.title());
    plot::ratios(&title, &bars)
}

fn print(report: &Report) {
    let bold = Style::new().bold();
    let heads = WAYS.map(|way| format!("{:>11}", way.title())).concat();
    let ratios = WAYS[1..]
        .iter()
        .map(|way| format!("{:>11}", format!("/ {}", way.title())));
    anstream::println!(
        "{bold}{:<15}{heads}{}{bold:#}",
        "median µs",
        ratios.collect::<String>()
    );
    for row in &report.kernels {
        let times = WAYS
            .map(|way| cell(row.us.get(&way), |time| format!("{time:.1}")))
            .concat();
        anstream::println!("{:<15}{times}{}", row.kernel, cells(&row.ratio));
    }
    let (what, means) = ("geometric mean", cells(&report.geometric_mean));
    let times = 11 * WAYS.len();
    anstream::println!("{bold}{what:<15}{:>times$}{means}{bold:#}", "");
    report
        .left_out
        .iter()
        .for_each(|why| anstream::println!("left out: {why}"));
}

fn cells(ratios: &BTreeMap<Way, f64>) -> String {
    let cells = WAYS[1..]
        .iter()
        .map(|way| cell(ratios.get(way), plot::short));
    cells.collect()
}

fn cell(value: Option<&f64>, show: impl Fn(f64) -> String) -> String {
    format!("{:>11}", value.map_or("-".to_owned(), |&value| show(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_the_median_of_the_runs_ratios() {
        let times = [
            (Way::Workgroup, vec![1.0, 4.0, 2.0]),
            (Way::Host, vec![2.0, 2.0, 2.0]),
        ];
        let row = row("saxpy", &times.into_iter().collect());
        assert_eq!((row.us[&Way::Workgroup], row.us[&Way::Host]), (2.0, 2.0));
        assert_eq!(row.ratio.get(&Way::Host), Some(&1.0));
        assert_eq!(row.ratio.get(&Way::Workgroup), None);
    }

    #[test]
    fn kernels_by_name() {
        assert_eq!(chosen(&[]).expect("all").len(), KERNELS.len());
        let two = chosen(&["scan".into(), "sum".into()]).expect("both are there");
        assert_eq!(
            two.iter().map(|kernel| kernel.name).collect::<Vec<_>>(),
            ["sum", "scan"]
        );
        assert!(matches!(chosen(&["sums".into()]), Err(Failure::Usage(_))));
    }

    #[test]
    fn the_picture_has_a_bar_per_kernel_and_the_mean() {
        let times = [(Way::Workgroup, vec![1.0]), (Way::Llvm, vec![4.0])];
        let report = Report {
            runs: 1,
            kernels: vec![row("saxpy", &times.into_iter().collect())],
            geometric_mean: [(Way::Llvm, 0.25)].into_iter().collect(),
            left_out: Vec::new(),
            failed: Vec::new(),
        };
        let picture = draw(&report, Way::Llvm).to_string();
        assert!(picture.contains("saxpy: 0.25") && picture.contains("geometric mean: 0.25"));
    }
}
