//! Images that were linked without the device runtime, as clang does that is told to link no library: it is linked when
//! they are loaded.

use std::path::Path;
use std::process::Command;

use e2e::{Binary, Build, Mode, dist, run};

/// A program without the device runtime.
fn unlinked(sources: &[&str]) -> Binary {
    Build::new(sources)
        .flags(&["-nogpulib"])
        .compile(Mode::Offload("-O2"))
}

/// Functions of the runtime, state of teams, parallel regions of another unit, and library functions.
#[test]
fn the_runtime_is_linked_at_load_time() {
    let heartwall = ["examples/heartwall.c", "examples/heartwall_kernel.c"];
    for sources in [&heartwall[..], &["tests/programs/tasks.c"]] {
        let program = unlinked(sources);
        let outcome = program.run(&[]);
        assert!(outcome.passed(sources[0]).ends_with("PASS\n"));
    }
}

/// An image with LLVM's device runtime is compiled and launched as that runtime expects.
#[test]
fn llvms_runtime_keeps_its_launch_shape() {
    let flags = [
        "-nogpulib",
        "-mllvm",
        "-openmp-opt-disable",
        "-Xoffload-linker",
        "-mllvm=-openmp-opt-disable",
    ];
    let program = Build::new(&["tests/programs/llvms_runtime.c"])
        .flags(&flags)
        .compile(Mode::Offload("-O1"));
    let outcome = program.run(&[]);
    assert_eq!(outcome.passed("llvms_runtime"), "80 x 1, master 64\n");
}

/// The same for PTX: nothing is left that only a runtime would define.
#[test]
fn it_is_linked_into_ptx() {
    let program = unlinked(&["examples/dot.c"]);
    let path = program.path.to_str().expect("UTF-8");
    let outcome = run(
        &dist("bin/omptarget"),
        &["image", "--ptx", "sm_80", path],
        &[],
    );
    let ptx = outcome.passed("omptarget image --ptx");
    assert!(!ptx.contains(".extern .func"), "{ptx}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("image.ptx");
    std::fs::write(&file, ptx).expect("the PTX is written");
    let status = Command::new(dist("tools/ptxas"))
        .args(["-arch", "sm_80", "-o", "/dev/null"])
        .arg(&file)
        .status();
    assert!(status.expect("ptxas runs").success());
}

/// A compiler that was copied out of its tree names the files that are missing.
#[test]
fn a_missing_runtime_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tool = folder.path().join("libexec/omptarget-codegen");
    std::fs::create_dir(folder.path().join("libexec")).expect("a folder");
    std::fs::copy(dist("libexec/omptarget-codegen"), &tool).expect("a copy");
    let tool = tool.to_str().expect("UTF-8");
    let program = unlinked(&["examples/saxpy.c"]);
    let environment = [
        ("OMPTARGET_CODEGEN", tool),
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ];
    let library = Path::new("lib/nvptx64-nvidia-cuda/libompdevice.a");
    let expected = folder.path().join(library).display().to_string();
    program.run_with(&[], &environment).failed_with(
        "no runtime to link",
        &["linked without a device runtime", &expected],
    );
}
