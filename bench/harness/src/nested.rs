//! `omptarget bench nested`: the kernels of bench/nested in their two shapes (fork-join paper, section VI-B, Fig. 5).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstyle::Style;
use omptarget_driver::{Failure, Result, clang};
use serde::{Deserialize, Serialize};

use super::llvm_host;
use super::plot::{self, Bar};
use super::programs::{self, Source};
use super::report::print_json;
use super::statistics::{geometric_mean, quartiles};

const HELP: &str = "\
Examples:
  omptarget bench nested
  omptarget bench nested --size 16 --runs 11 --svg nested.svg
  omptarget bench nested --build programs -- --offload-arch=sm_90
  omptarget bench nested --programs programs --json
  omptarget bench nested --llvm

The programs run on the default device; OMPTARGET_DEVICES and OMP_DEFAULT_DEVICE choose another. A speedup is the
median of the SPMD shape's times over that of the nested shape's: more than 1 where parallel inner loops are faster.
With --llvm, a ratio is our median over that of LLVM's host offload: less than 1 where ours is faster. It needs LLVM's
library (scripts/fetch puts it into dist/llvm).
Exit code 1: a program could not be run, or gave a wrong result. The others' figures are still shown.";

/// Arguments of `omptarget bench nested`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the speedups (SVG)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Size of the problems: 16 gives the loop ratios of the paper's Table II
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    size: u32,
    /// Timed runs of each shape; shapes alternate
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Only these programs
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Run the programs of this folder (made with --build) instead of compiling them
    #[arg(long, value_name = "FOLDER", conflicts_with = "build")]
    programs: Option<PathBuf>,
    /// Compare with LLVM's host offload: each of its programs runs after ours
    #[arg(long, conflicts_with_all = ["programs", "build"])]
    llvm: bool,
    /// Compile the programs into this folder and stop
    #[arg(long, value_name = "FOLDER")]
    build: Option<PathBuf>,
    /// Seconds a program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    limit: u64,
    /// Further arguments for clang
    #[arg(last = true, value_name = "ARGUMENT", conflicts_with = "programs")]
    clang: Vec<OsString>,
}

const HEADER: Source = ("nested.h", include_str!("../../nested/nested.h"));

/// Suffix of the names of programs for LLVM's host offload.
const BY_LLVM: &str = ".llvm";

macro_rules! sources {
    ($($name:literal),*) => {
        [$(($name, (concat!($name, ".c"), include_str!(concat!("../../nested/", $name, ".c"))))),*]
    };
}

/// The programs, in the order of Table II's loop ratios, then those that are not in the table.
const PROGRAMS: [(&str, Source); 19] = sources![
    "kmeans",
    "bfs",
    "particlefilter",
    "mriq",
    "btree",
    "lavamd",
    "haccmk",
    "heartwall",
    "streamcluster",
    "tnsrtrns",
    "sp",
    "ep",
    "fginv",
    "bt",
    "lud",
    "backprop",
    "imghisto",
    "stencil",
    "cg"
];

/// A line that a program prints: one kernel in one shape.
#[derive(Deserialize)]
struct Line {
    kernel: String,
    paper: String,
    shape: Shape,
    outer: u64,
    inner: u64,
    wrong: u64,
    ns: Vec<f64>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Spmd,
    Nested,
}

/// Times of a kernel in one shape, in nanoseconds.
#[derive(Serialize)]
struct Times {
    lower_quartile: f64,
    median: f64,
    upper_quartile: f64,
}

/// A kernel as `--json` shows it.
#[derive(Serialize)]
struct Kernel {
    kernel: String,
    /// Its loop ratio in Table II; empty if it is not in the table.
    paper: String,
    outer: u64,
    inner: u64,
    wrong: u64,
    spmd_ns: Times,
    nested_ns: Times,
    /// SPMD over nested.
    speedup: f64,
    /// LLVM's host offload, with `--llvm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    llvm: Option<Llvm>,
}

/// A kernel on LLVM's host offload.
#[derive(Serialize)]
struct Llvm {
    spmd_ns: Times,
    nested_ns: Times,
    /// Ours over LLVM's.
    spmd_ratio: f64,
    nested_ratio: f64,
}

