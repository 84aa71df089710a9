//! CUDA's driver interface: programs in C, compiled by the host's compiler, and PTX on the virtual GPU.

use std::process::Command;

use e2e::{Outcome, dist, root};
use object::{Object, ObjectSymbol};

/// Runs a program of `tests/programs/driver`, which finds the library as one that was built elsewhere does.
fn run(name: &str) -> Outcome {
    run_with(name, "lib/cuda/stubs/libcuda.so")
}

/// The same with another library than the driver's.
fn run_with(name: &str, library: &str) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join(name);
    let output = Command::new("cc")
        .args(["-Wall", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(root().join(format!("tests/programs/driver/{name}.c")))
        .arg(dist(library))
        .output()
        .expect("cc starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {said}");
    let library = dist("lib/cuda");
    let library = library.to_str().expect("a name in UTF-8");
    let settings = [("LD_LIBRARY_PATH", library), ("OMPTARGET_DEVICES", "vgpu")];
    e2e::run(&program, &[], &settings)
}

#[test]
fn a_client_in_c() {
    let outcome = run("client");
    assert_eq!(outcome.passed("the client"), "PASS\n");
}

#[test]
fn textures_and_surfaces() {
    let outcome = run("textures");
    assert_eq!(outcome.passed("arrays, textures, surfaces"), "PASS\n");
}

#[test]
fn texture_references_and_early_launches() {
    let outcome = run("references");
    assert_eq!(outcome.passed("texture references"), "PASS\n");
}

#[test]
fn nodes_of_graphs_and_parts_of_devices() {
    let outcome = run("graphs");
    assert_eq!(outcome.passed("nodes of graphs, green contexts"), "PASS\n");
}

#[test]
fn what_nvcc_13_makes_of_a_program() {
    let outcome = run_with("cuda_13", "lib/cuda/libcudart.so.13");
    assert_eq!(outcome.passed("CUDA 13"), "PASS\n");
}

#[test]
fn the_management_library() {
    let outcome = run_with("management", "lib/cuda/libnvidia-ml.so.1");
    assert_eq!(outcome.passed("management"), "PASS\n");
}

#[test]
fn virtual_memory_management() {
    let outcome = run("virtual_memory");
    assert_eq!((outcome.code, &*outcome.stdout), (0, "PASS\n"));
    let told = "libcuda: a kernel failed: store to";
    assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
}

#[test]
fn wrong_use() {
    let outcome = run("wrong");
    assert_eq!((outcome.code, &*outcome.stdout), (0, "PASS\n"));
    for told in [
        "libcuda: kernel bad cannot run: the virtual GPU cannot run the PTX instruction `wgmma",
        "libcuda: a kernel failed: store to 0x40, which is not mapped on the device",
    ] {
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
}

#[test]
fn the_page_names_every_function() {
    let library = std::fs::read(dist("lib/cuda/libcuda.so.1")).expect("it is readable");
    let library = object::File::parse(&*library).expect("it is an ELF file");
    let page = std::fs::read_to_string(root().join("docs/cuda-driver.md")).expect("a page");
    let mut count = 0;
    for symbol in library
        .dynamic_symbols()
        .filter(ObjectSymbol::is_definition)
    {
        let name = symbol.name().expect("a name in UTF-8");
        let name = name.trim_end_matches("_ptsz").trim_end_matches("_ptds");
        let rest = name.strip_prefix("cu").unwrap_or_default();
        if rest.starts_with(|letter: char| letter.is_ascii_uppercase()) {
            assert!(
                page.contains(&format!("`{name}`")),
                "docs/cuda-driver.md lacks {name}"
            );
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

/// What stands in for ptxas takes Triton's command line, tells a release, and leaves the PTX as it is.
#[test]
fn ptx_that_is_kept() {
    let keeper = dist("libexec/omptarget-keep-ptx");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = folder.path().join("kernels.o");
    let ptx = root().join("tests/ptx/conventions.ptx");
    let status = Command::new(&keeper)
        .args([
            "-lineinfo",
            "-v",
            "--regAllocOptLevel=2",
            "--gpu-name=sm_80",
        ])
        .arg(&ptx)
        .arg("-o")
        .arg(&made)
        .status()
        .expect("it starts");
    assert!(status.success());
    let read = |path| std::fs::read(path).expect("a file");
    assert!(read(&made) == read(&ptx));
    let version = Command::new(&keeper).arg("--version").output();
    let version = String::from_utf8(version.expect("it starts").stdout).expect("UTF-8");
    assert!(version.contains("release 12.9,"), "{version}");
    let output = Command::new(&keeper).arg(&ptx).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
}
