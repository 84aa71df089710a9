//! CUDA programs, compiled by stock clang with our headers and run through our `libcudart.so`, without NVIDIA's toolkit
//! and without a GPU.

use std::collections::BTreeSet;
use std::process::Command;

use e2e::{Binary, Build, Mode, dist, line_of, root};
use object::{Object, ObjectSymbol};

#[test]
fn vector_add_in_one_command() {
    let outcome = e2e::run(
        &dist("bin/omptarget"),
        &["run", "examples/vector_add.cu"],
        &[],
    );
    assert_eq!(outcome.passed("omptarget run"), "PASS\n");
    assert_eq!(outcome.stderr, "");
}

/// The units of a program are compiled apart, and their device code is linked with their objects.
#[test]
fn objects_are_linked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let omptarget = |arguments: &[&str]| {
        let output = Command::new(dist("bin/omptarget"))
            .arg("cuda")
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the command starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && said.is_empty(),
            "{arguments:?}: {said}"
        );
    };
    let example = root().join("examples/vector_add.cu");
    let example = example.to_str().expect("a name in UTF-8");
    omptarget(&["-O1", "-c", example, "-o", "add.o"]);
    omptarget(&["add.o", "-o", "program"]);
    let outcome = e2e::run(&folder.path().join("program"), &[], &[]);
    assert_eq!(outcome.passed("linked from an object"), "PASS\n");
}

#[test]
fn nvcc_tells_cudas_release() {
    let outcome = e2e::run(&dist("cuda-stub/bin/nvcc"), &["--version"], &[]);
    let said = outcome.passed("nvcc --version");
    assert!(said.contains("release 12.9, V12.9."), "{said}");
}

/// nvcc compiles C files as C whatever the standard of the others, and build files name libraries that are empty here.
/// Its `-g` is about the host's code, and leaves device code optimised.
#[test]
fn a_command_line_for_nvcc() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program");
    let program = program.to_str().expect("a name in UTF-8");
    let sources = ["nvcc_units.cu", "nvcc_c_unit.c"];
    let sources = sources.map(|name| format!("tests/programs/cuda/{name}"));
    let libraries = ["-lcudart_static", "-lcudadevrt", "-o", program];
    let mut arguments = vec!["-std=c++17", "-g", "--cuda-headers=own"];
    arguments.extend(sources.iter().map(String::as_str));
    arguments.extend(libraries);
    let compiled = e2e::run(&dist("cuda-stub/bin/nvcc"), &arguments, &[]);
    assert_eq!((compiled.code, &*compiled.stderr), (0, ""));
    let outcome = e2e::run(program.as_ref(), &[], &[("LIBOMPTARGET_INFO", "16")]);
    assert_eq!((outcome.code, &*outcome.stdout), (0, "PASS\n"));
    assert!(!outcome.stderr.contains("-O0"), "{outcome:?}");
}

/// Units call each other's device functions. Units in C++ use the library, too.
#[test]
fn several_units() {
    let sources = ["units.cu", "units_device.cu", "units_host.cpp"];
    let sources = sources.map(|name| format!("tests/programs/cuda/{name}"));
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let binary = Build::new(&sources).compile(Mode::Cuda("-O2"));
    assert_eq!(binary.run(&[]).passed("several units"), "PASS\n");
}

#[test]
fn the_examples_are_compiled_without_a_message() {
    for (example, level) in [
        ("vector_add", "-O0"),
        ("vector_add", "-O3"),
        ("reduction", "-O2"),
    ] {
        let source = format!("examples/{example}.cu");
        let outcome = Build::new(&[&source]).compile(Mode::Cuda(level)).run(&[]);
        assert!(outcome.passed(&source).ends_with("PASS\n"), "{outcome:?}");
    }
}

