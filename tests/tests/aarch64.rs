//! Programs for 64-bit ARM: examples, compiled by the clang at hand, on a `libomptarget.so` for that architecture,
//! under an emulator. The emulated `libomptarget.so` starts the compiler process of this machine, which compiles
//! kernels for it.
//!
//! `scripts/aarch64` runs the unit tests of crates in the same way; `scripts/test` calls it.
#![cfg(target_arch = "x86_64")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use e2e::{clang, dist, root, run};
use tempfile::TempDir;

/// A tree like `dist/` whose host libraries are for 64-bit ARM.
fn tree() -> TempDir {
    let build = Command::new(root().join("scripts/aarch64"))
        .args([env!("CARGO"), "build", "--quiet", "-p", "host-api"])
        .output()
        .expect("scripts/aarch64 starts");
    let messages = String::from_utf8_lossy(&build.stderr);
    assert!(build.status.success(), "{messages}");
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into());
    let built = root().join(target).join("aarch64-unknown-linux-gnu/debug");

    let tree = tempfile::tempdir().unwrap();
    let at = |name: &str| tree.path().join(name);
    for folder in ["etc", "lib"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    // Neither this nor the libraries are links: they are looked for beside, and look beside themselves.
    std::fs::copy(dist("etc/omptarget.cfg"), at("etc/omptarget.cfg")).unwrap();
    for name in [
        "libexec",
        "cuda-stub",
        "lib/nvptx64-nvidia-cuda",
        "lib/omptarget-passes.so",
    ] {
        symlink(dist(name), at(name)).unwrap();
    }
    let libraries = [
        (
            built.join("libhost_api.so"),
            ["libomptarget.so", "libomptarget.so.22.1"],
        ),
        (dist("aarch64/libomp.so.5"), ["libomp.so", "libomp.so.5"]),
    ];
    for (file, names) in libraries {
        for name in names {
            std::fs::copy(&file, at("lib").join(name)).unwrap();
        }
    }
    tree
}

/// Compiles an example and runs it on the virtual GPU. Gives what `LIBOMPTARGET_INFO` says.
fn check(tree: &Path, sources: &[&str], engine: &str) -> String {
    let program = tree.join("program");
    let config = format!("--config={}", tree.join("etc/omptarget.cfg").display());
    let flags = [
        "--target=aarch64-linux-gnu",
        &config,
        "-fuse-ld=lld",
        "-O2",
        "-o",
    ];
    let sources = sources.iter().map(|source| root().join(source).into());
    let arguments = flags
        .into_iter()
        .map(Into::into)
        .chain([program.clone().into()]);
    clang(false, &arguments.chain(sources).collect::<Vec<_>>(), tree);
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_ENGINE", engine),
        ("LIBOMPTARGET_INFO", "16"),
    ];
    let program = program.display().to_string();
    let arguments = ["-L", "/usr/aarch64-linux-gnu", &program];
    let said = run(&dist("tools/qemu-aarch64"), &arguments, &environment);
    let what = format!("{program} as on 64-bit ARM: {}{}", said.stdout, said.stderr);
    assert!(said.code == 0 && said.stdout.ends_with("PASS\n"), "{what}");
    said.stderr
}

#[test]
fn examples_run_as_on_64_bit_arm() {
    let tree = tree();
    let heartwall = ["examples/heartwall.c", "examples/heartwall_kernel.c"];
    for (sources, engine) in [
        (&["examples/saxpy.c"][..], "auto"),
        (&["examples/dot.c"], "auto"),
        (&heartwall, "fiber"),
    ] {
        let said = check(tree.path(), sources, engine);
        let in_warp_form = said.contains("runs warp by warp");
        assert_eq!(in_warp_form, engine == "auto", "{sources:?}: {said}");
    }
}
