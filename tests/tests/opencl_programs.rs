//! OpenCL programs: C, compiled by the host's compiler, run through Debian's ICD loader on the virtual GPU.

use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::{Outcome, dist, root};

/// A program of `tests/programs/opencl`, or one beside the examples.
struct Program {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Program {
    fn compile(source: &str) -> Program {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("program");
        let output = Command::new("cc")
            .args(["-Wall", "-Werror", "-O1", "-o"])
            .arg(&path)
            .arg(root().join(source))
            .args(["-lOpenCL", "-lm"])
            .output()
            .expect("cc starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{source}: {said}");
        Program {
            path,
            _folder: folder,
        }
    }

    fn run(&self, settings: &[(&str, &str)]) -> Outcome {
        run(&self.path, settings)
    }
}

fn run(program: &Path, settings: &[(&str, &str)]) -> Outcome {
    let vendors = dist("etc/OpenCL/vendors");
    let vendors = vendors.to_str().expect("a name in UTF-8");
    let mut all = vec![("OCL_ICD_VENDORS", vendors), ("OMPTARGET_DEVICES", "vgpu")];
    all.extend_from_slice(settings);
    e2e::run(program, &[], &all)
}

#[test]
fn kernels_on_either_engine() {
    let program = Program::compile("tests/programs/opencl/kernels.c");
    for engine in ["auto", "fiber"] {
        let outcome = program.run(&[("OMPTARGET_VGPU_ENGINE", engine)]);
        assert_eq!(outcome.passed(engine), "PASS\n");
    }
}

#[test]
fn images_on_either_engine() {
    let program = Program::compile("tests/programs/opencl/images.c");
    for engine in ["auto", "fiber"] {
        let outcome = program.run(&[("OMPTARGET_VGPU_ENGINE", engine)]);
        assert_eq!(outcome.passed(engine), "PASS\n");
    }
}

#[test]
fn halves_and_exact_results() {
    let outcome = Program::compile("tests/programs/opencl/half.c").run(&[]);
    assert_eq!(outcome.passed("half precision"), "PASS\n");
}

/// clang writes SPIR-V; a reader is installed, or the device says that there is none.
#[test]
fn programs_in_spirv() {
    let program = Program::compile("tests/programs/opencl/intermediate.c");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [source, binary] = ["scale.cl", "scale.spv"].map(|name| folder.path().join(name));
    let text = "kernel void scale(global float *x, float f) { x[get_global_id(0)] *= f; }";
    std::fs::write(&source, text).expect("a file");
    let clang = Command::new("clang-22")
        .args(["--target=spirv64", "-cl-std=CL2.0", "-O1", "-c", "-o"])
        .args([&binary, &source])
        .status();
    assert!(clang.expect("clang starts").success());
    let vendors = dist("etc/OpenCL/vendors");
    let settings = [
        ("OCL_ICD_VENDORS", vendors.to_str().expect("UTF-8")),
        ("OMPTARGET_DEVICES", "vgpu"),
    ];
    let argument = binary.to_str().expect("UTF-8");
    let outcome = e2e::run(&program.path, &[argument], &settings);
    assert_eq!(outcome.passed("SPIR-V"), "PASS\n");
}

#[test]
fn runtime_interface() {
    let outcome = Program::compile("tests/programs/opencl/interface.c").run(&[]);
    assert_eq!(outcome.passed("the interface"), "PASS\n");
}

#[test]
fn commands_are_recorded_and_run_often() {
    let outcome = Program::compile("tests/programs/opencl/command_buffers.c").run(&[]);
    let said = (outcome.code, &*outcome.stdout);
    assert_eq!(said, (0, "PASS\n"), "{}", outcome.stderr);
}

/// A program that asks how far an event is, and calls nothing that waits, sees its end.
#[test]
fn flushed_commands_run_by_themselves() {
    let outcome = Program::compile("tests/programs/opencl/flush.c").run(&[]);
    assert_eq!(outcome.passed("a flush"), "PASS\n");
}

#[test]
fn programs_are_built_linked_and_kept() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let entries = || {
        let folder = cache.path().join("omptarget");
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    };
    let settings = [("XDG_CACHE_HOME", cache.path().to_str().expect("UTF-8"))];
    let program = Program::compile("tests/programs/opencl/programs.c");
    let said = "printf: 5 1.000000,2.000000\nPASS\n";
    assert_eq!(program.run(&settings).passed("cold"), said);
    let made = entries();
    assert!(made > 0);
    assert_eq!(program.run(&settings).passed("warm"), said);
    assert_eq!(entries(), made);
}

/// A kernel's failure ends its command, with a message that names kernel and line. The process goes on.
#[test]
fn faults_end_commands() {
    let outcome = Program::compile("tests/programs/opencl/faults.c").run(&[]);
    assert_eq!(
        (outcome.code, &*outcome.stdout),
        (0, "PASS\n"),
        "{}",
        outcome.stderr
    );
    for said in [
        "OpenCL (omptarget): a kernel failed: store to 0x",
        "kernel wild, team 0",
        "at program.cl:2:",
        "deadlock: every thread of the block waits",
        "kernel deadlock",
    ] {
        assert!(outcome.stderr.contains(said), "{said}: {}", outcome.stderr);
    }
}

#[test]
fn the_example_passes() {
    let outcome = Program::compile("examples/opencl/vector_add.c").run(&[]);
    assert_eq!(outcome.passed("vector_add"), "PASS\n");
}

#[test]
fn info_says_how_programs_find_the_platform() {
    let outcome = e2e::run(&dist("bin/omptarget"), &["info"], &[]);
    let said = outcome.passed("omptarget info");
    assert!(said.contains("OCL_ICD_VENDORS="), "{said}");
}

/// `clinfo` asks for everything that there is to ask.
#[test]
fn clinfo_finds_the_device() {
    let outcome = run(Path::new("/usr/bin/clinfo"), &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for fact in ["omptarget", "virtual GPU", "OpenCL 3.0"] {
        assert!(outcome.stdout.contains(fact), "{fact}");
    }
    assert!(
        !outcome.stdout.contains("clGetDeviceInfo"),
        "{}",
        outcome.stdout
    );
}
