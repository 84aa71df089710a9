//! The hard cases of the literature (`objects/hard_cases.c`), on both engines.

mod fixture;

use std::path::Path;
use std::sync::OnceLock;

use device_image::{Image, ImageKind};
use plugin_api::{Device, Launch, LoadOptions, MemoryKind};
use plugin_vgpu::{Config, Engine, VirtualGpu};

const BLOCKS: u32 = 2;

fn image() -> &'static [u8] {
    static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();
    IMAGE.get_or_init(|| {
        fixture::find_compiler();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/hard_cases.c");
        let target = ["-target", "nvptx64-nvidia-cuda", "-march=sm_80"];
        let flags = [
            "-Xclang",
            "-target-feature",
            "-Xclang",
            "+ptx80",
            "-emit-llvm",
        ];
        fixture::compile(&source, &[&target[..], &flags].concat())
    })
}

/// The kernels that have no warp form, and why.
const THREAD_BY_THREAD: &[(&str, &str)] = &[
    // Lanes that leave early store at the end together with the last lanes. So they have not ended when the
    // others reach a barrier.
    (
        "several_exits",
        "lanes of one warp may come to different barriers",
    ),
    (
        "spin_wait",
        "a loop waits on memory that other threads write",
    ),
];

/// The output of a kernel on an engine, and the engine's remark. The kernel gets the output and a word:
/// `argument`, or a pointer to two zero words.
fn run(engine: Engine, kernel: &str, threads: u32, argument: Option<u64>) -> (Vec<i32>, String) {
    let image = Image {
        kind: ImageKind::Bitcode,
        triple: "",
        arch: "",
        bytes: image(),
    };
    let device = VirtualGpu::new(&Config {
        engine,
        multiprocessors: BLOCKS,
        memory: 64 << 20,
        heap: 1 << 20,
        ..Config::detect()
    })
    .unwrap();
    let module = device.load(&image, &LoadOptions::default()).unwrap();
    let words = (BLOCKS * threads) as usize;
    let out = device.alloc(4 * words as u64, MemoryKind::Device).unwrap();
    let zeros = device
        .alloc(4 * u64::from(BLOCKS), MemoryKind::Device)
        .unwrap();
    device.fill(out, 0, 4 * words).unwrap();
    device.fill(zeros, 0, 4 * BLOCKS as usize).unwrap();
    let launch = Launch {
        grid: [BLOCKS, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 0,
        cooperative: false,
        args: &[out.0, argument.unwrap_or(zeros.0)],
    };
    let kernel = module.kernel(kernel).unwrap();
    let remark = kernel.remark(&launch).unwrap_or_default();
    kernel.launch(&launch).unwrap();
    let mut content = vec![0; words];
    // SAFETY: the buffer has this size.
    unsafe {
        device
            .read(content.as_mut_ptr().cast(), out, 4 * words)
            .unwrap()
    };
    (content, remark)
}

/// Checks a kernel with several block sizes. `expected` takes a block's number, its size and a thread.
fn check(kernel: &str, argument: Option<u64>, expected: impl Fn(i32, i32, i32) -> i32) {
    for threads in [32, 64, 96] {
        for engine in [Engine::Fiber, Engine::Workgroup] {
            let (got, remark) = run(engine, kernel, threads, argument);
            let by_thread = THREAD_BY_THREAD.iter().find(|(name, _)| *name == kernel);
            match (engine, by_thread) {
                (Engine::Fiber, _) => assert_eq!(remark, "", "{kernel}"),
                (_, None) => assert_eq!(remark, "runs warp by warp", "{kernel}"),
                (_, Some((_, why))) => assert!(remark.contains(why), "{kernel}: {remark}"),
            }
            let all =
                (0..BLOCKS as i32).flat_map(|block| (0..threads as i32).map(move |t| (block, t)));
            let expected: Vec<i32> = all
                .map(|(block, t)| expected(block, threads as i32, t))
                .collect();
            assert_eq!(got, expected, "{kernel}, {engine:?}, {threads} threads");
        }
    }
}

/// The results of all threads after rounds in which each thread replaces its word.
fn simulate(threads: i32, mut words: Vec<i32>, rounds: &[(i32, i32)]) -> Vec<Vec<i32>> {
    let mut all = Vec::new();
    for &(distance, add) in rounds {
        words = (0..threads)
            .map(|t| words[((t + distance) % threads) as usize] + add)
            .collect();
        all.push(words.clone());
    }
    all
}

#[test]
fn early_return_before_a_barrier() {
    check("early_return_before_a_barrier", None, |_, threads, t| {
        let next = (t + 1) % threads;
        match (t % 3, next % 3) {
            (0, _) => 0,
            (_, 0) => 1,
            _ => next,
        }
    });
}

#[test]
fn several_exits() {
    check("several_exits", None, |_, _, t| match t {
        t if t % 5 == 1 => 1,
        t if t % 5 == 2 => 2,
        t if t > 40 => 3,
        _ => 4,
    });
}

#[test]
fn barrier_at_loop_entry() {
    for rounds in [0, 1, 4] {
        check("barrier_at_loop_entry", Some(rounds), |_, threads, t| {
            (1..=rounds as i32).map(|round| (t + round) % threads).sum()
        });
    }
}

#[test]
fn divergent_condition_around_an_implicit_barrier() {
    check(
        "divergent_condition_around_an_implicit_barrier",
        Some(5),
        |_, threads, t| {
            let word = |t: i32, round: i32| -> i32 {
                (0..=round).filter(|i| t % 2 == i % 2).map(|i| t + i).sum()
            };
            let rounds = 0..5;
            match t < 20 {
                true => rounds.map(|i| word((t + 1) % threads, i)).sum(),
                false => rounds.map(|i| -word((t + 2) % threads, i)).sum(),
            }
        },
    );
}

#[test]
fn loops_nested_around_barriers() {
    let rounds: Vec<_> = (0..4).flat_map(|i| (0..=i).map(move |j| (j, i))).collect();
    check("loops_nested_around_barriers", Some(4), |_, threads, t| {
        let values = simulate(threads, (0..threads).collect(), &rounds);
        let sums = values
            .iter()
            .map(|words| -> i32 { (0..t % 3).map(|k| words[t as usize] + k).sum() });
        sums.sum()
    });
}

#[test]
fn infinite_loop_left_through_a_barrier() {
    check("infinite_loop_left_through_a_barrier", Some(7), |_, _, _| 7);
}

#[test]
fn stale_work_item_id() {
    for rounds in [0, 1, 2, 3] {
        check("stale_work_item_id", Some(rounds), |_, _, t| {
            match (rounds > 1, t) {
                (true, t) => 1000 + t,
                (false, 0) => 1000,
                _ => -1,
            }
        });
    }
}

#[test]
fn block_cooperative_group() {
    check("block_cooperative_group", None, |_, threads, t| {
        (0..threads).map(|other| other * other).sum::<i32>() + t
    });
}

#[test]
fn warp_cooperative_group() {
    check("warp_cooperative_group", None, |_, _, t| {
        let first = t & !7;
        (first..first + 8).sum()
    });
}

#[test]
fn tile_in_a_branch() {
    check("tile_in_a_branch", None, |_, _, t| match t % 32 {
        0..8 => 2 * (t ^ 3),
        _ => -1,
    });
}

#[test]
fn shuffle_reduction_of_one_warp() {
    check(
        "shuffle_reduction_of_one_warp",
        None,
        |_, threads, t| match t {
            0 => threads * (threads - 1) / 2,
            t => t,
        },
    );
}

#[test]
fn vote() {
    check("vote", None, |_, _, t| match t / 32 {
        0 => 1,
        1 => 3,
        _ => 0,
    });
}

#[test]
fn consecutive_votes() {
    check("consecutive_votes", None, |_, _, _| {
        let ballot = |holds: &dyn Fn(u32) -> bool| {
            (0..32)
                .filter(|&lane| holds(lane))
                .fold(0_u32, |mask, lane| mask | 1 << lane)
        };
        let first = ballot(&|lane| lane % 4 > 1);
        let second = ballot(&|lane| first >> ((lane + 1) % 32) & 1 != 0);
        let third = ballot(&|lane| second >> ((lane + 1) % 32) & 1 != 0);
        (first ^ second << 1 ^ third << 2) as i32
    });
}

#[test]
fn activated_threads() {
    check("activated_threads", None, |_, _, t| match t % 3 {
        1 => (t / 32 * 32..).find(|other| other % 3 == 1).unwrap(),
        _ => -1,
    });
}

#[test]
fn masked_shuffle_in_a_branch() {
    check("masked_shuffle_in_a_branch", None, |_, _, t| {
        if t % 2 == 1 { t ^ 2 } else { t }
    });
}

#[test]
fn spin_wait() {
    check("spin_wait", None, |_, _, t| t);
}

#[test]
fn grid_wide_synchronisation() {
    check("grid_wide_synchronisation", None, |block, _, _| {
        10 * block + (block + 1) % BLOCKS as i32
    });
}

#[test]
fn a_function_that_synchronises() {
    check("a_function_that_synchronises", None, |_, threads, t| {
        let other = threads - 1 - t;
        other * other + other
    });
}
