//! The whole path to AMD GPUs, without a GPU: host runtime, `plugin-amdgpu`, and the HSA runtime of `tests/fake-hsa`.
//! That runtime checks every packet, runs kernels on virtual GPUs, and fails where a test wants it. `scripts/amd-suite`
//! runs all programs so.

use std::sync::LazyLock;

use e2e::fake_driver::FakeDriver;
use e2e::{Binary, Build, EXAMPLES, Mode, Outcome, every_third, hsa, line_of};

/// Waves of 64 and of 32 lanes.
const ARCHITECTURES: [&str; 2] = ["gfx90a", "gfx1100"];

fn compile(sources: &[&str], architecture: &'static str) -> Binary {
    let build = Build::new(sources).flags(&["-gline-tables-only"]);
    build.compile(Mode::Amd(architecture, "-O2"))
}

static SAXPY: LazyLock<Binary> = LazyLock::new(|| compile(&["examples/saxpy.c"], "gfx90a"));
static FAULTS: LazyLock<Binary> = LazyLock::new(|| compile(&["tests/programs/faults.c"], "gfx90a"));

fn saxpy(runtime: &FakeDriver) -> Outcome {
    runtime.run(&SAXPY.path, &[])
}

/// Compiles a program for a GPU and runs it there.
fn passes_on(sources: &[&str], architecture: &'static str) {
    let program = compile(sources, architecture);
    let runtime = hsa::runtime_for(&program).with("FAKE_HSA_AGENTS", architecture);
    let outcome = runtime.run(&program.path, &[]);
    let said = outcome.passed(&format!("{sources:?} on {architecture}"));
    assert!(said.ends_with("PASS\n"), "{said}");
}

#[test]
fn examples_on_gfx90a() {
    for sources in every_third(&EXAMPLES, "gfx90a") {
        passes_on(sources, "gfx90a");
    }
}

#[test]
fn examples_on_gfx1100() {
    for sources in every_third(&EXAMPLES, "gfx1100") {
        passes_on(sources, "gfx1100");
    }
}

/// Mapping, streams and tasks of several host threads, the device heap, tasks, constructors.
#[test]
fn programs() {
    const SOURCES: [&str; 7] = [
        "async.c",
        "data.c",
        "heap.c",
        "library.cpp",
        "sync.c",
        "types.c",
        "classes.cpp",
    ];
    for (index, source) in SOURCES.into_iter().enumerate() {
        let source = format!("tests/programs/{source}");
        passes_on(&[&source], ARCHITECTURES[index % 2]);
    }
}

/// What device code prints comes from the buffer that the plugin provides, and the heap is the plugin's, too.
#[test]
fn services() {
    let program = compile(&["tests/programs/services.c"], "gfx1100");
    let runtime = hsa::runtime_for(&program).with("FAKE_HSA_AGENTS", "gfx1100");
    let outcome = runtime.run(&program.path, &[]);
    let mut lines: Vec<&str> = outcome.passed("services.c").lines().collect();
    assert_eq!(lines.pop(), Some("PASS"));
    lines.sort_unstable();
    let expected = [0, 128, 256, 384].map(|index| format!("iteration {index} of 512"));
    assert_eq!(lines, expected);
}

/// Mathematics, assembly and traps that LLVM's back end alone would not compile.
#[test]
fn what_takes_our_passes() {
    for source in ["math_intrinsics.c", "sent.c", "guards.c"] {
        for architecture in ARCHITECTURES {
            passes_on(&[&format!("tests/programs/{source}")], architecture);
        }
    }
}

/// A program that follows host pointers runs where every GPU can: with `xnack`, or with the host's own page tables.
#[test]
fn unified_shared_memory() {
    let program = compile(&["tests/programs/usm.c"], "gfx90a");
    let run = |agents: &str, integrated: &str| {
        let runtime = hsa::runtime_for(&program)
            .with("FAKE_HSA_AGENTS", agents)
            .with("FAKE_HSA_INTEGRATED", integrated)
            .with("OMP_TARGET_OFFLOAD", "MANDATORY");
        runtime.run(&program.path, &[])
    };
    for (agents, integrated) in [("gfx90a:xnack+", ""), ("gfx90a", "1")] {
        assert_eq!(run(agents, integrated).passed(agents), "PASS\n");
    }
    for agents in ["gfx90a", "gfx90a:xnack+,gfx90a"] {
        run(agents, "").failed_with(agents, &["requires unified_shared_memory", "HSA_XNACK=1"]);
    }
}

#[test]
fn several_devices() {
    let program = compile(&["tests/programs/devices.c"], "gfx90a");
    let runtime = hsa::runtime_for(&program)
        .with("FAKE_HSA_AGENTS", "gfx90a,gfx90a:xnack+,gfx90a:sramecc-")
        .with("OMPTARGET_VGPU_SMS", "1");
    let outcome = runtime.run(&program.path, &[]);
    assert_eq!(outcome.passed("devices.c"), "PASS\n");
}

