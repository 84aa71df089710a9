//! The `omptarget` command, as a user meets it.

use e2e::{Build, Mode, dist, run};

fn omptarget(arguments: &[&str], environment: &[(&str, &str)]) -> e2e::Outcome {
    run(&dist("bin/omptarget"), arguments, environment)
}

#[test]
fn run_compiles_and_runs() {
    let outcome = omptarget(
        &["run", "examples/heartwall.c", "examples/heartwall_kernel.c"],
        &[],
    );
    assert!(outcome.passed("omptarget run").ends_with("PASS\n"));
    let outcome = omptarget(&["run", "-O0", "-g", "examples/stencil.cpp"], &[]);
    assert!(outcome.passed("omptarget run, C++").ends_with("PASS\n"));
}

/// A GPU on the command line replaces the default. A program may have images for several GPUs, and the virtual GPU runs
/// any of them.
#[test]
fn gpus_on_the_command_line() {
    let example = "examples/dot.c";
    let outcome = omptarget(&["run", "--offload-arch=gfx1030", example], &[]);
    assert!(outcome.passed("omptarget run, AMD").ends_with("PASS\n"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("dot").display().to_string();
    let gpus = "--offload-arch=gfx90a,sm_90";
    omptarget(&["cc", "-O1", gpus, example, "-o", &program], &[]).passed("omptarget cc");
    // The launch shows the warp size: NVPTX is preferred, whatever the order.
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("LIBOMPTARGET_INFO", "16"),
    ];
    let outcome = run(program.as_ref(), &[], &environment);
    assert!(
        outcome.stdout.ends_with("PASS\n") && outcome.stderr.contains("blocks of [32, 1, 1]"),
        "{outcome:?}"
    );
    let image = omptarget(&["image", &program], &[]);
    let images = image.passed("omptarget image");
    for shown in [
        concat!(
            "device runtime of omptarget ",
            env!("CARGO_PKG_VERSION"),
            "\n"
        ),
        "nvptx64-nvidia-cuda (sm_90), warps of 32 lanes",
        "amdgcn-amd-amdhsa (gfx90a), warps of 64 lanes",
    ] {
        assert!(images.contains(shown), "{images}");
    }
    assert!(!images.contains("sm_80"), "{images}");
}

#[test]
fn run_passes_on_arguments_and_how_the_program_ended() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("ends.c");
    let text = "#include <stdlib.h>\n#include <stdio.h>\n\
        int main(int c, char **v) { printf(\"%s\\n\", v[1]); fflush(stdout); if (c == 2) abort(); return 42; }\n";
    std::fs::write(&source, text).expect("written");
    let source = source.to_str().expect("UTF-8");
    let outcome = omptarget(&["run", source, "--", "-x", "--"], &[]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (42, "-x\n"),
        "{outcome:?}"
    );
    let outcome = omptarget(&["run", source, "--", "only"], &[]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (128 + 6, "only\n"),
        "{outcome:?}"
    );
}

#[test]
fn run_says_what_is_wrong() {
    let missing = omptarget(&["run", "no such file.c"], &[]);
    assert!(
        missing.code == 1 && missing.stderr.contains("no such file.c"),
        "{missing:?}"
    );
    assert_eq!(omptarget(&["run"], &[]).code, 2);
    assert_eq!(omptarget(&["run", "-c", "examples/saxpy.c"], &[]).code, 2);
    assert_eq!(omptarget(&["nonsense"], &[]).code, 2);
}

#[test]
fn compilers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("stencil").display().to_string();
    omptarget(&["c++", "-O2", "examples/stencil.cpp", "-o", &program], &[]).passed("omptarget c++");
    assert!(
        run(program.as_ref(), &[], &[])
            .passed("stencil")
            .ends_with("PASS\n")
    );
    let version = omptarget(&["cc", "--version"], &[]);
    assert!(
        version
            .passed("omptarget cc --version")
            .contains("clang version 22")
    );
}

