//! The whole path to NVIDIA GPUs, without a GPU: host runtime, `plugin-cuda`, and the driver of `tests/fake-cuda`. That
//! driver runs kernels on virtual GPUs, gives every PTX to NVIDIA's assembler, and fails where a test wants it.

use std::sync::LazyLock;

use e2e::cuda;
use e2e::fake_driver::FakeDriver;
use e2e::{Binary, Build, Mode, Outcome, dist, line_of};

fn compile(sources: &[&str]) -> Binary {
    Build::new(sources)
        .flags(&["-g"])
        .compile(Mode::Offload("-O2"))
}

static SAXPY: LazyLock<Binary> = LazyLock::new(|| compile(&["examples/saxpy.c"]));
static FAULTS: LazyLock<Binary> = LazyLock::new(|| compile(&["tests/programs/faults.c"]));

fn saxpy(driver: &FakeDriver) -> Outcome {
    driver.run(&SAXPY.path, &[])
}

/// Nested parallelism in generic mode, device globals and constructors, streams and tasks of several host threads,
/// mapping.
#[test]
fn programs_run_as_on_the_host() {
    let heartwall = ["examples/heartwall.c", "examples/heartwall_kernel.c"];
    let programs: [(&[&str], &[&str]); 5] = [
        (&heartwall, &[]),
        (&["examples/declare_target.cpp"], &[]),
        (&["tests/programs/async.c"], &[]),
        (&["tests/programs/dag.c"], &["100"]),
        (&["tests/programs/data.c"], &[]),
    ];
    for (sources, arguments) in programs {
        let program = compile(sources);
        let driver = cuda::driver_for(&program).with("FAKE_CUDA_CAPABILITY", "9.0");
        let outcome = driver.run(&program.path, arguments);
        assert!(outcome.passed(sources[0]).ends_with("PASS\n"));
    }
}

#[test]
fn several_devices() {
    let program = compile(&["tests/programs/devices.c"]);
    let driver = cuda::driver_for(&program)
        .with("FAKE_CUDA_DEVICES", "3")
        .with("FAKE_CUDA_CAPABILITY", "7.5,9.0,8.0")
        .with("OMPTARGET_VGPU_SMS", "1");
    let outcome = driver.run(&program.path, &[]);
    assert_eq!(outcome.passed("devices.c"), "PASS\n");
}

/// GPUs without `cuMemAllocAsync` (some virtualised ones) allocate in another way.
#[test]
fn devices_without_memory_pools() {
    let outcome = saxpy(&cuda::driver_for(&SAXPY).with("FAKE_CUDA_POOLS", "0"));
    assert_eq!(outcome.passed("saxpy"), "PASS\n");
}

/// At exit the driver shuts down first, and the program frees memory afterwards.
#[test]
fn the_driver_may_shut_down_first() {
    let outcome = saxpy(&cuda::driver_for(&SAXPY).with("FAKE_CUDA_EXIT", "early"));
    assert_eq!(outcome.passed("saxpy"), "PASS\n");
}

/// The timeline shows the stages of loading: our compiler, the driver's compiler, constructors.
#[test]
fn stages_of_loading() {
    let driver = cuda::driver_for(&SAXPY);
    let file = driver.folder().join("trace.json");
    let driver = driver.with("LIBOMPTARGET_PROFILE", file.to_str().expect("UTF-8"));
    saxpy(&driver).passed("saxpy");
    let text = std::fs::read_to_string(&file).expect("the timeline");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("a list of events");
    let stages: Vec<&str> = events
        .iter()
        .filter(|event| event["cat"] == "stage")
        .filter_map(|event| event["name"].as_str())
        .collect();
    assert_eq!(
        stages,
        ["compile to PTX", "assemble and load", "initialise"]
    );
}

#[test]
fn devices_are_listed() {
    let driver = cuda::driver()
        .with("FAKE_CUDA_DEVICES", "2")
        .with("FAKE_CUDA_CAPABILITY", "8.6,10.0");
    let outcome = driver.run(&dist("bin/omptarget"), &["info"]);
    let said = outcome.passed("omptarget info");
    for fact in [
        "cuda 0: Fake GPU 0",
        "cuda 1: Fake GPU 1",
        "sm_86",
        "sm_100",
    ] {
        assert!(said.contains(fact), "no {fact:?} in {said}");
    }
}

/// Each ends in an orderly way, with a sentence on what is wrong.
#[test]
fn drivers_and_devices_that_do_not_serve() {
    let cases: [(&str, &str, &[&str]); 4] = [
        ("FAKE_CUDA_DEVICES", "0", &["shows no GPU", "nvidia-smi"]),
        ("FAKE_CUDA_CAPABILITY", "5.2", &["sm_52", "needs sm_"]),
        ("FAKE_CUDA_VERSION", "10020", &["too old", "CUDA 10.2"]),
        // A driver that starts, but whose compiler does not know the PTX of the device.
        (
            "FAKE_CUDA_VERSION",
            "11020",
            &["PTX", "update the NVIDIA driver"],
        ),
    ];
    for (setting, value, facts) in cases {
        let outcome = saxpy(&cuda::driver_for(&SAXPY).with(setting, value));
        outcome.failed_with(&format!("{setting}={value}"), facts);
        assert_eq!(outcome.code, 1, "{setting}={value}: {}", outcome.stderr);
    }
}

