//! The shape of a launch: how many teams of how many threads (docs/abi.md, "Launch shape").
//!
//! What the program asks for is given exactly. Otherwise the launch has enough teams to keep every multiprocessor busy,
//! but no more than the loop can use.

use plugin_api::DeviceInfo;

use crate::device::device_runtime::DeviceRuntime;
use crate::device::kernel_environment::{ExecutionMode, KernelEnvironment};

/// Teams per multiprocessor when the program states no number. Enough to hide latency and to balance uneven teams, few
/// enough to keep cross-team reductions short.
const TEAMS_PER_MULTIPROCESSOR: u32 = 32;
/// Waves of teams, where the device tells how many teams a multiprocessor holds at a time. Whole waves leave no
/// multiprocessor with a last few teams. Two waves let others start where teams end early.
const WAVES: u32 = 2;
/// For devices that prefer more teams to longer loops: how many times the preferred iterations a team needs so that its
/// reduction is a small part of its work. On the virtual GPU that is 512 iterations: an iteration of 128 threads takes
/// at least 60 ns, a reduction 2 µs.
const TURNS_PER_REDUCTION: u64 = 64;
/// On other devices: iterations of a thread that are worth its team's reduction. Of 4 million additions on an H100, 31
/// iterations each take 27 µs, 8 each 45.
const ITERATIONS_PER_REDUCTION: u64 = 32;
/// Least number of reducing teams per multiprocessor, so that uneven teams do not leave the others waiting.
const LEAST_REDUCING: u32 = 4;

/// The requests of the construct and of the environment; 0 means none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// `num_teams`.
    pub teams: [u32; 3],
    /// `thread_limit`, or the combined construct's `num_threads`.
    pub threads: [u32; 3],
    /// Iterations of the distributed loop.
    pub trip_count: u64,
    /// `OMP_NUM_TEAMS`.
    pub default_teams: Option<u32>,
    /// `OMP_TEAMS_THREAD_LIMIT`.
    pub default_threads: Option<u32>,
    /// `LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT`.
    pub min_threads_for_low_trip_count: Option<u32>,
}

impl Wanted {
    /// Iterations of the loop; 0 if nothing is known. The product of collapsed loops' extents, which clang gives, is
    /// negative where one extent is: there is no iteration.
    fn iterations(&self) -> u64 {
        i64::try_from(self.trip_count).map_or(0, |_| self.trip_count)
    }
}

/// Grid and block of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Set if a team gets fewer threads than the construct asked for.
    pub cut: Option<Cut>,
}

/// A team gets fewer threads than the construct asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Threads the construct asked for.
    pub asked: u32,
    /// Threads the team gets.
    pub given: u32,
    /// Threads of the block that the team's sequential code takes.
    pub master: u32,
}

/// The limit that a launch exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The block has no room for a thread besides the master's warp.
    #[error("a team needs more than the {limit} threads a block of it may have")]
    NoRoomForTeam {
        /// Most threads of a block.
        limit: u32,
    },
    /// `ompx_bare`: the block is too large.
    #[error("{asked} threads per block are more than the {limit} a block may have")]
    BlockTooLarge {
        /// Threads asked for.
        asked: u64,
        /// Most threads of a block.
        limit: u32,
    },
    /// `ompx_bare`: the grid is too large.
    #[error("{asked} blocks in dimension {dimension} are more than the {limit} there may be")]
    GridTooLarge {
        /// Which dimension.
        dimension: usize,
        /// Blocks asked for.
        asked: u32,
        /// Most blocks in it.
        limit: u32,
    },
    /// `num_teams` is too large.
    #[error("num_teams({asked}) is more than the {limit} teams the device can run")]
    TooManyTeams {
        /// Teams asked for.
        asked: u32,
        /// Most teams.
        limit: u32,
    },
    /// A loop that gives each thread one iteration has too many of them.
    #[error("the loop needs {needed} teams, more than the {limit} the device can run")]
    LoopTooLong {
        /// Teams that it takes.
        needed: u64,
        /// Most teams.
        limit: u32,
    },
}

