//! The HSA runtime of `tests/fake-hsa` alone: a program that uses it through the vendor's own headers breaks a rule,
//! and the runtime says which. (`amdgpu_plugin.rs` is about the plugin on it.)

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use e2e::fake_driver::FakeDriver;
use e2e::ir::assemble;
use e2e::{Outcome, clang, hsa, root};

/// The program, and a code object with its bitcode.
struct Fixture {
    runtime: FakeDriver,
    program: PathBuf,
    code: PathBuf,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    // The kernels need no services.
    let runtime = hsa::runtime().with("FAKE_HSA_SERVICES", "");
    let folder = runtime.folder().to_owned();
    let code = code_object("gfx90a", runtime.images().join("rules.hsaco"));
    assemble("hsa_rules.ll", &runtime.images().join("rules.bc"));
    let program = folder.join("rules");
    let source = root().join("tests/programs/hsa_rules.c");
    let mut arguments: Vec<OsString> = ["-O1", "-Wall", "-Wextra"].map(OsString::from).into();
    arguments.extend([source.into(), "-L".into(), folder.clone().into()]);
    arguments.extend(["-l:libhsa-runtime64.so.1", "-o"].map(OsString::from));
    arguments.push(program.clone().into());
    clang(false, &arguments, &folder);
    Fixture {
        runtime,
        program,
        code,
    }
});

/// The kernels of `tests/ir/hsa_rules.ll` for an architecture.
fn code_object(architecture: &str, path: PathBuf) -> PathBuf {
    let target = ["-target", "amdgcn-amd-amdhsa", "-nogpulib", "-O1"];
    let mut arguments: Vec<OsString> = target.map(OsString::from).into();
    arguments.push(format!("-mcpu={architecture}").into());
    arguments.push(root().join("tests/ir/hsa_rules.ll").into());
    arguments.extend(["-o".into(), path.clone().into()]);
    clang(
        false,
        &arguments,
        path.parent().expect("it lies in a folder"),
    );
    path
}

fn run(case: &str) -> Outcome {
    let code = FIXTURE.code.to_str().expect("UTF-8");
    FIXTURE.runtime.run(&FIXTURE.program, &[code, case])
}

/// Each case ends with a line on standard error that has these words, and with the program's own line on the error.
fn breaks(cases: &[(&str, &str, &str)]) {
    for (case, told, error) in cases {
        let Outcome {
            code,
            stdout,
            stderr,
        } = run(case);
        let shown = format!("{case} ended with {code}\n{stdout}{stderr}");
        assert!(![124, 139].contains(&code), "{shown}");
        assert!(stderr.contains(told), "{shown}");
        assert!(told.is_empty() == stderr.is_empty(), "{shown}");
        assert!(stdout.contains(error), "{shown}");
    }
}

/// Memory, signals, two kinds of packets, copies, a handler, a variable: no rule is broken, and nothing is left.
#[test]
fn what_is_right_passes() {
    let code = FIXTURE.code.to_str().expect("UTF-8");
    let runtime = hsa::runtime()
        .with("FAKE_HSA_SERVICES", "")
        .with(
            "FAKE_HSA_BITCODE",
            &FIXTURE.runtime.images().display().to_string(),
        )
        .with("FAKE_HSA_LEAKS", "1");
    let outcome = runtime.run(&FIXTURE.program, &[code, "right"]);
    assert_eq!(outcome.passed("right"), "PASS\n");
    let leaks = runtime.run(&FIXTURE.program, &[code, "leaks"]).stderr;
    for leak in [
        "4096 bytes of agent 1",
        "Executable: 1",
        "Signal: 1",
        "queues: 1",
    ] {
        assert!(leaks.contains(leak), "{leak}: {leaks}");
    }
}