/// What `precompile` leaves in the cache is what the program needs: running it adds nothing. A program with
/// `unified_shared_memory` needs other code.
#[test]
fn precompiled_programs_need_no_compiler() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plain = "int main(void) { int x = 0;\n#pragma omp target map(x)\nx = 42;\nreturn x; }\n";
    let unified = format!("#pragma omp requires unified_shared_memory\n{plain}");
    std::fs::write(path("plain.c"), plain).expect("written");
    std::fs::write(path("unified.c"), unified).expect("written");
    let cache = path("cache");
    let environment = [("XDG_CACHE_HOME", cache.as_str()), ("OMPTARGET_CACHE", "1")];
    let (plain, unified) = (path("plain"), path("unified"));
    let words = ["cc", &path("plain.c"), "-o", &plain, "--precompile"];
    let told = omptarget(&words, &environment);
    assert!(
        told.passed("cc --precompile")
            .contains("ready for virtual GPU"),
        "{told:?}"
    );
    omptarget(&["cc", &path("unified.c"), "-o", &unified], &environment).passed("cc");
    omptarget(&["precompile", &unified], &environment).passed("precompile");
    let entries = || {
        let files = std::fs::read_dir(folder.path().join("cache/omptarget")).expect("a cache");
        let names = files.map(|file| file.expect("readable").file_name());
        let entries = names.filter(|name| name.to_string_lossy().ends_with(".entry"));
        entries.collect::<std::collections::BTreeSet<_>>()
    };
    let filled = entries();
    for program in [&plain, &unified] {
        let mandatory = [&environment[..], &[("OMP_TARGET_OFFLOAD", "MANDATORY")]].concat();
        let outcome = run(program.as_ref(), &[], &mandatory);
        assert_eq!(outcome.code, 42, "{outcome:?}");
    }
    assert!(filled.len() == 2 && entries() == filled, "{filled:?}");
    let none = omptarget(&["precompile", "/bin/true"], &environment);
    none.failed_with("no images", &["/bin/true", "carries no device images"]);
    let uncached = omptarget(&["precompile", &plain], &[("OMPTARGET_CACHE", "0")]);
    uncached.failed_with("no cache", &["OMPTARGET_CACHE=0"]);
    assert_eq!(omptarget(&["cc", "-c", "x.c", "--precompile"], &[]).code, 2);
}

/// `info PROGRAM` numbers the devices as the program does, and says why it does not use the others.
#[test]
fn devices_of_a_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("dot").display().to_string();
    omptarget(&["cc", "-O1", "examples/dot.c", "-o", &program], &[]).passed("omptarget cc");
    let devices = omptarget(&["info", &program], &[]);
    let devices = devices.passed("omptarget info");
    assert!(devices.contains("OpenMP device       0"), "{devices}");
    let host = devices
        .lines()
        .find(|line| line.starts_with("host 0, 1, 2, 3, host"));
    assert!(
        host.is_some_and(|line| line.contains("not used, the image is bitcode for nvptx64")),
        "{devices}"
    );
    let other = omptarget(&["info", &program], &[("OMPTARGET_DEVICES", "host")]);
    assert!(
        !other.passed("omptarget info").contains("OpenMP device"),
        "{other:?}"
    );
}

#[test]
fn version() {
    let version = omptarget(&["--version"], &[]);
    let says = version.passed("omptarget --version");
    for fact in [
        "omptarget 0.",
        "clang 22",
        "libomptarget.so.22.1",
        "interface version",
    ] {
        assert!(says.contains(fact), "{says}");
    }
}

