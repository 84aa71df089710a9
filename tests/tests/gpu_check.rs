//! `scripts/gpu-check`: the bundle it makes, and the half for a machine with a GPU, as far as it goes without one.

use std::path::{Path, PathBuf};

use e2e::fake_driver::FakeDriver;
use e2e::{Outcome, cuda, dist, hsa, root, run};

/// A bundle of a few programs for GPUs of both makers, made once for the test that needs it.
fn bundle(folder: &Path) -> PathBuf {
    let bundle = folder.join("bundle");
    let path = bundle.to_str().expect("UTF-8");
    let arguments = [
        "--build",
        path,
        "--only",
        "saxpy,tnsrtrns,launch,transfer,epcc-ordered",
        "--arch",
        "sm_90,gfx90a,gfx1100",
    ];
    let outcome = run(&root().join("scripts/gpu-check"), &arguments, &[]);
    assert!(outcome.passed("gpu-check --build").contains("MiB"));
    bundle
}

fn check(bundle: &Path, out: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let out = out.to_str().expect("UTF-8");
    let all: Vec<&str> = ["--out", out].iter().chain(arguments).copied().collect();
    run(&bundle.join("gpu-check"), &all, environment)
}

/// Options for quick runs.
const SMALL: [[&str; 2]; 3] = [
    ["--size", "1"],
    ["--elements", "1000"],
    [
        "--epcc",
        "--constructs ordered --threads 32 --repetitions 2 --inner 2 --mode spmd --no-counts",
    ],
];

/// The makers' compilers and compute-sanitizer are missing, and LLVM's runtime is not in the bundle.
fn all_that_needs_no_tool_passed(found: &serde_json::Value) {
    for (step, status) in [
        ("devices", "passed"),
        ("examples", "passed"),
        ("epcc", "passed"),
        ("nested", "passed"),
        ("peers", "skipped"),
        ("llvm", "skipped"),
    ] {
        assert_eq!(found["steps"][step]["status"], status, "{step}: {found}");
    }
    assert!(found["steps"]["peers"]["figures"]["launch"]["openmp"]["ns"].is_array());
    // AMD has no such tool, so there is no such step.
    let sanitizer = &found["steps"]["sanitizer"]["status"];
    match found["machine"]["maker"].as_str() {
        Some("AMD") => assert!(sanitizer.is_null(), "{found}"),
        _ => assert_eq!(sanitizer, "skipped", "{found}"),
    }
}

/// Gives a driver the images of all programs of a bundle.
fn with_images(driver: FakeDriver, bundle: &Path) -> FakeDriver {
    for kind in ["examples", "nested", "peers", "epcc"] {
        let programs = bundle
            .join("files")
            .join(kind)
            .read_dir()
            .expect("programs");
        for program in programs.map(|entry| entry.expect("readable").path()) {
            if program.extension().is_some() {
                continue; // a source of the peers'
            }
            let folder = tempfile::tempdir().expect("a temporary folder");
            let (into, program_path) = (
                folder.path().display().to_string(),
                program.display().to_string(),
            );
            let extract = ["image", "--extract", &into, &program_path];
            run(&dist("bin/omptarget"), &extract, &[]).passed("omptarget image --extract");
            let name = program.file_name().expect("a name").display().to_string();
            for image in folder
                .path()
                .read_dir()
                .expect("images")
                .map(|it| it.expect("readable"))
            {
                let unique = format!("{kind}-{name}-{}", image.file_name().display());
                std::fs::copy(image.path(), driver.folder().join("images").join(unique))
                    .expect("copied");
            }
        }
    }
    driver
}

fn results(out: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(out.join("gpu-check.json")).expect("results");
    serde_json::from_str(&text).expect("JSON")
}

/// Runs all steps on a driver; gives the results.
fn driven(driver: &FakeDriver, bundle: &Path, out: &Path) -> serde_json::Value {
    let options = ["--out", out.to_str().expect("UTF-8")];
    let options = [options, SMALL[0], SMALL[1], SMALL[2]].concat();
    let outcome = driver.run(&bundle.join("gpu-check"), &options);
    assert_eq!(outcome.code, 4, "{outcome:?}");
    let found = results(out);
    all_that_needs_no_tool_passed(&found);
    found
}

/// On GPUs of AMD's: plugin, queues and signals, code objects for each of the GPUs.
fn on_amd(bundle: &Path, folder: &Path) {
    let mut runtime = with_images(hsa::runtime(), bundle).with("ROCR_VISIBLE_DEVICES", "0");
    for (architecture, processor) in [("gfx90a:sramecc+:xnack-", "gfx90a"), ("gfx1100", "gfx1100")]
    {
        runtime = runtime.with("FAKE_HSA_AGENTS", architecture);
        let found = driven(&runtime, bundle, &folder.join(processor));
        let machine = &found["machine"];
        let gpu = &machine["gpus"][0];
        assert_eq!(machine["maker"], "AMD", "{machine}");
        assert_eq!(gpu["architecture"], architecture, "{machine}");
        assert_eq!(gpu["name"], "Fake GPU 0", "{machine}");
        assert!(gpu["memory"].as_u64() >= Some(1 << 28), "{machine}");
        assert_eq!(machine["settings"]["ROCR_VISIBLE_DEVICES"], "0");
        assert_eq!(machine["tools"]["hipcc"], "");
        let text = std::fs::read_to_string(folder.join(processor).join("gpu-check.md"));
        let text = text.expect("the table");
        for row in [
            "compute units",
            "| settings | ROCR_VISIBLE_DEVICES=0 |",
            "| hipcc | missing |",
            "| bandwidth of saxpy over hipcc's | unmeasured | >= 0.98 | unmeasured |",
        ] {
            assert!(text.contains(row), "{row}: {text}");
        }
    }
}