#[test]
fn packets_are_checked() {
    const FORMAT: &str = "queue error: HSA_STATUS_ERROR_INVALID_PACKET_FORMAT";
    const ALLOCATION: &str = "queue error: HSA_STATUS_ERROR_INVALID_ALLOCATION";
    breaks(&[
        ("packet_reserved0", "reserved0 is 0x1", FORMAT),
        ("packet_reserved2", "reserved2 is 0x1", FORMAT),
        ("packet_dimensions", "a grid of 0 dimensions", FORMAT),
        ("packet_setup", "the reserved part of the setup", FORMAT),
        (
            "packet_more_dimensions",
            "2 work-items in dimension 1 of 1",
            FORMAT,
        ),
        (
            "packet_multiple",
            "255 work-items is not a multiple of 64",
            FORMAT,
        ),
        ("packet_no_items", "in groups of [0, 1, 1]", FORMAT),
        (
            "packet_many_items",
            "a work-group of 512 work-items, at most 256",
            "INVALID_ARGUMENT",
        ),
        (
            "packet_much_group",
            "a group segment of 65540 bytes",
            ALLOCATION,
        ),
        (
            "little_group",
            "a group segment of 252 bytes, from 256",
            ALLOCATION,
        ),
        (
            "packet_object",
            "is no kernel object",
            "queue error: HSA_STATUS_ERROR_INVALID_CODE_OBJECT",
        ),
        (
            "packet_completion",
            "completion signal does not exist",
            FORMAT,
        ),
        ("packet_type", "packets of type 7", FORMAT),
        ("packet_release", "releases to scope 1", FORMAT),
        ("packet_acquire", "without an acquire fence", FORMAT),
        ("packet_scopes", "fence scopes 2 and 3", FORMAT),
        ("doorbell_unreserved", "which nobody has reserved", FORMAT),
        (
            "doorbell_overrun",
            "64 packets, unread, are overwritten",
            FORMAT,
        ),
    ]);
}

#[test]
fn arguments_are_checked() {
    const FORMAT: &str = "queue error: HSA_STATUS_ERROR_INVALID_PACKET_FORMAT";
    breaks(&[
        ("packet_alignment", "not aligned to 16", FORMAT),
        (
            "packet_kernarg_pool",
            "which no kernarg pool has given",
            FORMAT,
        ),
        ("packet_kernarg_access", "agent 1 has no access", FORMAT),
        ("packet_kernarg_end", "are not in an allocation", FORMAT),
        (
            "packet_block_count",
            "hidden_block_count_x is 256, not 4",
            FORMAT,
        ),
        (
            "packet_group_size",
            "hidden_group_size_x is 32, not 64",
            FORMAT,
        ),
        ("packet_remainder", "hidden_remainder_y is 1, not 0", FORMAT),
        ("packet_grid_dims", "hidden_grid_dims is 3, not 1", FORMAT),
        (
            "packet_argument_access",
            "which the agent may not access",
            "",
        ),
    ]);
}

#[test]
fn lives_are_checked() {
    breaks(&[
        (
            "while_destroy_executable",
            "destroyed while wait.kd runs",
            "0x1011",
        ),
        (
            "while_destroy_signal",
            "a packet or copy will decrement it",
            "0x1006",
        ),
        ("while_store_signal", "a packet or copy will decrement", ""),
        (
            "while_free_arguments",
            "freed while a copy or kernel uses it",
            "0x1003",
        ),
        (
            "while_change_arguments",
            "its arguments changed while it ran",
            "",
        ),
        (
            "memory_destroy_awaited",
            "something waits for it",
            "INVALID_SIGNAL",
        ),
        ("memory_reuse_awaited", "that something still waits for", ""),
        (
            "memory_free_copied",
            "freed while a copy or kernel uses it",
            "INVALID_ALLOCATION",
        ),
        (
            "destroy_signal_twice",
            "(destroyed twice?)",
            "INVALID_SIGNAL",
        ),
        ("destroy_queue_twice", "", "INVALID_QUEUE"),
        (
            "not_frozen",
            "the executable is not frozen",
            "INVALID_EXECUTABLE_SYMBOL",
        ),
        ("no_suffix", "", "INVALID_SYMBOL_NAME"),
        ("not_initialised", "", "NOT_INITIALIZED"),
    ]);
}