#[test]
fn clang_missing_or_old() {
    let missing = omptarget(&["cc", "x.c"], &[("OMPTARGET_CLANG", "/nonexistent/clang")]);
    assert!(
        missing.code == 1 && missing.stderr.contains("/nonexistent/clang"),
        "{missing:?}"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let old = folder.path().join("clang");
    e2e::write_executable(&old, b"#!/bin/sh\necho clang version 18.1.3\n");
    let refused = omptarget(
        &["run", "examples/saxpy.c"],
        &[("OMPTARGET_CLANG", old.to_str().expect("UTF-8"))],
    );
    assert!(
        refused.code == 1 && refused.stderr.contains("18") && refused.stderr.contains("22"),
        "{refused:?}"
    );
}

#[test]
fn info_names_the_virtual_gpu() {
    let text = omptarget(&["info"], &[("OMPTARGET_VGPU_SMS", "3")]);
    assert!(
        text.passed("omptarget info").contains("virtual GPU"),
        "{text:?}"
    );
    assert!(
        !text.stdout.contains('\u{1b}'),
        "colours without a terminal: {text:?}"
    );
    let json = omptarget(&["info", "--json"], &[("OMPTARGET_VGPU_SMS", "3")]);
    let devices: serde_json::Value =
        serde_json::from_str(json.passed("omptarget info --json")).expect("JSON");
    assert_eq!(devices[0]["multiprocessors"], 3);
    assert_eq!(devices[0]["warp_size"], 32);
    let wrong = omptarget(&["info"], &[("OMPTARGET_VGPU_SMS", "many")]);
    assert!(
        wrong.code == 1 && wrong.stderr.contains("OMPTARGET_VGPU_SMS"),
        "{wrong:?}"
    );
}

/// Kernels with their modes and the globals of a linked program; the same kernels in an object and an
/// archive.
#[test]
fn image_lists_kernels() {
    let binary = Build::new(&["examples/declare_target.cpp"]).compile(Mode::Offload("-O2"));
    let program = binary.path.to_str().expect("UTF-8");
    let json = omptarget(&["image", "--json", program], &[]);
    let images: serde_json::Value =
        serde_json::from_str(json.passed("omptarget image --json")).expect("JSON");
    assert_eq!(
        (&images[0]["kind"], &images[0]["architecture"]),
        (&"bitcode".into(), &"sm_80".into())
    );
    assert_eq!(images[0]["triple"], "nvptx64-nvidia-cuda");
    let kernels = images[0]["kernels"].as_array().expect("kernels");
    assert!(kernels.iter().all(|kernel| {
        kernel["name"]
            .as_str()
            .is_some_and(|name| name.starts_with("__omp_offl"))
    }));
    assert!(kernels.len() >= 6, "{kernels:?}");
    let modes = ["SPMD", "generic", "generic-SPMD"];
    assert!(
        kernels
            .iter()
            .all(|kernel| modes.contains(&kernel["mode"].as_str().unwrap_or_default())),
        "{kernels:?}"
    );
    assert!(
        kernels.iter().any(|kernel| kernel["mode"] == "SPMD"),
        "{kernels:?}"
    );
    let globals = images[0]["globals"].as_array().expect("globals");
    assert!(
        globals
            .iter()
            .any(|global| global["name"] == "counter" && global["size"] == 4),
        "{globals:?}"
    );

    let text = omptarget(&["image", program], &[]);
    assert!(text.passed("omptarget image").contains("SPMD"), "{text:?}");
}

#[test]
fn image_of_objects_archives_and_other_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (object, archive) = (path("saxpy.o"), path("libsaxpy.a"));
    omptarget(&["cc", "-c", "examples/saxpy.c", "-o", &object], &[]).passed("omptarget cc -c");
    assert!(
        omptarget(&["image", &object], &[])
            .passed("an object")
            .contains("main_l"),
        "kernel not listed"
    );
    run("ar".as_ref(), &["rcs", &archive, &object], &[]);
    assert!(
        omptarget(&["image", &archive], &[])
            .passed("an archive")
            .contains("saxpy.o"),
        "member not named"
    );
    let none = omptarget(&["image", "/bin/true"], &[]);
    assert!(
        none.passed("no images").contains("no device images"),
        "{none:?}"
    );
    let text = omptarget(&["image", "LICENSE"], &[]);
    assert!(
        text.code == 1 && text.stderr.contains("LICENSE"),
        "{text:?}"
    );
    let absent = omptarget(&["image", "absent"], &[]);
    assert!(
        absent.code == 1 && absent.stderr.contains("absent"),
        "{absent:?}"
    );
}

/// A run fills the cache, clearing empties it, and it can be switched off.
#[test]
fn cache_is_shown_and_cleared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let home = [("XDG_CACHE_HOME", folder.path().to_str().expect("UTF-8"))];
    let says = |arguments: &[&str]| {
        omptarget(arguments, &home)
            .passed("omptarget cache")
            .to_owned()
    };
    assert!(says(&["cache"]).contains(": 0 entries"));
    assert!(says(&["run", "examples/saxpy.c"]).ends_with("PASS\n"));
    assert!(says(&["cache"]).contains(": 1 entries"));
    assert!(says(&["cache", "--clear"]).contains("1 entries removed"));
    assert!(says(&["cache"]).contains(": 0 entries"));
    let off = omptarget(&["cache"], &[home[0], ("OMPTARGET_CACHE", "0")]);
    assert!(
        off.passed("no cache").contains("OMPTARGET_CACHE=0"),
        "{off:?}"
    );
}

#[test]
fn help() {
    for arguments in [
        &["--help"][..],
        &["help"],
        &["help", "cc"],
        &["run", "--help"],
        &["image", "--help"],
    ] {
        let outcome = omptarget(arguments, &[]);
        assert!(
            outcome.passed("help").contains("Usage"),
            "{arguments:?}: {outcome:?}"
        );
    }
}