/// What the image and the device say about the kernel.
#[derive(Clone, Copy)]
pub struct KernelFacts<'a> {
    /// Most threads a block of it may have.
    pub max_threads: u32,
    /// Lanes per warp.
    pub warp_size: u32,
    /// Threads of a block if the program states none.
    pub default_threads: u32,
    /// What its image was linked with.
    pub device_runtime: DeviceRuntime,
    /// How many blocks with this many threads a multiprocessor holds at a time, if the device tells.
    pub resident_blocks: &'a dyn Fn(u32) -> Option<u32>,
}

/// Computes the shape of a launch.
pub fn shape(
    wanted: &Wanted,
    environment: &KernelEnvironment,
    device: &DeviceInfo,
    kernel: KernelFacts<'_>,
) -> Result<Shape, ShapeError> {
    let block_limit = kernel.max_threads.min(device.max_threads_per_block);
    if environment.mode == ExecutionMode::Bare {
        return bare(wanted, device, block_limit);
    }
    let generic = environment.mode == ExecutionMode::Generic;
    let master = if generic { kernel.warp_size } else { 0 };
    let most = block_limit.saturating_sub(master);
    if most == 0 {
        return Err(ShapeError::NoRoomForTeam { limit: block_limit });
    }
    let threads = threads_per_team(wanted, environment, device, kernel, most);
    let resident = || (kernel.resident_blocks)(threads + master);
    let teams = teams(wanted, environment, device, threads, resident)?;
    let asked = wanted.threads[0];
    Ok(Shape {
        grid: [teams, 1, 1],
        block: if generic {
            kernel.device_runtime.generic_block(threads + master)
        } else {
            [threads, 1, 1]
        },
        cut: (asked > threads && environment.max_threads.is_none_or(|max| max >= asked)).then_some(
            Cut {
                asked,
                given: threads,
                master,
            },
        ),
    })
}

/// `ompx_bare`: the program states the whole shape.
fn bare(wanted: &Wanted, device: &DeviceInfo, block_limit: u32) -> Result<Shape, ShapeError> {
    let grid = wanted.teams.map(|count| count.max(1));
    let block = wanted.threads.map(|count| count.max(1));
    let threads = block.iter().map(|count| u64::from(*count)).product::<u64>();
    if threads > u64::from(block_limit) {
        return Err(ShapeError::BlockTooLarge {
            asked: threads,
            limit: block_limit,
        });
    }
    for (dimension, (asked, limit)) in grid.into_iter().zip(device.max_blocks).enumerate() {
        if asked > limit {
            return Err(ShapeError::GridTooLarge {
                dimension,
                asked,
                limit,
            });
        }
    }
    Ok(Shape {
        grid,
        block,
        cut: None,
    })
}

fn threads_per_team(
    wanted: &Wanted,
    environment: &KernelEnvironment,
    device: &DeviceInfo,
    kernel: KernelFacts<'_>,
    most: u32,
) -> u32 {
    let most = environment.max_threads.map_or(most, |max| max.min(most));
    if wanted.threads[0] > 0 {
        return wanted.threads[0].min(most);
    }
    let usual = kernel
        .default_threads
        .max(environment.min_threads.unwrap_or(1));
    let usual = wanted
        .default_threads
        .map_or(usual, |limit| usual.min(limit))
        .min(most);
    let spmd = environment.mode == ExecutionMode::Spmd;
    if spmd && wanted.iterations() > 0 && wanted.teams[0] == 0 {
        threads_for_short_loop(wanted, device, kernel.warp_size, usual).min(most)
    } else {
        usual
    }
}

/// A loop too short to give every multiprocessor a full team gets smaller teams.
fn threads_for_short_loop(wanted: &Wanted, device: &DeviceInfo, warp: u32, usual: u32) -> u32 {
    let busy = u64::from(device.multiprocessors.max(1));
    if wanted.iterations().div_ceil(u64::from(usual)) >= busy {
        return usual;
    }
    let share = wanted
        .iterations()
        .div_ceil(busy)
        .next_multiple_of(u64::from(warp));
    let least = wanted.min_threads_for_low_trip_count.unwrap_or(warp);
    u32::try_from(share)
        .unwrap_or(usual)
        .clamp(least.min(usual), usual)
}

