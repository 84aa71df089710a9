//! Machine code that clang makes of a whole program, with our passes in its device link (omptarget-lto.cfg,
//! `link-plugin/`).

use std::path::Path;
use std::process::Command;

use e2e::{Build, Mode, dist, root, run};

/// What a tool says of a file; it must succeed.
fn said_of(tool: &Path, file: &Path) -> String {
    let output = Command::new(tool).arg("-c").arg(file).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", tool.display()));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A streaming kernel has no trace of the runtime.
#[test]
fn the_runtime_is_lost() {
    for level in ["-O2", "-O3"] {
        let build = Build::new(&["examples/saxpy.c"]).flags(&["-save-temps"]);
        let cubin = build.folder().join("program.nvptx64.sm_80.img");
        let _binary = build.compile(Mode::WholeProgram(level));
        let code = said_of(&dist("tools/nvdisasm"), &cubin);
        assert!(code.contains(".text.__omp_offloading"), "{code}");
        for left in [".nv.shared.", "__kmpc_", "CALL", "BAR"] {
            assert!(!code.contains(left), "{level}: {left}: {code}");
        }
    }
}

/// The output of the device link, stopped before the back end, runs on the virtual GPU.
#[test]
fn what_the_passes_make_runs() {
    const SOURCES: [&str; 3] = ["guards.c", "private_state.c", "sent.c"];
    for source in SOURCES {
        let source = format!("tests/programs/{source}");
        let build = Build::new(&[&source]).flags(&["-fopenmp-target-jit"]);
        let outcome = build.compile(Mode::WholeProgram("-O2")).run(&[]);
        assert_eq!(outcome.passed(&source), "PASS\n");
    }
}

/// For AMD GPUs LLVM's own passes come after ours, and lay out shared memory. (Programs that allocate would need the
/// services that a host gives code objects, which the virtual GPU gives otherwise.)
#[test]
fn what_the_passes_make_for_amd_runs() {
    for source in ["tests/programs/guards.c", "examples/histogram.c"] {
        let flags = [
            "--no-offload-arch=sm_80",
            "--offload-arch=gfx90a",
            "-fopenmp-target-jit",
        ];
        let build = Build::new(&[source]).flags(&flags);
        let outcome = build.compile(Mode::WholeProgram("-O2")).run(&[]);
        assert!(outcome.passed(source).ends_with("PASS\n"));
    }
}

/// `nvlink` finds nothing undefined: no driver has `realloc`, the passes bring one. The units' own level does not
/// matter.
#[test]
fn nothing_is_undefined() {
    for level in ["-O0", "-O2"] {
        let _binary = Build::new(&["tests/programs/heap.c"]).compile(Mode::WholeProgram(level));
    }
}

/// Runs clang in a folder of its own. It must fail, with all of `facts` in its message.
fn refused(source: &str, flags: &[&str], facts: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = format!("--config={}", dist("etc/omptarget-lto.cfg").display());
    let (source, program) = (root().join(source), folder.path().join("program"));
    let mut arguments = vec![&*config, "-DOFFLOAD", "-O2"];
    arguments.extend([source.to_str().expect("UTF-8"), "-lm", "-o"]);
    arguments.push(program.to_str().expect("UTF-8"));
    arguments.extend(flags);
    let outcome = run(Path::new("clang-22"), &arguments, &[]);
    outcome.failed_with(source.to_str().expect("UTF-8"), facts);
    assert!(!program.exists());
}

/// A feature that GPUs lack gives a message with its place, before `ptxas` gives one without.
#[test]
fn what_a_gpu_cannot_do() {
    let facts = ["error: kernel ", "48 KiB", "static shared memory", "`"];
    refused("tests/programs/limits.c", &[], &facts);
}

#[test]
fn without_the_plugin() {
    let flags = [
        "-Xoffload-linker-nvptx64-nvidia-cuda",
        "-mllvm=-load-pass-plugin=missing.so",
    ];
    let facts = ["Could not load library", "missing.so"];
    refused("examples/saxpy.c", &flags, &facts);
}