/// Static shared memory beyond 48 KiB, which the virtual GPU has, is rejected with our own message.
#[test]
fn too_much_static_shared_memory() {
    let program = compile(&["tests/programs/state.c"]);
    let outcome = cuda::driver_for(&program).run(&program.path, &[]);
    let words = ["bytes of static shared memory", "(48 KiB)", "large_l"];
    outcome.failed_with("state.c", &words);
}

/// The message of NVIDIA's assembler about PTX that it rejects (an unknown instruction) reaches the user.
#[test]
fn the_assemblers_words_are_told() {
    let program = compile(&["tests/programs/no_instruction.c"]);
    let outcome = cuda::driver_for(&program).run(&program.path, &[]);
    outcome.failed_with("no_instruction.c", &["ptxas", "no_such_instruction"]);
}

/// Calls whose failure the program does not notice: those that only make it faster, and those that free something.
const TOLERATED: [&str; 5] = [
    "cuCtxPopCurrent_v2",
    "cuCtxSetLimit",
    "cuEventDestroy_v2",
    "cuMemGetAddressRange_v2",
    "cuModuleUnload",
];

/// Runs saxpy with one call failing. It ends well only if the call was not made (streams run at their own pace) or does
/// not matter.
fn fail(function: &str, number: &str, error: &str) {
    let driver = cuda::driver_for(&SAXPY);
    let log = driver.folder().join("calls").display().to_string();
    let driver = driver
        .with("FAKE_CUDA_FAIL", &format!("{function}:{number}:{error}"))
        .with("FAKE_CUDA_LOG", &log);
    let outcome = saxpy(&driver);
    let what = format!("{function} {number} with {error}");
    let calls = std::fs::read_to_string(&log).expect("the list of calls");
    let made = calls
        .lines()
        .any(|line| line == format!("{function} {number}"));
    if outcome.code == 0 {
        assert_eq!(outcome.stdout, "PASS\n", "{what}");
        let silent = outcome.stderr.is_empty();
        assert!(
            !made || !silent || TOLERATED.contains(&function),
            "{what} goes unnoticed"
        );
        return;
    }
    assert_eq!(outcome.code, 1, "{what}: {}", outcome.stderr);
    let named = match function {
        "cuDriverGetVersion" => "the NVIDIA driver is too old",
        "cuModuleLoadDataEx" => "the NVIDIA driver refuses the PTX",
        other => other,
    };
    let sticky = error == "CUDA_ERROR_LAUNCH_FAILED" && outcome.stderr.contains(error);
    assert!(
        sticky || outcome.stderr.contains(named),
        "{what}: {}",
        outcome.stderr
    );
}

/// Every call of a small program fails, one per run: once with an error that the context survives, and once with one
/// that it does not. There is no hang and no crash. Either nothing is lost, or the message names the call.
#[test]
fn every_call_may_fail() {
    let driver = cuda::driver_for(&SAXPY);
    let log = driver.folder().join("calls").display().to_string();
    let driver = driver.with("FAKE_CUDA_LOG", &log);
    assert_eq!(saxpy(&driver).passed("saxpy"), "PASS\n");
    let calls = std::fs::read_to_string(&log).expect("the list of calls");
    let calls: Vec<(&str, &str)> = calls
        .lines()
        .map(|line| line.split_once(' ').expect("name and number"))
        // Every kind of call: its first occurrence, and the next.
        .filter(|(_, number)| matches!(*number, "1" | "2"))
        .collect();
    assert!(calls.len() > 40, "{calls:?}");
    for (function, number) in calls {
        for error in ["CUDA_ERROR_UNKNOWN", "CUDA_ERROR_LAUNCH_FAILED"] {
            fail(function, number, error);
        }
    }
}

/// Kernels with parameters of any size, blocks and grids of three dimensions, streams of the program's own.
#[test]
fn kernel_languages() {
    let flags = ["-foffload-via-llvm", "-nogpuinc", "-nogpulib"];
    let source = Build::new(&["tests/programs/kernel_language.cu"]).flags(&flags);
    let program = source.compile(Mode::Offload("-O2"));
    let outcome = cuda::driver_for(&program).run(&program.path, &[]);
    assert_eq!(outcome.passed("kernel_language.cu"), "PASS\n");
}