#[test]
fn memory_is_checked() {
    const ALLOCATION: &str = "INVALID_ALLOCATION";
    breaks(&[
        (
            "memory_free_twice",
            "not allocated (freed twice?)",
            ALLOCATION,
        ),
        (
            "memory_free_inside",
            "not allocated (freed twice?)",
            ALLOCATION,
        ),
        ("memory_copy_access", "agent 1 has no access", ALLOCATION),
        ("memory_copy_beyond", "4097 bytes at", ALLOCATION),
        (
            "memory_copy_unlocked",
            "are not in an allocation",
            ALLOCATION,
        ),
        ("memory_copy_overlap", "overlap", ALLOCATION),
        ("memory_copy_freed", "are not in an allocation", ALLOCATION),
        ("memory_fill_beyond", "4100 bytes at", ALLOCATION),
        (
            "memory_unlock_twice",
            "(unlocked twice?)",
            "INVALID_ARGUMENT",
        ),
        (
            "memory_access_inside",
            "not an allocation",
            "INVALID_ARGUMENT",
        ),
    ]);
}

/// Faults come to the handler of events and to the queue's function. A memory fault without a handler ends the process.
#[test]
fn faults_are_told() {
    breaks(&[
        ("trap", "", "queue error: HSA_STATUS_ERROR_EXCEPTION"),
        (
            "follow",
            "",
            "memory fault at 0x12345000\nqueue error: HSA_STATUS_ERROR_MEMORY_FAULT",
        ),
        ("follow_unhandled", "memory access fault by agent 1", ""),
    ]);
    assert_eq!(run("follow_unhandled").code, 128 + 6);
}

/// Code for another GPU, or for other settings of this one, is refused.
#[test]
fn architectures_are_compared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases = [
        ("gfx1100", "gfx90a", "machine 0x41 is not gfx90a"),
        ("gfx90a:xnack+", "gfx90a", "its XNACK setting"),
        ("gfx90a:sramecc+", "gfx90a:sramecc-", "its SRAM-ECC setting"),
        ("gfx11-generic", "gfx1030", "is not gfx1030"),
    ];
    for (code, agent, why) in cases {
        let code = code_object(code, folder.path().join("other.hsaco"));
        let runtime = hsa::runtime().with("FAKE_HSA_AGENTS", agent);
        let code = code.to_str().expect("UTF-8");
        let outcome = runtime.run(&FIXTURE.program, &[code, "right"]);
        assert!(outcome.stderr.contains(why), "{why}: {}", outcome.stderr);
        assert!(
            outcome.stdout.contains("INCOMPATIBLE_ARGUMENTS"),
            "{}",
            outcome.stdout
        );
    }
    // These run.
    for (code, agent) in [
        ("gfx1100", "gfx1100"),
        ("gfx11-generic", "gfx1101"),
        ("gfx90a:xnack-", "gfx90a"),
    ] {
        let runtime = hsa::runtime()
            .with("FAKE_HSA_SERVICES", "")
            .with("FAKE_HSA_AGENTS", agent);
        let code = code_object(code, runtime.images().join("own.hsaco"));
        assemble("hsa_rules.ll", &runtime.images().join("rules.bc"));
        let outcome = runtime.run(&FIXTURE.program, &[code.to_str().expect("UTF-8"), "right"]);
        assert_eq!(outcome.passed(agent), "PASS\n");
    }
}

/// Any call can fail.
#[test]
fn failures_are_injected() {
    let fail = "hsa_signal_create:3:HSA_STATUS_ERROR_OUT_OF_RESOURCES";
    let code = FIXTURE.code.to_str().expect("UTF-8");
    let runtime = hsa::runtime()
        .with("FAKE_HSA_SERVICES", "")
        .with(
            "FAKE_HSA_BITCODE",
            &FIXTURE.runtime.images().display().to_string(),
        )
        .with("FAKE_HSA_FAIL", fail);
    let outcome = runtime.run(&FIXTURE.program, &[code, "right"]);
    assert!(
        outcome
            .stdout
            .contains("hsa_signal_create: HSA_STATUS_ERROR_OUT_OF_RESOURCES"),
        "{}",
        outcome.stdout
    );
}
