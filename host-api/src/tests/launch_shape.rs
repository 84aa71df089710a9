//! Shapes of launches.

use plugin_api::DeviceInfo;

use crate::device::device_runtime::DeviceRuntime;
use crate::device::kernel_environment::KernelEnvironment;
use crate::launch::shape::*;

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
        max_iterations_in_rows: 0,
        record_per_team: false,
        shares_cpus: false,
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
        max_iterations_in_rows: 64,
        ..device()
    };
    let teams_of = |environment: KernelEnvironment, asked, trips| {
        let shape = shape(
            &wanted(asked, 0, trips),
            &environment,
            &device,
            kernel(1024),
        );
        shape.unwrap().grid[0]
    };
    let teams = |mode, asked, trips| teams_of(environment(mode), asked, trips);
    let rows = KernelEnvironment {
        deals_rows: true,
        ..environment(2)
    };
    assert_eq!(teams_of(rows, 0, 128 * 1000 * 64), 1001);
    // A kernel of which a multiprocessor holds one team still has enough to balance: no more than without rows.
    let one_resident = KernelFacts {
        resident_blocks: &|_| Some(1),
        ..kernel(1024)
    };
    let short = wanted(0, 0, 128 * 20 * 32);
    let balanced = shape(&short, &rows, &device, one_resident).unwrap();
    assert_eq!(balanced.grid[0], 21);
    assert_eq!(teams_of(rows, 0, 128 * 128 * 40), 129);
    assert_eq!(teams_of(rows, 0, 128 * 20 * 32), 128);
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
