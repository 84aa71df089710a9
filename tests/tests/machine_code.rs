//! Machine code from device code that is compiled unit by unit, as clang does without `-foffload-lto`: for NVIDIA GPUs
//! by CUDA's `ptxas` and `nvlink` (omptarget-cuda.cfg), and code objects for AMD's. Also the messages of a program that
//! has nothing else. (`whole_programs.rs` is about whole programs.)

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::{Binary, Build, EXAMPLES, Mode, Outcome, WAVE64, dist, every_third, run};

const UNITS: [&str; 2] = ["tests/programs/units.c", "tests/programs/units_other.c"];

/// Compiles to machine code for sm_80; returns the linked cubin, too.
fn machine_code(sources: &[&str], level: &'static str, flags: &[&str]) -> (Binary, PathBuf) {
    let build = Build::new(sources).flags(&["-save-temps"]).flags(flags);
    let cubin = build.folder().join("program.nvptx64.sm_80.img");
    (build.compile(Mode::MachineCode(level)), cubin)
}

/// A program's standard output; the program must succeed.
fn output(program: &Path, arguments: &[&Path]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", program.display());
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The machine instructions of each function, by its name.
fn functions(cubin: &Path) -> Vec<(String, String)> {
    let code = output(&dist("tools/nvdisasm"), &[Path::new("-c"), cubin]);
    let sections = code.split(".section\t.text.").skip(1);
    let named = sections.map(|section| section.split_once(',').expect("a section has a name"));
    named
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect()
}

fn function<'a>(all: &'a [(String, String)], name: &str) -> &'a str {
    let found = all.iter().find(|(own, _)| own == name);
    let names = || all.iter().map(|(own, _)| own).collect::<Vec<_>>();
    found.map_or_else(|| panic!("no {name} in {:?}", names()), |(_, code)| code)
}

/// The unit that holds a region sees no kernel when it is optimised. LLVM 22's runtime leaves an empty function there.
#[test]
fn regions_of_another_unit_are_not_empty() {
    for level in ["-O0", "-O2"] {
        let (binary, cubin) = machine_code(&UNITS, level, &[]);
        let all = functions(&cubin);
        for name in ["orphan", "team_sum", "nested_levels"] {
            let code = function(&all, name);
            assert!(
                code.contains("__kmpc_parallel_60"),
                "{level} {name}: {code}"
            );
        }
        let outlined = function(&all, "orphan_omp_outlined");
        assert!(outlined.contains("LD"), "{level}: {outlined}");
        assert!(outlined.contains("ST"), "{level}: {outlined}");
        // There is one runtime: its state is the program's, not the unit's.
        let runtimes = all.iter().filter(|(name, _)| name == "__kmpc_target_init");
        assert_eq!(runtimes.count(), 1, "{level}");
        assert_eq!(binary.run(&[]).passed("units.c"), "PASS\n");
    }
}

/// Linked by NVIDIA's linker, nothing undefined; and the bitcode in the same program runs.
#[test]
fn examples_link_and_run() {
    for sources in every_third(&EXAMPLES, "machine code") {
        let outcome = Build::new(sources)
            .compile(Mode::MachineCode("-O2"))
            .run(&[]);
        assert!(outcome.passed(sources[0]).ends_with("PASS\n"));
    }
}

/// `nvlink` joins the units for every architecture that its toolkit knows (CUDA 13 has none before sm_75, and PyPI's
/// CUDA 12 no `nvlink`).
#[test]
fn units_link_for_every_architecture() {
    // sm_80 is the configuration file's.
    const ARCHITECTURES: [&str; 5] = ["sm_75", "sm_89", "sm_90", "sm_100", "sm_120"];
    let more = ARCHITECTURES.map(|arch| format!("--offload-arch={arch}"));
    let build = Build::new(&UNITS).flags(&more.each_ref().map(String::as_str));
    let binary = build.compile(Mode::MachineCode("-O2"));
    let program = binary.path.to_str().expect("UTF-8");
    let outcome = e2e::run(&dist("bin/omptarget"), &["image", program], &[]);
    let said = outcome.passed("omptarget image");
    for arch in ARCHITECTURES {
        let expected = format!("object for nvptx64-nvidia-cuda ({arch})");
        assert!(said.contains(&expected), "{arch}: {said}");
    }
}