/// A program without figures.
#[derive(Serialize)]
struct Failed {
    program: &'static str,
    why: String,
}

/// The whole measurement.
#[derive(Serialize)]
struct Report {
    size: u32,
    runs: u32,
    kernels: Vec<Kernel>,
    /// Of the speedups of Table II's kernels.
    geometric_mean: Option<f64>,
    /// Of all kernels' ratios to LLVM's host offload, SPMD and nested.
    #[serde(skip_serializing_if = "Option::is_none")]
    llvm_geometric_means: Option<[f64; 2]>,
    failed: Vec<Failed>,
}

/// Builds, or measures and prints.
pub fn bench(options: &Options) -> Result<()> {
    let chosen = chosen(&options.only)?;
    if let Some(folder) = &options.build {
        std::fs::create_dir_all(folder)
            .map_err(Failure::system(format!("cannot make {}", folder.display())))?;
        return build(&chosen, folder, &options.clang);
    }
    let built;
    let folder = match &options.programs {
        Some(folder) => folder.as_path(),
        None => {
            built =
                tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
            build(&chosen, built.path(), &options.clang)?;
            if options.llvm {
                build_by_llvm(&chosen, built.path())?;
            }
            built.path()
        }
    };
    let report = measure(&chosen, folder, options)?;
    if let Some(file) = &options.svg {
        svg::save(file, &draw(&report))
            .map_err(Failure::system(format!("cannot write {}", file.display())))?;
    }
    if options.json {
        print_json(&report);
    } else {
        print(&report);
    }
    verdict(&report)
}

fn chosen(only: &[String]) -> Result<Vec<&'static (&'static str, Source)>> {
    let known = |name: &String| PROGRAMS.iter().any(|(known, _)| known == name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        let names = PROGRAMS.map(|(name, _)| name).join(", ");
        return Err(Failure::Usage(format!(
            "no program {unknown}; there are {names}"
        )));
    }
    let wanted = |name: &str| only.is_empty() || only.iter().any(|chosen| chosen == name);
    Ok(PROGRAMS.iter().filter(|(name, _)| wanted(name)).collect())
}

fn build(chosen: &[&(&str, Source)], folder: &Path, flags: &[OsString]) -> Result<()> {
    for (name, source) in chosen {
        programs::compile(name, &[*source, HEADER], folder, flags)?;
    }
    Ok(())
}

fn build_by_llvm(chosen: &[&(&str, Source)], folder: &Path) -> Result<()> {
    if let Some(why) = llvm_host::lacks() {
        return Err(Failure::Other(why));
    }
    for (name, source) in chosen {
        let clang = clang::plain()?;
        let name = format!("{name}{BY_LLVM}");
        programs::compile_by(
            clang,
            &name,
            &[*source, HEADER],
            folder,
            &llvm_host::flags("native")?,
        )?;
    }
    Ok(())
}

fn measure(
    chosen: &[&'static (&'static str, Source)],
    folder: &Path,
    options: &Options,
) -> Result<Report> {
    let environment = match options.llvm {
        true => llvm_host::environment()?,
        false => Vec::new(),
    };
    let (mut kernels, mut failed) = (Vec::new(), Vec::new());
    for (program, _) in chosen {
        let ours = run(&folder.join(program), &[], options);
        let found = match options.llvm {
            false => ours,
            true => ours.and_then(|ours| {
                let theirs = folder.join(format!("{program}{BY_LLVM}"));
                Ok(compared(ours, run(&theirs, &environment, options)?))
            }),
        };
        match found {
            Ok(more) => kernels.extend(more),
            Err(why) => failed.push(Failed { program, why }),
        }
    }
    let of_the_paper = kernels.iter().filter(|kernel| !kernel.paper.is_empty());
    let speedups: Vec<f64> = of_the_paper.map(|kernel| kernel.speedup).collect();
    Ok(Report {
        size: options.size,
        runs: options.runs,
        geometric_mean: geometric_mean(&speedups),
        llvm_geometric_means: llvm_means(&kernels),
        kernels,
        failed,
    })
}