/// `__managed__` variables of two units.
#[test]
fn managed_variables() {
    let sources =
        ["managed.cu", "managed_other.cu"].map(|name| format!("tests/programs/cuda/{name}"));
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    for level in ["-O0", "-O2"] {
        let binary = Build::new(&sources).compile(Mode::Cuda(level));
        assert_eq!(binary.run(&[]).passed(level), "PASS\n");
    }
}

fn program(name: &str, level: &'static str) -> Binary {
    let source = format!("tests/programs/cuda/{name}.cu");
    Build::new(&[&source]).compile(Mode::Cuda(level))
}

#[test]
fn device_code() {
    for level in ["-O0", "-O2"] {
        let outcome = program("device_code", level).run(&[]);
        let expected = "thread 0 prints 42 and text\nPASS\n";
        assert_eq!(outcome.passed(level), expected);
    }
}

/// Structures that kernels take by value, in the thread's form and in the warp's.
#[test]
fn structures() {
    for level in ["-O0", "-O2"] {
        let outcome = program("structures", level).run(&[]);
        assert_eq!(outcome.passed(level), "PASS\n");
    }
}

/// Shifts by the width or more, and conversions of numbers that the integer does not have, as GPUs do them.
#[test]
fn arithmetic() {
    for level in ["-O0", "-O2"] {
        let outcome = program("arithmetic", level).run(&[]);
        assert_eq!(outcome.passed(level), "PASS\n");
    }
}

/// Rounding to numbers of 16 bits, also for CPUs without instructions for it and without wide vectors.
#[test]
fn brain_floats() {
    let program = program("brain_floats", "-O2");
    assert_eq!(program.run(&[]).passed("native"), "PASS\n");
    let environment = [("OMPTARGET_VGPU_CPU", "x86-64")];
    let outcome = e2e::run(&program.path, &[], &environment);
    assert_eq!(outcome.passed("x86-64"), "PASS\n");
}

/// Warps in lockstep that exchange values through volatile shared memory.
#[test]
fn volatile_shared() {
    for level in ["-O1", "-O2"] {
        let outcome = program("volatile_shared", level).run(&[]);
        assert_eq!(outcome.passed(level), "PASS\n");
    }
}

/// A lock that one thread takes for its block. The kernel runs warp by warp, like those that wait for other blocks.
#[test]
fn locks() {
    for level in ["-O0", "-O2"] {
        assert_eq!(program("locks", level).run(&[]).passed(level), "PASS\n");
    }
    let information = [("LIBOMPTARGET_INFO", "16")];
    let outcome = e2e::run(&program("locks", "-O2").path, &[], &information);
    assert_eq!(outcome.stdout, "PASS\n");
    assert!(
        outcome.stderr.contains("runs warp by warp"),
        "{}",
        outcome.stderr
    );
}