/// What LLVM makes in line of conversions between floating point and 128-bit integers, because GPUs have no functions
/// for them, gives what those functions give: the host's compiler makes both.
#[test]
fn wide_conversions_in_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = e2e::root().join("tests/programs/wide_conversions.c");
    let program = folder.path().join("program");
    let mut printed = Vec::new();
    for options in [&[][..], &["-mllvm", "-expand-fp-convert-bits=64"]] {
        let mut arguments: Vec<OsString> = options.iter().map(Into::into).collect();
        arguments.extend(["-O2".into(), source.clone().into()]);
        arguments.extend(["-o".into(), program.clone().into()]);
        e2e::clang(false, &arguments, folder.path());
        let outcome = e2e::run(&program, &[], &[]);
        printed.push(outcome.passed("wide_conversions.c").to_owned());
        let symbols = output(Path::new("nm"), &[program.as_path()]);
        assert_eq!(symbols.contains("__fixdfti"), options.is_empty());
    }
    assert_eq!(printed[0].lines().count(), 20_000);
    assert!(printed[0] == printed[1], "the two differ");
}

/// Kernels with a bound on their threads may call functions of any unit: `nvlink` refuses those with too many
/// registers.
#[test]
fn bounded_kernels_call_the_runtime() {
    for source in ["sync.c", "math.cpp", "structs.c", "types.c"] {
        let source = format!("tests/programs/{source}");
        let outcome = Build::new(&[&source])
            .compile(Mode::MachineCode("-O2"))
            .run(&[]);
        assert_eq!(outcome.passed(&source), "PASS\n");
    }
}

/// In links of the whole program our passes come before the back end, too, which has no code for most of mathematics.
#[test]
fn mathematics_that_back_ends_lack() {
    for gpu in ["sm_80", WAVE64] {
        let gpu = format!("--offload-arch={gpu}");
        let flags = ["--no-offload-arch=all", &*gpu];
        Build::new(&["tests/programs/math_intrinsics.c"])
            .flags(&flags)
            .compile(Mode::WholeProgram("-O2"));
    }
}

/// AMD's linker optimises the units' bitcode together; the code object lacks nothing.
#[test]
fn code_objects_for_amd() {
    let gpu = format!("--offload-arch={WAVE64}");
    let build = Build::new(&UNITS).flags(&["--no-offload-arch=all", &gpu, "-save-temps"]);
    let object = build.folder().join("program.amdgcn.gfx90a.img");
    let binary = build.compile(Mode::WholeProgram("-O2"));
    let llvm = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let nm = Path::new(&llvm).join("bin/llvm-nm");
    let undefined = output(
        &nm,
        &[Path::new("-D"), Path::new("--undefined-only"), &object],
    );
    assert_eq!(undefined.trim(), "");
    let facts = ["machine code for amdgcn-amd-amdhsa", "-fopenmp-target-jit"];
    binary
        .run(&[])
        .failed_with("a code object without its GPU", &facts);
}

/// A program with only machine code names what is missing, and runs on the host unless that is forbidden.
#[test]
fn machine_code_without_its_gpu() {
    let (binary, _) = machine_code(&UNITS, "-O2", &["--no-offload-arch=gfx1030"]);
    let facts = [
        "virtual GPU",
        "image 0 is machine code for nvptx64-nvidia-cuda",
        "it runs bitcode and PTX: compile and link with -fopenmp-target-jit",
        "construct: target at line",
    ];
    let outcome = binary.run(&[]);
    outcome.failed_with("machine code without its GPU", &facts);
    // There are several host devices, but the message comes once.
    assert_eq!(
        outcome.stderr.matches("  host (").count(),
        1,
        "{}",
        outcome.stderr
    );
    let outcome = binary.run_with(&[], &[]);
    assert!(
        outcome.stderr.contains("target regions run on the host"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stdout.contains("FAIL: 1 of"),
        "only the check for a device fails: {}",
        outcome.stdout
    );
    let disabled = binary.run_with(&[], &[("OMP_TARGET_OFFLOAD", "DISABLED")]);
    assert_eq!(disabled.passed("without offload"), "PASS\n");
}

/// Silent in every usual mode of the compiler.
#[test]
fn no_warnings() {
    let config = format!("--config={}", dist("etc/omptarget-cuda.cfg").display());
    let source = e2e::root().join(UNITS[1]).display().to_string();
    for flags in [
        &["-c"][..],
        &["-S"],
        &["-E", "-o", "out.i"],
        &["-fsyntax-only"],
        &["-c", "-g", "-O0"],
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut arguments = vec![config.clone().into(), source.clone().into()];
        arguments.extend(flags.iter().map(Into::into));
        e2e::clang(false, &arguments, folder.path());
    }
}

/// A folder with tools that pretend to be of a CUDA release, and otherwise print their arguments.
fn toolkit(folder: &Path, release: &str) {
    toolkit_for(folder, release, "'sm_75','sm_80','sm_90a'");
}

/// The same for other architectures.
fn toolkit_for(folder: &Path, release: &str, architectures: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    for tool in ["ptxas", "nvlink"] {
        let path = folder.join(tool);
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo \"Cuda compilation tools, release {release}, V{release}.1\" && exit\n\
             [ \"$1\" = --help ] && echo \"{architectures}\" && exit\n\
             echo {tool} {release} \"$@\"\n"
        );
        e2e::write_executable(&path, text.as_bytes());
    }
}

