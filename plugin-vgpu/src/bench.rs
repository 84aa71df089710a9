//! The engine's own speed: what `omptarget bench vgpu` measures.

use std::time::Duration;

use device_image::{Image, ImageKind};
use plugin_api::{Device, Launch, LoadOptions, Module, Result};
use rustix::time::ClockId;

use crate::config::Config;
use crate::device::VirtualGpu;

/// The kernels as LLVM assembly. They are compiled like any image.
const KERNELS: &str = include_str!("bench.ll");

/// Timings per measurement.
const RUNS: usize = 101;

/// Loop iterations in one timing, summed over the threads. That takes some milliseconds: short enough that most
/// timings on a shared machine are not interrupted, and long enough to hide the cost of the launch.
const ITERATIONS: u64 = 100_000;

/// One measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What was measured.
    pub what: &'static str,
    /// Unit of the figures.
    pub unit: &'static str,
    /// The bound that the project promises to stay below, if there is one.
    pub goal: Option<f64>,
    /// Lower quartile, median, upper quartile.
    pub quartiles: [f64; 3],
    /// Number of timings.
    pub runs: usize,
}

impl Figure {
    fn of(
        what: &'static str,
        unit: &'static str,
        goal: Option<f64>,
        mut timings: Vec<f64>,
    ) -> Figure {
        timings.sort_by(f64::total_cmp);
        let at = |quarter: usize| timings[(timings.len() - 1) * quarter / 4];
        Figure {
            what,
            unit,
            goal,
            quartiles: [at(1), at(2), at(3)],
            runs: timings.len(),
        }
    }
}

/// Measures the engine on this machine. Blocks run on the calling thread, one at a time. The time is this
/// thread's CPU time, so other programs do not distort it.
pub fn bench() -> Result<Vec<Figure>> {
    let device = VirtualGpu::new(&Config {
        multiprocessors: 1,
        ..Config::detect()
    })?;
    let image = Image {
        kind: ImageKind::Bitcode,
        triple: "",
        arch: "",
        bytes: KERNELS.as_bytes(),
    };
    let module = device.load(&image, &LoadOptions::default())?;
    let per_iteration = |kernel, threads: u32| -> Result<Vec<f64>> {
        let iterations = ITERATIONS / u64::from(threads);
        let scale = 1e9 / (iterations * u64::from(threads)) as f64;
        time(&*module, kernel, 1, threads, &[iterations], scale)
    };
    Ok(vec![
        Figure::of(
            "switch from fiber to fiber",
            "ns",
            Some(25.0),
            per_iteration("yields", 128)?,
        ),
        Figure::of(
            "barrier of 1024 threads, per thread",
            "ns",
            Some(60.0),
            per_iteration("barriers", 1024)?,
        ),
        Figure::of(
            "barrier of 128 threads, per thread",
            "ns",
            None,
            per_iteration("barriers", 128)?,
        ),
        Figure::of(
            "shuffle, per lane",
            "ns",
            None,
            per_iteration("shuffles", 32)?,
        ),
        Figure::of(
            "launch of an empty block of 1 thread",
            "µs",
            Some(20.0),
            time(&*module, "empty", 1, 1, &[], 1e6)?,
        ),
        Figure::of(
            "launch of an empty block of 128 threads",
            "µs",
            None,
            time(&*module, "empty", 1, 128, &[], 1e6)?,
        ),
        Figure::of(
            "empty block of 128 threads in a large grid",
            "µs",
            None,
            time(&*module, "empty", 1000, 128, &[], 1e3)?,
        ),
    ])
}

/// Times launches of a kernel. `scale` converts seconds to the figure's unit.
fn time(
    module: &dyn Module,
    kernel: &str,
    blocks: u32,
    threads: u32,
    args: &[u64],
    scale: f64,
) -> Result<Vec<f64>> {
    let kernel = module.kernel(kernel).expect("the benchmark's own kernel");
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 0,
        cooperative: false,
        args,
    };
    // The first launch maps stacks and warms caches.
    kernel.launch(&launch)?;
    let timed = |_| {
        let start = cpu_time();
        kernel.launch(&launch)?;
        Ok((cpu_time() - start).as_secs_f64() * scale)
    };
    (0..RUNS).map(timed).collect()
}

/// CPU time of the calling thread.
fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
