//! Programs that NVIDIA's own runtime library was linked into, as `nvcc` does. Ours takes its place where it is
//! preloaded; elsewhere the driver says what is the matter.
#![cfg(target_arch = "x86_64")]

use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::{Outcome, clang, dist, root, run};

/// What NVIDIA's library needs.
const LIBRARIES: [&str; 4] = ["-lstdc++", "-ldl", "-lrt", "-lpthread"];

/// Compiles the program as `nvcc` does: its device code to PTX in a fat binary, which is in the host's object.
fn object(folder: &Path) -> PathBuf {
    let source = root().join("tests/programs/cuda/static_runtime.cu");
    let (ptx, image) = (folder.join("device.ptx"), folder.join("device.fatbin"));
    let at = |path: &Path| path.to_str().expect("a name in UTF-8").to_owned();
    let device = ["-ptx", "--cuda-headers=own", "-o", &at(&ptx), &at(&source)];
    run(&dist("cuda-stub/bin/nvcc"), &device, &[]).passed("device code");
    let entry = format!("--image3=kind=ptx,sm=80,file={}", at(&ptx));
    let packed = run(
        &dist("tools/fatbinary"),
        &["--64", "--create", &at(&image), &entry],
        &[],
    );
    packed.passed("a fat binary");
    let object = folder.join("program.o");
    let toolkit = format!("--cuda-path={}", dist("cuda-stub").display());
    let headers = dist("cuda-stub/include").display().to_string();
    let mut arguments: Vec<&str> = vec!["-x", "cuda", "--cuda-host-only", "-O1", &toolkit];
    arguments.extend(["-isystem", &headers, "-Xclang", "-fcuda-include-gpubinary"]);
    let (image, object_name, source) = (at(&image), at(&object), at(&source));
    arguments.extend(["-Xclang", &image, "-c", &source, "-o", &object_name]);
    let arguments: Vec<_> = arguments.iter().map(Into::into).collect();
    clang(true, &arguments, folder);
    object
}

/// Links a program with NVIDIA's library of a release.
fn link(release: &str, arguments: &[&str], program: &Path) {
    let archive = dist(&format!("tools/cuda{release}/libcudart_static.a"));
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-o"])
        .arg(program)
        .args(arguments)
        .arg(archive)
        .args(LIBRARIES)
        .output()
        .expect("cc starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
}

/// Runs a program with our driver, and with our runtime library in place of its own.
fn preloaded(program: &Path) -> Outcome {
    let library = dist("lib/cuda/libcudart.so.12").display().to_string();
    run(program, &[], &[("LD_PRELOAD", &library), VIRTUAL])
}

/// Runs it with our driver alone.
fn plain(program: &Path) -> Outcome {
    let folder = dist("lib/cuda").display().to_string();
    run(program, &[], &[("LD_LIBRARY_PATH", &folder), VIRTUAL])
}

const VIRTUAL: (&str, &str) = ("OMPTARGET_DEVICES", "vgpu");
const LACKS: &str =
    "libcudart: the program calls cudaThreadGetLimit: this library has no such function\n";

#[track_caller]
fn passes(outcome: &Outcome) {
    let shown = (outcome.code, &*outcome.stdout, &*outcome.stderr);
    assert_eq!(shown, (0, "the last is 3069\nPASS\n", LACKS));
}

#[test]
fn a_program_of_cuda_12() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = object(folder.path());
    let object = object.to_str().expect("a name in UTF-8");
    // At any address, and at that which the linker chose; with symbols for other libraries.
    for (name, options) in [("pie", &["-pie", "-rdynamic"][..]), ("fixed", &["-no-pie"])] {
        let program = folder.path().join(name);
        link("12", &[&[object], options].concat(), &program);
        passes(&preloaded(&program));
    }
    let program = folder.path().join("pie");
    let name = program.to_str().expect("a name in UTF-8");
    passes(&run(&dist("bin/omptarget"), &["run", name], &[VIRTUAL]));

    let alone = plain(&program);
    assert_eq!(
        (alone.code, &*alone.stdout),
        (2, "no device: named symbol not found\n")
    );
    let own = dist("lib/cuda/libcudart.so.12");
    let advice = format!(
        "libcuda: {name} has NVIDIA's runtime library in it, which runs with NVIDIA's driver alone: run it with \
         LD_PRELOAD={}, or link it with -cudart shared\n",
        own.canonicalize().expect("it is there").display()
    );
    assert_eq!(alone.stderr, advice);

    link("12", &[object, "-s"], &program);
    let stripped = preloaded(&program);
    assert_eq!(stripped.code, 2, "{stripped:?}");
    let without = plain(&program);
    assert!(
        without.stderr.contains("its symbols are gone (strip)"),
        "{without:?}"
    );
}

/// Some of CUDA 13's functions have other arguments.
#[test]
fn a_program_of_cuda_13() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program");
    let source = root().join("tests/programs/driver/cuda_13.c");
    let source = source.to_str().expect("a name in UTF-8");
    link("13", &["-DSTATIC", source], &program);
    assert_eq!(preloaded(&program).passed("CUDA 13"), "PASS\n");
    let alone = plain(&program);
    assert_ne!(alone.code, 0);
    assert!(
        alone.stderr.contains("has NVIDIA's runtime library in it"),
        "{alone:?}"
    );
}

/// Others ask for NVIDIA's tables and do without, as NVRTC does: they are told nothing.
#[test]
fn who_asks_without_the_library_is_told_nothing() {
    const SOURCE: &str = r#"
        #include <dlfcn.h>
        #include <stdio.h>
        int main(void) {
            void *driver = dlopen("libcuda.so.1", RTLD_NOW);
            if (!driver) return puts(dlerror());
            int (*ask)(const void **, const void *);
            *(void **)&ask = dlsym(driver, "cuGetExportTable");
            const void *table = driver;
            unsigned char id[16] = {0x0d};
            int answer = ask(&table, id);
            printf("%d %d\n", answer, table == 0);
            return 0;
        }"#;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (folder.path().join("ask.c"), folder.path().join("ask"));
    std::fs::write(&source, SOURCE).expect("a file");
    let mut cc = Command::new("cc");
    let output = cc.arg(&source).arg("-o").arg(&program).arg("-ldl").output();
    assert!(output.expect("cc starts").status.success());
    let outcome = plain(&program);
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("500 1\n", ""));
}