/// More launches than the largest queue holds.
#[test]
fn queues_fill_up() {
    let program = compile(&["tests/programs/dag.c"], "gfx90a");
    // One helper thread of libomp waits for its constructs; more leave them in flight.
    for helpers in ["1", "2", "7"] {
        let runtime = hsa::runtime_for(&program)
            .with("FAKE_HSA_QUEUE_SIZE", "64")
            .with("LIBOMP_NUM_HIDDEN_HELPER_THREADS", helpers);
        let outcome = runtime.run(&program.path, &["300"]);
        assert!(outcome.passed("dag.c").ends_with("PASS\n"));
    }
}

/// A team's variables that need more than the 64 KiB of LDS. (The virtual GPU has more.)
#[test]
fn too_much_static_shared_memory() {
    let program = compile(&["tests/programs/state.c"], "gfx90a");
    let outcome = hsa::runtime_for(&program).run(&program.path, &[]);
    outcome.failed_with("state.c", &["exceeds limit (65536)", "large_l"]);
}

/// A kernel's fault ends the program with a message that names the kernel, and why where that is known.
#[test]
fn faults_of_kernels() {
    let source = "tests/programs/faults.c";
    let line = |text: &str| format!("faults.c:{}", line_of(source, text));
    let assertion = line("assert(omp_get_thread_num()");
    let cases: [(&str, &[&str]); 3] = [
        ("assert", &["assertion", &assertion, "run_l"]),
        ("trap", &["HSA_STATUS_ERROR_EXCEPTION", "run_l"]),
        ("null", &["mapped", "run_l"]),
    ];
    for mode in ["", "quiet"] {
        let runtime = hsa::runtime_for(&FAULTS).with("FAKE_HSA_MEMORY_FAULT", mode);
        for (fault, facts) in cases {
            let outcome = runtime.run(&FAULTS.path, &[fault]);
            outcome.failed_with(fault, facts);
            assert!(outcome.stderr.contains("faults.c:"), "{}", outcome.stderr);
        }
    }
}

/// The calls of saxpy, with their numbers.
fn calls(runtime: FakeDriver) -> Vec<(String, String)> {
    let log = runtime.folder().join("calls").display().to_string();
    let runtime = runtime.with("FAKE_HSA_LOG", &log);
    assert_eq!(saxpy(&runtime).passed("saxpy"), "PASS\n");
    let calls = std::fs::read_to_string(&log).expect("the list of calls");
    let split = |line: &str| {
        let (name, number) = line.split_once(' ').expect("name and number");
        (name.to_owned(), number.to_owned())
    };
    calls.lines().map(split).collect()
}

/// Calls whose failure the program does not notice: those that only make it faster, and those that free something.
const TOLERATED: [&str; 10] = [
    // Only a memory fault would need it.
    "hsa_amd_register_system_event_handler",
    "hsa_amd_memory_lock",
    "hsa_amd_memory_pool_free",
    "hsa_amd_memory_unlock",
    "hsa_code_object_reader_destroy",
    "hsa_executable_destroy",
    // Streams share the queues that there are.
    "hsa_queue_create",
    "hsa_queue_destroy",
    "hsa_shut_down",
    "hsa_signal_destroy",
];

/// The first calls of every function fail, one per run. There is no hang and no crash. Either nothing is lost, or the
/// message names the call. (`scripts/amd-suite --failures` makes more of them fail.)
#[test]
fn every_call_may_fail() {
    let first = |(_, number): &(String, String)| matches!(number.as_str(), "1" | "2");
    let calls: Vec<_> = calls(hsa::runtime_for(&SAXPY))
        .into_iter()
        .filter(first)
        .collect();
    assert!(calls.len() > 30, "{calls:?}");
    for (function, number) in calls {
        let runtime = hsa::runtime_for(&SAXPY);
        let fail = format!("{function}:{number}:HSA_STATUS_ERROR");
        let outcome = saxpy(&runtime.with("FAKE_HSA_FAIL", &fail));
        let Outcome {
            code,
            stdout,
            stderr,
        } = outcome;
        let shown = format!("{fail} ended with {code}\n{stdout}{stderr}");
        if code == 0 {
            assert_eq!(stdout, "PASS\n", "{shown}");
            let silent = stderr.is_empty();
            assert!(
                !silent || TOLERATED.contains(&&*function),
                "{fail} goes unnoticed"
            );
        } else {
            assert_eq!(code, 1, "{shown}");
            assert!(stderr.contains(&function), "{shown}");
        }
    }
}
