//! `omptarget replay`: a recorded kernel launch, alone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omptarget_driver::{Failure, Result};
use plugin_api::{Device, Plugin};
use recording::{Difference, Recording, Replay};

const HELP: &str = "\
A program records a launch when OMPTARGET_RECORD names a folder (docs/recording.md):

  OMPTARGET_RECORD=launch OMPTARGET_RECORD_KERNEL=main_l42 ./program
  omptarget replay launch --verify
  omptarget replay launch --threads 256 --runs 10";

/// Arguments of `omptarget replay`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// The folder with the recording
    folder: PathBuf,
    /// Other number of teams
    #[arg(long)]
    teams: Option<u32>,
    /// Other number of threads per team
    #[arg(long)]
    threads: Option<u32>,
    /// Runs; the memory is restored before each, and the median of their times is shown
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Fail if memory afterwards is not what was recorded
    #[arg(long)]
    verify: bool,
}

/// Replays.
pub fn replay(options: &Options) -> Result<()> {
    let recording = Recording::read(&options.folder).map_err(other)?;
    let device = device_for(&recording)?;
    anstream::println!(
        "kernel {}, recorded on {}",
        recording.kernel,
        recording.device
    );
    let name = device.info().name.clone();
    let replay = Replay::new(&recording, device).map_err(other)?;
    let (grid, block) = shape(&recording, options, replay.warp_size())?;
    let run = |_| replay.run(grid, block).map_err(other);
    let times: Vec<Duration> = (0..options.runs).map(run).collect::<Result<_>>()?;
    anstream::println!(
        "{grid:?} blocks of {block:?} threads on {name}: {}",
        time(times)
    );
    if options.verify {
        let differences = replay.differences().map_err(other)?;
        return verdict(&recording, &differences);
    }
    Ok(())
}

fn other(error: impl std::fmt::Display) -> Failure {
    Failure::Other(error.to_string())
}

/// The first device that takes the image.
fn device_for(recording: &Recording) -> Result<Arc<dyn Device>> {
    let image = recording.format.image(&recording.image);
    let virtual_gpu = plugin_vgpu::plugin().map_err(other)?;
    let plugins: [Arc<dyn Plugin>; 2] = [virtual_gpu, plugin_host::plugin()];
    let mut devices = plugins.iter().flat_map(|plugin| plugin.devices());
    devices
        .find(|device| device.refusal(&image).is_none())
        .ok_or_else(|| other(format!("no device takes the image: {:?}", recording.format)))
}

/// The recorded shape, changed as the options say. The threads of a team lie along the dimension that is in use. The
/// last warp of a block along y has its master (docs/abi.md, section 2).
fn shape(recording: &Recording, options: &Options, warp: u32) -> Result<([u32; 3], [u32; 3])> {
    let (mut grid, mut block) = (recording.grid, recording.block);
    let flat =
        |shape: [u32; 3], axis: usize| (0..3).all(|other| other == axis || shape[other] == 1);
    if let Some(teams) = options.teams {
        if !flat(grid, 0) {
            return Err(Failure::Usage(format!(
                "--teams: the recorded grid is {grid:?}"
            )));
        }
        grid[0] = teams;
    }
    let Some(threads) = options.threads else {
        return Ok((grid, block));
    };
    if flat(block, 0) {
        block[0] = threads;
    } else if flat(block, 1) {
        block[1] = threads.saturating_add(warp);
    } else {
        return Err(Failure::Usage(format!(
            "--threads: the recorded block is {block:?}"
        )));
    }
    Ok((grid, block))
}

fn time(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let median = times[times.len() / 2].as_secs_f64() * 1e3;
    match times.len() {
        1 => format!("{median:.3} ms"),
        runs => format!("{median:.3} ms (median of {runs} runs)"),
    }
}

fn verdict(recording: &Recording, differences: &[Difference]) -> Result<()> {
    if differences.is_empty() {
        let bytes = crate::info::size(recording.after.len() as u64);
        anstream::println!(
            "memory is as recorded ({bytes} in {} areas)",
            recording.areas.len()
        );
        return Ok(());
    }
    let line = |difference: &Difference| {
        let Difference {
            area,
            size,
            bytes,
            first,
        } = difference;
        format!("\n  {area}: {bytes} of {size} bytes differ, the first at {first}")
    };
    let lines: String = differences.iter().map(line).collect();
    Err(other(format!("memory is not as recorded:{lines}")))
}