/// Runs a copy of dist's `ptxas` that has no `dist/tools` beside it.
fn ptxas(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let bin = folder.join("stub/bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    let copy = bin.join("ptxas");
    std::fs::copy(dist("cuda-stub/bin/ptxas"), &copy).expect("a copy");
    let mut all = vec![
        ("PATH", "/usr/bin:/bin"),
        ("CUDA_PATH", ""),
        ("CUDA_HOME", ""),
    ];
    all.extend(environment);
    run(&copy, arguments, &all)
}

#[test]
fn toolkits_are_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (old, new, python) = (at("old"), at("new"), at("site"));
    toolkit(&folder.path().join("old/bin"), "11.8");
    toolkit(&folder.path().join("new/bin"), "12.8");
    toolkit(&folder.path().join("site/nvidia/cu13/bin"), "13.1");
    let path = format!("{new}/bin:/usr/bin:/bin");
    let of = |arguments: &[&str], environment: &[(&str, &str)]| {
        let outcome = ptxas(folder.path(), arguments, environment);
        outcome.passed("ptxas").to_owned()
    };
    assert_eq!(of(&["-v"], &[("CUDA_PATH", &new)]), "ptxas 12.8 -v\n");
    assert_eq!(
        of(&["-v"], &[("CUDA_PATH", &old), ("PATH", &path)]),
        "ptxas 12.8 -v\n"
    );
    // Units are compiled so that any kernel may call their functions; the user may choose another limit.
    assert_eq!(
        of(&["-c", "x"], &[("CUDA_HOME", &new)]),
        "ptxas 12.8 --device-function-maxrregcount 64 -c x\n"
    );
    let own = ["-c", "-maxrregcount", "32"];
    assert_eq!(
        of(&own, &[("CUDA_HOME", &new)]),
        "ptxas 12.8 -c -maxrregcount 32\n"
    );
    // The first that makes code for the architecture; clang and people spell the option in several ways.
    let volta = folder.path().join("volta");
    toolkit_for(&volta.join("bin"), "12.9", "'sm_70','sm_75'");
    let volta = volta.display().to_string();
    let both = [("CUDA_PATH", &*new), ("CUDA_HOME", &*volta)];
    assert_eq!(of(&["-arch", "sm_70"], &both), "ptxas 12.9 -arch sm_70\n");
    assert_eq!(
        of(&["--gpu-name=sm_90a"], &both),
        "ptxas 12.8 --gpu-name=sm_90a\n"
    );
    let installed = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"]
        .iter()
        .any(|path| Path::new(path).exists());
    if !installed {
        assert_eq!(of(&["-v"], &[("PYTHONPATH", &python)]), "ptxas 13.1 -v\n");
        let outcome = ptxas(folder.path(), &["-v"], &[("CUDA_PATH", &old)]);
        outcome.failed_with(
            "no toolkit",
            &[
                "no CUDA toolkit",
                "old/bin: CUDA 11.8, too old",
                "pip install nvidia-cuda-nvcc",
                "CUDA_PATH",
            ],
        );
        let outcome = ptxas(folder.path(), &["-arch", "sm_70"], &[("CUDA_PATH", &new)]);
        let facts = [
            "for sm_70",
            "CUDA 12.8, not for sm_70",
            "nvidia-cuda-nvcc-cu12",
        ];
        outcome.failed_with("no toolkit for Volta", &facts);
    }
}
