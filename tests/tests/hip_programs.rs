//! HIP programs, compiled by stock clang with our headers and run through our `libamdhip64.so`, without ROCm and
//! without a GPU.

use std::collections::BTreeSet;

use e2e::{Binary, Build, Mode, dist, root};
use object::{Object, ObjectSymbol};

fn program(source: &str, level: &'static str) -> Binary {
    Build::new(&[source]).compile(Mode::Hip(level))
}

#[test]
fn vector_add_in_one_command() {
    let outcome = e2e::run(
        &dist("bin/omptarget"),
        &["run", "examples/vector_add.hip"],
        &[],
    );
    assert_eq!(outcome.passed("omptarget run"), "PASS\n");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn the_reduction_is_compiled_without_a_message() {
    let outcome = program("examples/reduction.hip", "-O2").run(&[]);
    let said = outcome.passed("reduction");
    assert!(said.starts_with("PASS: the sum is 524288 "), "{said}");
}

#[test]
fn device_code() {
    for level in ["-O0", "-O2"] {
        let outcome = program("tests/programs/hip/device_code.hip", level).run(&[]);
        assert_eq!(outcome.passed(level), "device: 42 text 2.000\nPASS\n");
    }
}

#[test]
fn runtime_functions() {
    let outcome = program("tests/programs/hip/runtime.hip", "-O2").run(&[]);
    assert_eq!(outcome.passed("runtime"), "PASS\n");
}

/// `hip_fp16.h`, on the host and in kernels.
#[test]
fn half_precision() {
    let outcome = program("tests/programs/hip/half.hip", "-O2").run(&[]);
    assert_eq!(outcome.passed("half"), "PASS\n");
}

/// Build files start `hipcc`, and their sources end in `.cu` or `.cpp`.
#[test]
fn a_command_line_for_hipcc() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("vector_add.cu");
    let object = folder.path().join("vector_add.o");
    let program = folder.path().join("vector_add");
    std::fs::copy(e2e::root().join("examples/vector_add.hip"), &source).expect("a source");
    let hipcc = |arguments: &[&std::path::Path]| {
        let words: Vec<_> = arguments
            .iter()
            .map(|word| word.to_str().expect("UTF-8"))
            .collect();
        let outcome = e2e::run(&e2e::dist("hip/bin/hipcc"), &words, &[]);
        outcome.passed("hipcc").to_owned()
    };
    hipcc(&[
        "-O2".as_ref(),
        "-c".as_ref(),
        &source,
        "-o".as_ref(),
        &object,
    ]);
    hipcc(&[&object, "-o".as_ref(), &program]);
    assert_eq!(e2e::run(&program, &[], &[]).passed("vector_add"), "PASS\n");
    assert!(hipcc(&["--version".as_ref()]).contains("HIP version: 6."));
}

/// `hip_bf16.h` and `hip_bfloat16.h`, beside `hip_fp16.h`.
#[test]
fn upper_halves_of_floats() {
    let outcome = program("tests/programs/hip/bfloat.hip", "-O2").run(&[]);
    assert_eq!(outcome.passed("bfloat"), "PASS\n");
}

#[test]
fn cooperative_groups() {
    let binary = program("tests/programs/hip/groups.hip", "-O2");
    let outcome = binary.run_with(&[], &[("OMPTARGET_VGPU_SMS", "2")]);
    assert_eq!(outcome.passed("groups"), "PASS\n");
}

#[test]
fn textures() {
    let outcome = program("tests/programs/hip/textures.hip", "-O2").run(&[]);
    assert_eq!(outcome.passed("textures"), "PASS\n");
}

/// `omptarget image` finds the image in clang's bundle.
#[test]
fn the_commands_read_the_program() {
    let binary = program("examples/vector_add.hip", "-O2");
    let path = binary.path.to_str().expect("a name in UTF-8");
    let image = e2e::run(&dist("bin/omptarget"), &["image", path], &[]);
    let says = image.passed("omptarget image");
    assert!(
        says.contains("bitcode") && says.contains("gfx90a"),
        "{says}"
    );
}

/// The header declares what the library has. The names of CUDA's library are not in HIP's.
#[test]
fn the_header_declares_what_the_library_has() {
    let header = root().join("hiprt/include/hip/hip_runtime_api.h");
    let header = std::fs::read_to_string(header).expect("the header is readable");
    let library = std::fs::read(dist("lib/hip/libamdhip64.so.6")).expect("it is readable");
    let library = object::File::parse(&*library).expect("it is an ELF file");
    let names = library
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition());
    let names: BTreeSet<&str> = names
        .map(|symbol| symbol.name().expect("a name in UTF-8"))
        .filter(|name| *name != "hip_4.2")
        .collect();
    let declared = |name: &&str| header.contains(&format!("{name}("));
    // What clang's code for registration calls is declared nowhere.
    let missing = names
        .iter()
        .filter(|name| !name.starts_with("__hipRegister") && !name.starts_with("__hipUnregister"))
        .find(|name| !declared(name));
    assert_eq!(missing, None);
    assert_eq!(names.iter().find(|name| !name.contains("hip")), None);
}