fn teams(
    wanted: &Wanted,
    environment: &KernelEnvironment,
    device: &DeviceInfo,
    threads: u32,
    resident: impl Fn() -> Option<u32>,
) -> Result<u32, ShapeError> {
    let most = device.max_blocks[0];
    if wanted.teams[0] > most {
        return Err(ShapeError::TooManyTeams {
            asked: wanted.teams[0],
            limit: most,
        });
    }
    if wanted.teams[0] > 0 {
        return Ok(wanted.teams[0]);
    }
    let resident = resident().map(|teams| teams.max(1));
    let on_each = |teams: u32| device.multiprocessors.saturating_mul(teams).max(1);
    let plenty = on_each(resident.map_or(TEAMS_PER_MULTIPROCESSOR, |teams| {
        teams.saturating_mul(WAVES)
    }));
    let useful = match (wanted.iterations(), environment.mode) {
        // Teams that share work by their numbers: as many as run at the same time.
        (0, _) => on_each(resident.unwrap_or(1)).into(),
        (trips, ExecutionMode::Generic | ExecutionMode::GenericSpmd) => {
            trips.min(u64::from(plenty))
        }
        (trips, ExecutionMode::SpmdNoLoop) => trips.div_ceil(u64::from(threads)),
        (trips, _) => {
            let rounds = trips.div_ceil(u64::from(threads));
            rounds.min(for_loop(rounds, plenty.into(), environment, device))
        }
    };
    let bound = if environment.mode == ExecutionMode::SpmdNoLoop {
        None
    } else {
        wanted.default_teams
    };
    let teams = bound.map_or(useful, |limit| useful.min(u64::from(limit)));
    let teams = teams.max(environment.min_teams.unwrap_or(1).into());
    let teams = environment
        .max_teams
        .map_or(teams, |max| teams.min(max.into()));
    u32::try_from(teams)
        .ok()
        .filter(|teams| *teams <= most)
        .ok_or(ShapeError::LoopTooLong {
            needed: teams,
            limit: most,
        })
}

/// Teams for a loop that one team would run in `rounds`, where `plenty` teams keep the device busy. If the device
/// prefers more teams to longer loops, the loop gets so many teams that no thread has more iterations than the device
/// prefers. Where it prefers longer ones in rows, there are still enough teams to balance. The number is odd, because
/// iterations a power of two apart compete for the same cache sets. Teams that reduce cost more than such loops gain:
/// there are only so many that each has enough iterations.
fn for_loop(rounds: u64, plenty: u64, environment: &KernelEnvironment, device: &DeviceInfo) -> u64 {
    if device.max_iterations_per_thread == 0 && environment.reduction_data_size > 0 {
        // One wave: what a second one balances costs it more to reduce.
        let least = u64::from(device.multiprocessors);
        let most = (plenty / u64::from(WAVES)).max(least);
        return (rounds / ITERATIONS_PER_REDUCTION).clamp(least, most);
    }
    if device.max_iterations_per_thread == 0 {
        return plenty;
    }
    if environment.reduction_data_size > 0 {
        let least = u64::from(LEAST_REDUCING) * u64::from(device.multiprocessors);
        let worth = rounds / (TURNS_PER_REDUCTION * u64::from(device.max_iterations_per_thread));
        return worth.max(least).min(plenty);
    }
    let most = u64::from(device.max_blocks[0]);
    let of = |iterations: u32| rounds.div_ceil(iterations.into());
    let mut teams = of(device.max_iterations_per_thread);
    if environment.deals_rows {
        // Longer rows where teams that are uneven, or end at different times, still leave nobody waiting.
        let balanced = u64::from(TEAMS_PER_MULTIPROCESSOR) * u64::from(device.multiprocessors);
        teams = of(device.max_iterations_in_rows).max(teams.min(balanced));
    }
    plenty.max((teams | 1).min(most))
}