/// Runs a program that was made before.
fn run(
    program: &Path,
    environment: &[(&str, String)],
    options: &Options,
) -> std::result::Result<Vec<Kernel>, String> {
    let arguments = [
        "--size".into(),
        options.size.to_string(),
        "--runs".into(),
        options.runs.to_string(),
    ];
    let environment: Vec<_> = environment
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let limit = Duration::from_secs(options.limit);
    programs::run(program, &arguments, &environment, limit).and_then(|output| read(&output))
}

/// Our kernels with LLVM's times: the same program printed both.
fn compared(ours: Vec<Kernel>, theirs: Vec<Kernel>) -> Vec<Kernel> {
    let pairs = ours.into_iter().zip(theirs);
    pairs
        .map(|(kernel, other)| Kernel {
            wrong: kernel.wrong + other.wrong,
            llvm: Some(Llvm {
                spmd_ratio: kernel.spmd_ns.median / other.spmd_ns.median,
                nested_ratio: kernel.nested_ns.median / other.nested_ns.median,
                spmd_ns: other.spmd_ns,
                nested_ns: other.nested_ns,
            }),
            ..kernel
        })
        .collect()
}

fn llvm_means(kernels: &[Kernel]) -> Option<[f64; 2]> {
    let ratios = |of: fn(&Llvm) -> f64| {
        let found: Vec<_> = kernels
            .iter()
            .filter_map(|kernel| kernel.llvm.as_ref().map(of))
            .collect();
        geometric_mean(&found)
    };
    Some([
        ratios(|llvm| llvm.spmd_ratio)?,
        ratios(|llvm| llvm.nested_ratio)?,
    ])
}

/// The kernels of a program's output: two lines each.
fn read(output: &str) -> std::result::Result<Vec<Kernel>, String> {
    let lines: std::result::Result<Vec<Line>, _> =
        output.lines().map(serde_json::from_str).collect();
    let lines = lines.map_err(|error| format!("unexpected output: {error}\n{output}"))?;
    let pairs = lines.chunks(2).map(|pair| match pair {
        [spmd, nested] if spmd.shape == Shape::Spmd && nested.shape == Shape::Nested => {
            pair_up(spmd, nested)
        }
        _ => None,
    });
    pairs
        .collect::<Option<Vec<Kernel>>>()
        .ok_or_else(|| format!("unexpected output:\n{output}"))
}

fn pair_up(spmd: &Line, nested: &Line) -> Option<Kernel> {
    let times = |line: &Line| {
        let [lower_quartile, median, upper_quartile] = quartiles(&line.ns)?;
        (median > 0.0).then_some(Times {
            lower_quartile,
            median,
            upper_quartile,
        })
    };
    let (spmd_ns, nested_ns) = (times(spmd)?, times(nested)?);
    (spmd.kernel == nested.kernel).then(|| Kernel {
        kernel: spmd.kernel.clone(),
        paper: spmd.paper.clone(),
        outer: spmd.outer,
        inner: spmd.inner,
        wrong: spmd.wrong + nested.wrong,
        speedup: spmd_ns.median / nested_ns.median,
        spmd_ns,
        nested_ns,
        llvm: None,
    })
}

fn draw(report: &Report) -> svg::Document {
    let bar = |label: &str, value, whole| Bar {
        label: label.into(),
        value,
        whole,
    };
    let mut bars: Vec<Bar> = report
        .kernels
        .iter()
        .map(|kernel| bar(&kernel.kernel, kernel.speedup, false))
        .collect();
    bars.extend(
        report
            .geometric_mean
            .map(|mean| bar("geometric mean", mean, true)),
    );
    plot::ratios("Speedup of nested over SPMD", &bars)
}