/// Why nothing can be measured is a sentence each.
fn refusals_on_amd(bundle: &Path, folder: &Path) {
    let out = folder.join("refused");
    let refused = |settings: &[(&str, &str)], words: &str| {
        let mut runtime = hsa::runtime().with("OMPTARGET_CODEGEN", "");
        for (name, value) in settings {
            runtime = runtime.with(name, value);
        }
        let options = ["--out", out.to_str().expect("UTF-8")];
        let outcome = runtime.run(&bundle.join("gpu-check"), &options);
        assert!(
            outcome.code == 3 && outcome.stderr.contains(words),
            "{words}: {outcome:?}"
        );
    };
    refused(
        &[("FAKE_HSA_AGENTS", "gfx1030")],
        "compiled for sm_90, gfx90a, gfx1100, the machine has Fake GPU 0 (gfx1030); build another",
    );
    refused(
        &[("FAKE_HSA_AGENTS", "gfx1030,gfx1100")],
        "of several GPUs the first is measured: set ROCR_VISIBLE_DEVICES=1",
    );
    refused(
        &[("FAKE_HSA_AGENTS", "none")],
        "the AMD runtime finds no GPU",
    );
    refused(
        &[("FAKE_HSA_FAIL", "hsa_init:1:HSA_STATUS_ERROR")],
        "does not work: hsa_init: HSA_STATUS_ERROR",
    );
    refused(
        &[(
            "FAKE_HSA_FAIL",
            "hsa_iterate_agents:1:HSA_STATUS_ERROR_NOT_INITIALIZED",
        )],
        "does not work: hsa_iterate_agents: HSA_STATUS_ERROR_NOT_INITIALIZED",
    );
}

/// The whole way without a GPU: no driver is a sentence and an exit code of its own; a dry run on the virtual GPU runs
/// examples, EPCC, nested and the peers' OpenMP side, and says what it left out; so does one on each maker's driver for
/// tests; what fails is in the report.
#[test]
fn without_a_gpu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = bundle(folder.path());
    let out = folder.path().join("out");

    let refused = check(&bundle, &out, &[], &[]);
    let no_gpu = |path: &str| !Path::new(path).exists();
    if no_gpu("/proc/driver/nvidia") && no_gpu("/dev/kfd") {
        for words in ["libcuda.so.1", "there is no /dev/kfd"] {
            assert!(
                refused.code == 3 && refused.stderr.contains(words),
                "{refused:?}"
            );
        }
    }

    let codegen = dist("libexec/omptarget-codegen");
    let environment = [("OMPTARGET_CODEGEN", codegen.to_str().expect("UTF-8"))];
    let dry = [["--devices", "vgpu"], SMALL[0], SMALL[1], SMALL[2]].concat();
    let outcome = check(&bundle, &out, &dry, &environment);
    assert_eq!(outcome.code, 4, "{outcome:?}");
    let found = results(&out);
    all_that_needs_no_tool_passed(&found);
    let goals = found["goals"].as_array().expect("a list");
    assert!(
        goals.len() == 6 && goals.iter().all(|goal| goal["met"].is_null()),
        "{found}"
    );

    // The same on drivers. No machine code of the bundle fits this GPU of NVIDIA's: the driver gets PTX, which names
    // the image that it was made from.
    let driver = cuda::driver().with("FAKE_CUDA_CAPABILITY", "7.5");
    let driver = with_images(driver, &bundle);
    let found = driven(&driver, &bundle, &folder.path().join("driven"));
    assert_eq!(found["machine"]["gpus"][0]["architecture"], "sm_75");
    on_amd(&bundle, folder.path());
    refusals_on_amd(&bundle, folder.path());

    // A program that fails is named, with its messages. Results of steps that are not run again are kept.
    std::fs::write(
        bundle.join("files/examples/saxpy"),
        "#!/bin/sh\necho something broke; exit 7\n",
    )
    .expect("written");
    let again = ["--devices", "vgpu", "--steps", "examples"];
    let outcome = check(&bundle, &out, &again, &environment);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let found = results(&out);
    assert_eq!(found["steps"]["examples"]["status"], "failed");
    assert_eq!(found["steps"]["nested"]["status"], "passed");
    let text = std::fs::read_to_string(out.join("gpu-check.md")).expect("the table");
    assert!(text.contains("ended with 7: something broke"), "{text}");
}

#[test]
fn wrong_usage() {
    let script = root().join("scripts/gpu-check");
    let outcome = run(&script, &["--steps", "nonsense"], &[]);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("nonsense"),
        "{outcome:?}"
    );
    let outcome = run(&script, &["--size", "0"], &[]);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--size"),
        "{outcome:?}"
    );
    // In the project's tree there is no bundle to measure with.
    let outcome = run(&script, &[], &[]);
    assert!(
        outcome.code == 2 && outcome.stderr.contains("--build"),
        "{outcome:?}"
    );
}

/// The unit tests of the scripts in Python.
#[test]
fn scripts_unit_tests() {
    let arguments = [
        "-B",
        "-m",
        "unittest",
        "discover",
        "-s",
        "scripts",
        "-p",
        "test_*.py",
    ];
    let outcome = run("python3".as_ref(), &arguments, &[]);
    assert!(
        outcome.code == 0 && outcome.stderr.contains("OK"),
        "{outcome:?}"
    );
}