/// Blocks of 16 by 16 and their like, in kernels with barriers. A fault is that of the block's own shape.
#[test]
fn short_rows() {
    for level in ["-O0", "-O2"] {
        let program = program("short_rows", level);
        assert_eq!(program.run(&[]).passed(level), "PASS\n");
    }
    let program = program("short_rows", "-O2");
    let how = |engine| ("OMPTARGET_VGPU_ENGINE", engine);
    let environment = [how("workgroup"), ("LIBOMPTARGET_INFO", "16")];
    let said = e2e::run(&program.path, &[], &environment).stderr;
    for shape in ["8 x 8 x 1", "8 x 8 x 8", "8 x 4 x 2", "16 x 16 x 1"] {
        let of = |line: &&str| line.contains("neighbours") && line.contains(shape);
        let line = said.lines().find(of).expect("a launch of the shape");
        assert!(line.contains("runs warp by warp"), "{line}");
    }
    let outcome = e2e::run(&program.path, &["fault"], &environment);
    assert_eq!(outcome.stdout, "cudaErrorIllegalAddress\n");
    assert!(
        outcome.stderr.contains("runs warp by warp"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("beyond"), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("(0,4,0) to (15,5,0)"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn runtime_functions() {
    assert_eq!(
        program("runtime", "-O2").run(&[]).passed("runtime"),
        "PASS\n"
    );
}

#[test]
fn graphs_and_pools() {
    let outcome = program("graphs", "-O2").run(&[]);
    assert_eq!(outcome.passed("graphs"), "PASS\n");
}

/// Memory and events that two processes share.
#[test]
fn processes() {
    let outcome = program("processes", "-O2").run(&[]);
    assert_eq!(outcome.passed("processes"), "PASS\n");
}

/// Arrays, textures and surfaces, by objects and by the references of CUDA 11. The last kernel accesses a surface
/// outside.
#[test]
fn textures() {
    let source = "tests/programs/cuda/textures.cu";
    let binary = Build::new(&[source])
        .flags(&["-g", "-DOMPTARGET_TEXTURE_REFERENCES"])
        .compile(Mode::Cuda("-O1"));
    let outcome = binary.run(&[]);
    assert_eq!((outcome.code, &*outcome.stdout), (0, "PASS\n"));
    let place = format!("textures.cu:{}", line_of(source, "void outside"));
    for text in ["a kernel failed: trap", &place] {
        assert!(outcome.stderr.contains(text), "{}", outcome.stderr);
    }
}

/// Calls that fail return codes. A kernel that fails is reported with its place, and the program goes on.
#[test]
fn failures() {
    let source = "tests/programs/cuda/failures.cu";
    let binary = Build::new(&[source])
        .flags(&["-g"])
        .compile(Mode::Cuda("-O1"));
    let place = |text| format!("failures.cu:{}", line_of(source, text));
    let truncated = "a fat binary of the program cannot be loaded: device image is truncated";
    let cases = [
        (None, truncated.to_owned(), place("pmevent 1;")),
        (
            Some("wild"),
            "store to 0x40, which is not mapped".into(),
            place("*address = 1"),
        ),
        (
            Some("trap"),
            "a kernel failed: trap".into(),
            place("__trap();"),
        ),
        (
            Some("assert"),
            "assertion `number == 3` failed".into(),
            place("assert(number"),
        ),
        (
            Some("deadlock"),
            "every thread of the block waits".into(),
            place("bar.sync 1"),
        ),
    ];
    for (argument, what, place) in cases {
        let outcome = binary.run(argument.as_slice());
        assert_eq!(
            (outcome.code, &*outcome.stdout),
            (0, "PASS\n"),
            "{outcome:?}"
        );
        let says = |text: &str| outcome.stderr.contains(text);
        assert!(
            says(&what) && says(&place),
            "{argument:?}: {}",
            outcome.stderr
        );
    }
}

/// Two virtual GPUs reach each other's memory.
#[test]
fn on_two_virtual_gpus() {
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_DEVICES", "2"),
    ];
    let outcome = program("runtime", "-O2").run_with(&[], &environment);
    let says = outcome.passed("on two virtual GPUs");
    assert_eq!(says, "several devices\npeers\nPASS\n");
}

/// The same programs through the plugin for NVIDIA's GPUs, of which there are two: their bitcode becomes PTX.
#[test]
fn on_nvidias_driver() {
    let vector_add = Build::new(&["examples/vector_add.cu"]).compile(Mode::Cuda("-O2"));
    let programs = [
        (vector_add, "PASS\n"),
        (program("runtime", "-O2"), "several devices\nPASS\n"),
        (program("graphs", "-O2"), "PASS\n"),
        (
            program("device_code", "-O2"),
            "thread 0 prints 42 and text\nPASS\n",
        ),
    ];
    for (binary, expected) in programs {
        let driver = e2e::cuda::driver_for(&binary).with("FAKE_CUDA_DEVICES", "2");
        let outcome = driver.run(&binary.path, &[]);
        assert_eq!(outcome.passed("on NVIDIA's driver"), expected);
    }
}

/// `omptarget image` finds the image in the fat binary, `precompile` compiles it.
#[test]
fn the_commands_read_the_program() {
    let binary = Build::new(&["examples/vector_add.cu"]).compile(Mode::Cuda("-O2"));
    let path = binary.path.to_str().expect("a name in UTF-8");
    let omptarget = dist("bin/omptarget");
    let image = e2e::run(&omptarget, &["image", path], &[]);
    let says = image.passed("omptarget image");
    assert!(says.contains("bitcode") && says.contains("sm_80"), "{says}");
    assert!(says.contains("_Z3addiPKfS0_Pf"), "{says}");
    e2e::run(&omptarget, &["precompile", path], &[]).passed("omptarget precompile");
}

#[test]
fn without_a_device_every_call_says_so() {
    let binary = Build::new(&["examples/vector_add.cu"]).compile(Mode::Cuda("-O1"));
    let outcome = binary.run_with(&[], &[("OMPTARGET_DEVICES", "none")]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .stdout
            .contains("cudaErrorNoDevice: no CUDA-capable device"),
        "{outcome:?}"
    );
}

fn is_of_the_driver(name: &str) -> bool {
    let rest = name.strip_prefix("cu").unwrap_or_default();
    rest.starts_with(|letter: char| letter.is_ascii_uppercase())
}

/// The header declares what the library has, and nothing else.
#[test]
fn the_header_declares_what_the_library_has() {
    let header = root().join("cudart/include/cuda_runtime_api.h");
    let header = std::fs::read_to_string(header).expect("the header is readable");
    // Programs call these by other names, those of CUDA 12.
    let renamed = [
        "cudaGetDeviceProperties",
        "cudaSignalExternalSemaphoresAsync",
        "cudaStreamGetCaptureInfo",
        "cudaWaitExternalSemaphoresAsync",
    ];
    let rename =
        |text: String, name: &&str| text.replace(&format!("{name}("), &format!("{name}_v2("));
    let header = renamed.iter().fold(header, rename);
    let calls = header.split('(').filter_map(|before| {
        let name = before
            .rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .next()?;
        (name.starts_with("cuda") || name.starts_with("__cuda")).then(|| name.to_owned())
    });
    let constants = |name: &String| header.contains(&format!("OMPTARGET_DEFAULT({name})"));
    let declared: BTreeSet<String> = calls.filter(|name| !constants(name)).collect();
    let library = std::fs::read(dist("lib/cuda/libcudart.so.12")).expect("it is readable");
    let library = object::File::parse(&*library).expect("it is an ELF file");
    // What compilers' code for registration and launches calls is declared nowhere.
    let compilers = |name: &String| {
        const CALLED: [&str; 5] = [
            "Register",
            "Unregister",
            "InitModule",
            "GetKernel",
            "Launch",
        ];
        let rest = name.strip_prefix("__cuda");
        rest.is_some_and(|rest| CALLED.iter().any(|call| rest.starts_with(call)))
    };
    let exported: BTreeSet<String> = library
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .map(|symbol| symbol.name().expect("a name in UTF-8").to_owned())
        .filter(|name| !compilers(name) && name != "__cudaPopCallConfiguration")
        .filter(|name| !name.starts_with("libcudart.so.") && !renamed.contains(&name.as_str()))
        // The driver's interface and the management library have headers of their own.
        .filter(|name| !is_of_the_driver(name) && !name.starts_with("nvml"))
        // What CUDA's libraries of ours ask, and the code that our passes make, is no function of programs.
        .filter(|name| !name.trim_start_matches('_').starts_with("omptarget"))
        // The header gives programs these names by a macro.
        .filter(|name| !name.ends_with("_ptsz") && !name.ends_with("_ptds"))
        .collect();
    assert_eq!(declared, exported);
    let page = std::fs::read_to_string(root().join("docs/cuda-programs.md")).expect("a page");
    for name in exported.iter().filter(|name| !name.starts_with("__")) {
        let name = name.trim_end_matches("_v2");
        assert!(
            page.contains(&format!("`{name}`")),
            "docs/cuda-programs.md lacks {name}"
        );
    }
}