/// Libraries that use the CUDA driver themselves get its own handles.
#[test]
fn interop_objects_are_the_drivers() {
    let program = compile(&["tests/programs/interop_cuda.c"]);
    let outcome = cuda::driver_for(&program).run(&program.path, &[]);
    assert_eq!(outcome.passed("interop_cuda.c"), "PASS\n");
}

/// One of two devices is lost: every operation on it fails with the first cause. The other one and the host go on.
#[test]
fn a_lost_device_leaves_the_others() {
    let program = compile(&["tests/programs/lost.c"]);
    let outcome = cuda::driver_for(&program)
        .with("FAKE_CUDA_DEVICES", "2")
        .with(
            "FAKE_CUDA_FAIL",
            "cuMemcpyDtoDAsync_v2:1:CUDA_ERROR_ILLEGAL_ADDRESS",
        )
        .run(&program.path, &[]);
    assert_eq!(outcome.stdout, "PASS\n", "{}", outcome.stderr);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let cause = "access to an address that is not mapped on the device";
    let later = format!("the device is lost since an earlier failure: {cause}");
    assert_eq!(
        outcome.stderr.matches(cause).count(),
        2,
        "{}",
        outcome.stderr
    );
    assert_eq!(
        outcome.stderr.matches(&later).count(),
        1,
        "{}",
        outcome.stderr
    );
}

/// No image fits the GPU: the virtual GPU stands in, with a message to the user.
#[test]
fn a_gpu_that_cannot_be_used_is_told_of() {
    let program = Build::new(&["examples/saxpy.c"]).compile(Mode::Amd("gfx90a", "-O2"));
    let driver = cuda::driver();
    let outcome = driver.with("OMPTARGET_DEVICES", "").run(&program.path, &[]);
    assert_eq!(outcome.stdout, "PASS\n", "{}", outcome.stderr);
    let facts = [
        "Fake GPU 0 (sm_80): image 0 is bitcode for amdgcn-amd-amdhsa",
        "target regions run on the virtual GPU",
    ];
    for fact in facts {
        assert!(outcome.stderr.contains(fact), "{}", outcome.stderr);
    }
    let named = cuda::driver().with("OMPTARGET_DEVICES", "cuda,vgpu");
    assert_eq!(named.run(&program.path, &[]).passed("saxpy"), "PASS\n");
}

#[test]
fn out_of_memory() {
    let fail = "cuMemAllocAsync:2+:CUDA_ERROR_OUT_OF_MEMORY";
    let driver = cuda::driver_for(&SAXPY).with("FAKE_CUDA_FAIL", fail);
    let facts = ["allocating device memory for", "memory", "saxpy.c:"];
    saxpy(&driver).failed_with("out of memory", &facts);
}

/// A program whose constructors cannot run ends with an error.
#[test]
fn constructors_that_cannot_be_found() {
    let program = compile(&["examples/declare_target.cpp"]);
    let fail = "cuModuleGetFunction:1:CUDA_ERROR_UNKNOWN";
    let driver = cuda::driver_for(&program).with("FAKE_CUDA_FAIL", fail);
    let outcome = driver.run(&program.path, &[]);
    outcome.failed_with(
        "constructors",
        &["cuModuleGetFunction", "CUDA_ERROR_UNKNOWN"],
    );
}

/// Regions that nobody waits for. Their faults end the program once, and its exit waits for those that succeed.
#[test]
fn regions_in_flight() {
    let program = compile(&["tests/programs/in_flight.c"]);
    let driver = cuda::driver_for(&program);
    for fault in ["fault", "forsaken"] {
        let outcome = driver.run(&program.path, &[fault]);
        outcome.failed_with(fault, &["not mapped", "in_flight.c:"]);
        assert_eq!(
            outcome.stderr.matches("omptarget error").count(),
            1,
            "{}",
            outcome.stderr
        );
    }
    for end in ["end", "exit"] {
        driver.run(&program.path, &[end]).passed(end);
    }
}

/// A kernel's fault loses the context. The message has the kernel and the reason that the device runtime left.
#[test]
fn faults_of_kernels() {
    let source = "tests/programs/faults.c";
    let driver = cuda::driver_for(&FAULTS);
    let line = |text: &str| format!("faults.c:{}", line_of(source, text));
    let assertion = line("assert(omp_get_thread_num()");
    let cases: [(&str, &[&str]); 4] = [
        ("assert", &["assertion", &assertion, "run_l"]),
        ("trap", &["CUDA_ERROR_LAUNCH_FAILED", "run_l"]),
        ("null", &["mapped", "run_l"]),
        ("deadlock", &["CUDA_ERROR_LAUNCH_TIMEOUT", "run_l"]),
    ];
    for (fault, facts) in cases {
        let outcome = driver.run(&FAULTS.path, &[fault]);
        outcome.failed_with(fault, facts);
        assert!(outcome.stderr.contains("faults.c:"), "{}", outcome.stderr);
    }
}