fn print(report: &Report) {
    let bold = Style::new().bold();
    let compared = report.llvm_geometric_means.is_some();
    let more = if compared {
        "  LLVM SPMD µs  / LLVM  LLVM nested µs  / LLVM"
    } else {
        ""
    };
    anstream::println!(
        "{bold}{:<18} {:>15} {:>8} {:>8} {:>11} {:>11} {:>8}{more}{bold:#}",
        "kernel",
        "Table II",
        "outer",
        "inner",
        "SPMD µs",
        "nested µs",
        "speedup"
    );
    for kernel in &report.kernels {
        anstream::println!(
            "{:<18} {:>15} {:>8} {:>8} {:>11.1} {:>11.1} {:>8}{}",
            kernel.kernel,
            if kernel.paper.is_empty() {
                "-"
            } else {
                &kernel.paper
            },
            kernel.outer,
            kernel.inner,
            kernel.spmd_ns.median / 1e3,
            kernel.nested_ns.median / 1e3,
            plot::short(kernel.speedup),
            kernel.llvm.as_ref().map(by_llvm).unwrap_or_default()
        );
    }
    if let Some(mean) = report.geometric_mean {
        anstream::println!(
            "{bold}{:<18} {:>66}{bold:#}",
            "geometric mean",
            plot::short(mean)
        );
    }
    if let Some([spmd, nested]) = report.llvm_geometric_means {
        anstream::println!(
            "{bold}{:<18} {:>66} {:>22} {:>23}{bold:#}",
            "geometric mean / LLVM",
            "",
            plot::short(spmd),
            plot::short(nested)
        );
    }
}

/// The columns of LLVM's host offload.
fn by_llvm(llvm: &Llvm) -> String {
    format!(
        " {:>13.1} {:>7} {:>15.1} {:>7}",
        llvm.spmd_ns.median / 1e3,
        plot::short(llvm.spmd_ratio),
        llvm.nested_ns.median / 1e3,
        plot::short(llvm.nested_ratio)
    )
}

fn verdict(report: &Report) -> Result<()> {
    let failed = report
        .failed
        .iter()
        .map(|failed| format!("{}: {}", failed.program, failed.why));
    if report.failed.is_empty() {
        return Ok(());
    }
    Err(Failure::Other(failed.collect::<Vec<_>>().join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kernel: &str, shape: &str, ns: &str) -> String {
        format!(
            r#"{{"kernel": "{kernel}", "paper": "1:20", "shape": "{shape}", "outer": 2, "inner": 40, "wrong": 0, "ns": [{ns}]}}"#
        )
    }

    #[test]
    fn a_program_tells_two_lines_per_kernel() {
        let output = [
            line("a", "spmd", "600, 200, 400"),
            line("a", "nested", "100, 100, 90"),
        ]
        .join("\n");
        let kernels = read(&output).expect("well-formed");
        assert_eq!((kernels.len(), kernels[0].speedup), (1, 4.0));
        assert_eq!(kernels[0].spmd_ns.lower_quartile, 300.0);
    }

    #[test]
    fn llvms_times_beside_ours() {
        let program = |factor: u32| {
            let ns = |times: u32| (factor * times).to_string();
            let lines = [line("a", "spmd", &ns(600)), line("a", "nested", &ns(100))];
            read(&lines.join("\n")).expect("well-formed")
        };
        let kernels = compared(program(1), program(4));
        let llvm = kernels[0].llvm.as_ref().expect("it is there");
        assert_eq!((llvm.spmd_ratio, llvm.nested_ratio), (0.25, 0.25));
        assert_eq!(llvm.nested_ns.median, 400.0);
        let means = llvm_means(&kernels).expect("there is one kernel");
        assert!(means.iter().all(|mean| (mean - 0.25).abs() < 1e-12));
        assert!(llvm_means(&program(1)).is_none());
    }

    #[test]
    fn anything_else_is_an_error() {
        for lines in [
            vec![line("a", "spmd", "1")],
            vec![line("a", "nested", "1"), line("a", "spmd", "1")],
            vec![line("a", "spmd", "1"), line("b", "nested", "1")],
            vec![line("a", "spmd", ""), line("a", "nested", "1")],
            vec![line("a", "spmd", "0"), line("a", "nested", "1")],
            vec!["hello".into()],
        ] {
            assert!(read(&lines.join("\n")).is_err(), "{lines:?}");
        }
    }

    #[test]
    fn programs_by_name() {
        assert_eq!(chosen(&[]).expect("all").len(), PROGRAMS.len());
        let two = chosen(&["lud".into(), "bfs".into()]).expect("both are there");
        assert_eq!(
            two.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["bfs", "lud"]
        );
        assert!(matches!(chosen(&["bfss".into()]), Err(Failure::Usage(_))));
    }
}
