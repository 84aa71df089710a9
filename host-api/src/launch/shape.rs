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
/// prefers. The number is odd, because iterations a power of two apart compete for the same cache sets. Teams that
/// reduce cost more than such loops gain: there are only so many that each has enough iterations.
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
    plenty.max((rounds.div_ceil(device.max_iterations_per_thread.into()) | 1).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(max_threads: u32) -> KernelFacts<'static> {
        KernelFacts {
            max_threads,
            warp_size: 32,
            default_threads: 128,
            device_runtime: DeviceRuntime::Ours,
            resident_blocks: &|_| None,
        }
    }

    fn device() -> DeviceInfo {
        DeviceInfo {
            name: "test".into(),
            arch: String::new(),
            multiprocessors: 4,
            warp_size: 32,
            max_threads_per_block: 1024,
            max_blocks: [i32::MAX as u32, 65535, 65535],
            max_shared_memory: 48 << 10,
            total_memory: 1 << 30,
            clock_frequency: 0,
            max_iterations_per_thread: 0,
        }
    }

    fn environment(mode: u8) -> KernelEnvironment {
        KernelEnvironment::of_mode(mode).unwrap()
    }

    fn wanted(teams: u32, threads: u32, trip_count: u64) -> Wanted {
        Wanted {
            teams: [teams, 0, 0],
            threads: [threads, 0, 0],
            trip_count,
            ..Wanted::default()
        }
    }

    #[test]
    fn collapsed_loops_with_a_negative_extent_have_no_iterations() {
        let negative = (-2_i64 * 3) as u64;
        let of = |trips| {
            shape(
                &wanted(0, 0, trips),
                &environment(2),
                &device(),
                kernel(1024),
            )
        };
        assert_eq!(of(negative), of(0));
    }

    #[test]
    fn thread_limit_is_given_exactly() {
        for threads in [1, 31, 33, 64, 1000, 1024] {
            let spmd = shape(
                &wanted(2, threads, 0),
                &environment(2),
                &device(),
                kernel(1024),
            )
            .unwrap();
            assert_eq!(
                (spmd.grid, spmd.block, spmd.cut),
                ([2, 1, 1], [threads, 1, 1], None)
            );
        }
        let generic = shape(&wanted(2, 33, 0), &environment(1), &device(), kernel(1024)).unwrap();
        assert_eq!(generic.block, [1, 65, 1]);
        let llvms = KernelFacts {
            device_runtime: DeviceRuntime::Llvm,
            ..kernel(1024)
        };
        let generic = shape(&wanted(2, 33, 0), &environment(1), &device(), llvms).unwrap();
        assert_eq!(generic.block, [65, 1, 1]);
    }

    #[test]
    fn more_threads_than_a_block_has_are_cut_and_reported() {
        let cut = shape(
            &wanted(1, 2048, 0),
            &environment(2),
            &device(),
            kernel(1024),
        )
        .unwrap();
        let expected = |asked, given, master| {
            Some(Cut {
                asked,
                given,
                master,
            })
        };
        assert_eq!((cut.block[0], cut.cut), (1024, expected(2048, 1024, 0)));
        let generic = shape(
            &wanted(1, 1024, 0),
            &environment(1),
            &device(),
            kernel(1024),
        )
        .unwrap();
        assert_eq!(
            (generic.block[1], generic.cut),
            (1024, expected(1024, 992, 32))
        );
    }

    #[test]
    fn a_device_may_prefer_teams_to_long_loops() {
        let device = DeviceInfo {
            max_iterations_per_thread: 32,
            ..device()
        };
        let teams = |mode, asked, trips| {
            let shape = shape(
                &wanted(asked, 0, trips),
                &environment(mode),
                &device,
                kernel(1024),
            );
            shape.unwrap().grid[0]
        };
        assert_eq!(teams(2, 0, 1280), 10);
        assert_eq!(teams(2, 0, 128 * 128 * 32), 129);
        assert_eq!(teams(2, 0, 128 * 1000 * 32), 1001);
        assert_eq!(teams(2, 0, i64::MAX as u64), i32::MAX as u32);
        assert_eq!(teams(2, 7, 128 * 1000 * 32), 7);
        assert_eq!(teams(1, 0, 128 * 1000 * 32), 128);
        let reduces = KernelEnvironment {
            reduction_data_size: 8,
            ..environment(2)
        };
        let reducing = |trips| {
            let shape = shape(&wanted(0, 0, trips), &reduces, &device, kernel(1024));
            shape.unwrap().grid[0]
        };
        assert_eq!(reducing(1280), 10);
        assert_eq!(reducing(1 << 20), 16);
        assert_eq!(reducing(128 * 32 * 64 * 50), 50);
        assert_eq!(reducing(1 << 40), 128);
    }

    #[test]
    fn teams_follow_the_loop() {
        let teams = |mode, trips| {
            shape(
                &wanted(0, 0, trips),
                &environment(mode),
                &device(),
                kernel(1024),
            )
            .unwrap()
            .grid[0]
        };
        assert_eq!(teams(2, 1280), 10);
        assert_eq!(teams(2, 1 << 40), 128);
        assert_eq!(teams(1, 7), 7);
        assert_eq!(teams(3, 100), 100);
        assert_eq!(teams(2, 0), 4);
        assert_eq!(teams(6, 128 * 1000), 1000);
    }

    #[test]
    fn teams_follow_what_a_multiprocessor_holds() {
        let teams = |mode, trips, blocks: &dyn Fn(u32) -> Option<u32>| {
            let (wanted, environment) = (wanted(0, 0, trips), environment(mode));
            let facts = KernelFacts {
                resident_blocks: blocks,
                ..kernel(1024)
            };
            let shape = shape(&wanted, &environment, &device(), facts);
            shape.unwrap().grid[0]
        };
        assert_eq!(teams(2, 1 << 40, &|_| Some(16)), 128);
        assert_eq!(teams(2, 1 << 40, &|_| Some(3)), 24);
        assert_eq!(teams(2, 1280, &|_| Some(3)), 10);
        assert_eq!(teams(2, 1 << 40, &|_| Some(0)), 8);
        // Without a loop, all that run at the same time.
        assert_eq!(teams(2, 0, &|_| Some(16)), 64);
        assert_eq!(teams(2, 0, &|_| None), 4);
        // The master's warp counts, too.
        assert_eq!(teams(1, 1 << 40, &|threads| Some(threads / 32)), 40);
    }

    #[test]
    fn teams_that_reduce_are_one_wave_and_have_work() {
        let reduces = KernelEnvironment {
            reduction_data_size: 8,
            ..environment(2)
        };
        let facts = KernelFacts {
            resident_blocks: &|_| Some(16),
            ..kernel(1024)
        };
        let teams = |trips| {
            let shape = shape(&wanted(0, 0, trips), &reduces, &device(), facts);
            shape.unwrap().grid[0]
        };
        assert_eq!(teams(1 << 40), 64);
        assert_eq!(teams(128 * 32 * 20), 20);
        assert_eq!(teams(128 * 32), 4);
    }

    #[test]
    fn short_loops_use_every_multiprocessor() {
        let short = shape(&wanted(0, 0, 200), &environment(2), &device(), kernel(1024)).unwrap();
        assert_eq!((short.grid[0], short.block[0]), (4, 64));
        let tiny = shape(&wanted(0, 0, 3), &environment(2), &device(), kernel(1024)).unwrap();
        assert_eq!((tiny.grid[0], tiny.block[0]), (1, 32));
    }

    #[test]
    fn environment_applies_where_clauses_do_not() {
        let limits = Wanted {
            default_teams: Some(3),
            default_threads: Some(64),
            ..wanted(0, 0, 1 << 20)
        };
        let limited = shape(&limits, &environment(2), &device(), kernel(1024)).unwrap();
        assert_eq!((limited.grid[0], limited.block[0]), (3, 64));
        let clause = Wanted {
            teams: [9, 0, 0],
            threads: [96, 0, 0],
            ..limits
        };
        let asked = shape(&clause, &environment(2), &device(), kernel(1024)).unwrap();
        assert_eq!((asked.grid[0], asked.block[0]), (9, 96));
    }

    #[test]
    fn limits() {
        let error = shape(
            &wanted(1 << 31, 0, 0),
            &environment(2),
            &device(),
            kernel(1024),
        )
        .unwrap_err();
        assert!(error.to_string().contains("2147483648"), "{error}");
        let bare = Wanted {
            teams: [1, 2, 3],
            threads: [32, 33, 1],
            ..Wanted::default()
        };
        assert!(
            shape(&bare, &environment(0), &device(), kernel(1024))
                .unwrap_err()
                .to_string()
                .contains("1056")
        );
        let fine = Wanted {
            threads: [32, 32, 1],
            ..bare
        };
        assert_eq!(
            shape(&fine, &environment(0), &device(), kernel(1024))
                .unwrap()
                .grid,
            [1, 2, 3]
        );
        assert!(shape(&wanted(1, 1, 0), &environment(1), &device(), kernel(32)).is_err());
    }

    /// The virtual GPU also runs images with waves of 64. The master takes one wave of the image's size.
    #[test]
    fn the_images_warps_and_defaults_count() {
        let wave64 = KernelFacts {
            max_threads: 1024,
            warp_size: 64,
            default_threads: 256,
            device_runtime: DeviceRuntime::Ours,
            resident_blocks: &|_| None,
        };
        let of = |mode, threads, trips| {
            shape(
                &wanted(0, threads, trips),
                &environment(mode),
                &device(),
                wave64,
            )
            .unwrap()
        };
        assert_eq!(of(1, 33, 0).block, [1, 97, 1]);
        assert_eq!(of(1, 1024, 0).block, [1, 1024, 1]);
        assert_eq!(of(2, 0, 1 << 20).block, [256, 1, 1]);
        assert_eq!(of(2, 0, 3).block, [64, 1, 1]);
    }

    #[test]
    fn compiler_bounds_hold() {
        let mut bounded = environment(2);
        bounded.max_threads = Some(64);
        bounded.max_teams = Some(1);
        let shape = shape(&wanted(0, 0, 1 << 20), &bounded, &device(), kernel(1024)).unwrap();
        assert_eq!((shape.grid[0], shape.block[0]), (1, 64));
    }
}
