//! What it costs to compile kernels for the virtual GPU, by counts that do not depend on the machine's load: CPU
//! instructions of the compiler under valgrind, and sizes of objects. The bounds are a fifth to a third above what they
//! were on 2026-11-22 (docs/measurements.md, "Compile time by size"), so that a pass whose time explodes is seen.

use std::path::{Path, PathBuf};

use e2e::{dist, root, run};

/// The image of one of the programs of `bench/compile`.
fn image(program: &str, folder: &Path) -> PathBuf {
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let script = text(&root().join("bench/compile"));
    let sources = text(folder);
    run(
        Path::new(&script),
        &["--only", program, "--write", &sources],
        &[],
    )
    .passed("bench/compile");
    let source = text(&folder.join(format!("{program}.c")));
    let binary = text(&folder.join(program));
    let config = format!("--config={}", text(&dist("etc/omptarget.cfg")));
    let arguments = [config.as_str(), "-O2", &source, "-o", &binary, "-lm"];
    let compiled = run(Path::new("clang-22"), &arguments, &[]);
    assert_eq!(compiled.code, 0, "{program}: {}", compiled.stderr);
    let images = folder.join("images");
    let extract = ["image", "--extract", &text(&images), &binary];
    run(&dist("bin/omptarget"), &extract, &[]).passed("omptarget image");
    let mut files = std::fs::read_dir(images).expect("images").flatten();
    files.next().expect("an image").path()
}

/// Millions of CPU instructions that compile a program's kernels in both forms for AVX2.
fn instructions(program: &str) -> u64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = image(program, folder.path());
    let compiler = dist("libexec/omptarget-codegen");
    let arguments = [
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
        compiler.to_str().expect("UTF-8"),
        "vgpu",
        "--warp-forms",
        "--cpu",
        "x86-64-v3",
        image.to_str().expect("UTF-8"),
        "-o",
        "/dev/null",
    ];
    let counted = run(Path::new("valgrind"), &arguments, &[]);
    assert_eq!(counted.code, 0, "{program}: {}", counted.stderr);
    let mut lines = counted.stderr.lines();
    let line = lines.find(|line| line.contains("I ") && line.contains("refs:"));
    let digits = line.expect("a count").rsplit("refs:").next().unwrap_or("");
    let count: String = digits.chars().filter(char::is_ascii_digit).collect();
    count.parse::<u64>().expect("a number") / 1_000_000
}

/// KiB of a program's object for a CPU.
fn size(program: &str, cpu: &str) -> u64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = image(program, folder.path());
    let object = folder.path().join("object");
    let arguments = [
        "vgpu",
        "--warp-forms",
        "--cpu",
        cpu,
        image.to_str().expect("UTF-8"),
        "-o",
        object.to_str().expect("UTF-8"),
    ];
    run(&dist("libexec/omptarget-codegen"), &arguments, &[]).passed(program);
    std::fs::metadata(object).expect("an object").len() / 1024
}

#[track_caller]
fn at_most(bound: u64, found: u64) {
    assert!(found <= bound, "{found}; the bound is {bound}");
}

#[test]
fn saxpy() {
    at_most(700, instructions("saxpy"));
}

/// Its sines are what takes long if large angles are computed with vectors.
#[test]
fn fft() {
    at_most(220, size("fft", "x86-64-v3"));
    at_most(120, size("fft", "x86-64-v4"));
}

/// Code of reductions is written twice only where teams may lack threads.
#[test]
fn twelve_reductions() {
    at_most(390, size("reductions-12", "x86-64-v3"));
    at_most(270, size("reductions-12", "x86-64-v4"));
}
