//! The examples in Rust, built as a user's package is, on the virtual GPU and through the CUDA driver for tests.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use e2e::{cuda, dist, root, run};

/// The folder of what cargo builds.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let mut folders = test.ancestors();
    let target = folders.find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target.expect("cargo marks its folder").to_owned()
}

/// The folder of the examples' programs.
fn programs() -> &'static PathBuf {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "--bins", "--manifest-path"])
            .arg(root().join("examples/rust/Cargo.toml"))
            .env("CARGO_TARGET_DIR", target())
            .output()
            .expect("cargo starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        target().join("debug")
    })
}

#[test]
fn examples_pass_on_the_virtual_gpu() {
    let codegen = dist("libexec/omptarget-codegen").display().to_string();
    for program in ["saxpy", "sum"] {
        for engine in ["fiber", "workgroup"] {
            let environment = [
                ("OMPTARGET_CODEGEN", codegen.as_str()),
                ("OMPTARGET_DEVICES", "vgpu"),
                ("OMPTARGET_VGPU_ENGINE", engine),
            ];
            let outcome = run(&programs().join(program), &[], &environment);
            let said = outcome.passed(program);
            assert!(
                said.contains("virtual GPU") && said.ends_with("PASS\n"),
                "{said}"
            );
        }
    }
}

/// A program that lies nowhere near an omptarget finds it by the command.
#[test]
fn the_compiler_is_found_by_the_command() {
    let path = std::env::var("PATH").expect("there is a PATH");
    let path = format!("{}:{path}", dist("bin").display());
    let with = [("OMPTARGET_DEVICES", "vgpu"), ("PATH", path.as_str())];
    run(&programs().join("saxpy"), &[], &with).passed("with the command in PATH");
    let without = [
        ("OMPTARGET_DEVICES", "vgpu"),
        ("OMPTARGET_CODEGEN", "/no/such/file"),
    ];
    let outcome = run(&programs().join("saxpy"), &[], &without);
    outcome.failed_with("without a compiler", &["omptarget-codegen was not found"]);
}

#[test]
fn settings_are_checked() {
    for (devices, facts) in [
        (
            "quantum",
            ["OMPTARGET_DEVICES names", "cuda, amdgpu, vgpu, host, none"],
        ),
        (
            "none",
            [
                "no device can be used",
                "OMPTARGET_DEVICES=none allows no others",
            ],
        ),
        ("host", ["no device can be used", "bitcode"]),
    ] {
        let outcome = run(
            &programs().join("saxpy"),
            &[],
            &[("OMPTARGET_DEVICES", devices)],
        );
        let told = format!("{} {}", outcome.stderr, outcome.stdout);
        assert_eq!(outcome.code, 1, "{told}");
        for fact in facts {
            assert!(told.contains(fact), "{devices}: {fact:?} is not in {told}");
        }
    }
}

/// NVIDIA's own assembler takes the kernels.
#[test]
fn the_kernels_assemble() {
    programs();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ptx = folder.path().join("kernels.ptx").display().to_string();
    let images = target().join("omptarget-kernels/images");
    for image in std::fs::read_dir(images).expect("the build script has made images") {
        let image = image.expect("an entry").path().display().to_string();
        for architecture in ["sm_75", "sm_90"] {
            let arch = format!("--arch={architecture}");
            let compile = ["ptx", &arch, &image, "-o", &ptx];
            run(&dist("libexec/omptarget-codegen"), &compile, &[]).passed("omptarget-codegen ptx");
            let arch = format!("-arch={architecture}");
            let assemble = [&arch, ptx.as_str(), "-o", "/dev/null"];
            run(&dist("tools/ptxas"), &assemble, &[]).passed("ptxas");
        }
    }
}

/// The driver for tests asks for the bitcode that PTX was made of.
#[test]
fn examples_pass_through_the_cuda_driver() {
    for name in ["saxpy", "sum"] {
        let program = programs().join(name);
        let driver = cuda::driver();
        let images = target().join("omptarget-kernels/images");
        for image in std::fs::read_dir(images).expect("the build script has made images") {
            let image = image.expect("an entry");
            std::fs::copy(image.path(), driver.images().join(image.file_name())).expect("a copy");
        }
        let outcome = driver.run(&program, &[]);
        let said = outcome.passed(name);
        assert!(
            !said.contains("virtual GPU") && said.ends_with("PASS\n"),
            "{said}"
        );
    }
}
