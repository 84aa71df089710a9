//! CUDA programs, compiled by stock clang with our headers and run through our `libcudart.so`, without NVIDIA's toolkit
//! and without a GPU.

use std::process::Command;

use e2e::{Build, Mode, dist, root};

#[test]
fn vector_add_in_one_command() {
    let output = Command::new(dist("bin/omptarget"))
        .args(["run", "examples/vector_add.cu"])
        .current_dir(root())
        .output()
        .expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(text(&output.stdout), "PASS\n");
    assert!(output.status.success());
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
fn the_example_is_compiled_without_a_message() {
    for level in ["-O0", "-O3"] {
        let binary = Build::new(&["examples/vector_add.cu"]).compile(Mode::Cuda(level));
        assert_eq!(binary.run(&[]).passed(level), "PASS\n");
    }
}
