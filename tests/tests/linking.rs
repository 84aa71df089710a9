//! Ways to build a program: separate compilation, static archives, shared libraries, any folder.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use e2e::{Build, Mode, clang, dist, root, run};

const MANDATORY: [(&str, &str); 1] = [("OMP_TARGET_OFFLOAD", "MANDATORY")];

fn config() -> String {
    format!("--config={}", dist("etc/omptarget.cfg").display())
}

fn program(name: &str) -> String {
    root()
        .join("tests/programs")
        .join(name)
        .display()
        .to_string()
}

fn compile(cxx: bool, folder: &Path, arguments: &[&str]) {
    let mut all = vec![OsString::from(config())];
    all.extend(arguments.iter().map(OsString::from));
    clang(cxx, &all, folder);
}

fn archive(folder: &Path, name: &str, members: &[&str]) {
    let status = Command::new("ar")
        .arg("rcs")
        .arg(name)
        .args(members)
        .current_dir(folder)
        .status();
    assert!(status.expect("`ar` (binutils) runs").success());
}

#[test]
fn separate_compilation_with_debug_information() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (unit, source) in [("a.o", "link.c"), ("b.o", "link_other.c")] {
        compile(
            false,
            folder.path(),
            &["-g", "-O2", "-DOFFLOAD", "-c", &program(source), "-o", unit],
        );
    }
    compile(
        false,
        folder.path(),
        &["-g", "-O2", "a.o", "b.o", "-o", "program"],
    );
    let outcome = run(&folder.path().join("program"), &[], &MANDATORY);
    assert_eq!(outcome.passed("link.c + link_other.c"), "PASS\n");
}

/// A program, an archive and a shared library, each with target regions; the library is loaded twice.
#[test]
fn archive_and_shared_library() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for level in ["-O0", "-O2"] {
        let library = folder.path().join("libshared.so").display().to_string();
        compile(
            false,
            folder.path(),
            &[level, "-c", &program("library_archive.c"), "-o", "member.o"],
        );
        archive(folder.path(), "libmember.a", &["member.o"]);
        compile(
            true,
            folder.path(),
            &[
                level,
                "-shared",
                "-fPIC",
                &program("library_shared.cpp"),
                "-o",
                &library,
            ],
        );
        compile(
            false,
            folder.path(),
            &[
                level,
                "-DOFFLOAD",
                &program("library.c"),
                "-L.",
                "-lmember",
                "-ldl",
                "-o",
                "program",
            ],
        );
        let outcome = run(&folder.path().join("program"), &[&library], &MANDATORY);
        assert_eq!(outcome.passed(&format!("library.c {level}")), "PASS\n");
        std::fs::remove_file(folder.path().join("libmember.a")).expect("the archive is there");
    }
}

/// Linked at start-up instead of loaded by hand: the library's image is registered before main.
#[test]
fn linked_shared_library() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let main = folder.path().join("main.c");
    let text = "int shared_sum(int); int shared_count(void);\n\
                int main(void) { return !(shared_sum(10) == 90 && shared_sum(3) == 6 && shared_count() == 2); }\n";
    std::fs::write(&main, text).expect("the file is written");
    compile(
        true,
        folder.path(),
        &[
            "-O1",
            "-shared",
            "-fPIC",
            &program("library_shared.cpp"),
            "-o",
            "libshared.so",
        ],
    );
    compile(
        false,
        folder.path(),
        &[
            "main.c",
            "-L.",
            "-lshared",
            "-Wl,-rpath,$ORIGIN",
            "-o",
            "program",
        ],
    );
    run(&folder.path().join("program"), &[], &MANDATORY)
        .passed("a program linked with a library that offloads");
}

/// `dist/` works after it was moved, also to a path with spaces.
#[test]
fn moved_to_a_path_with_spaces() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("a place with spaces");
    let source = dist("etc/omptarget.cfg");
    let dist = source.ancestors().nth(2).expect("dist");
    std::fs::create_dir(&place).expect("a folder");
    let mut copy = Command::new("cp");
    for part in ["bin", "etc", "lib", "libexec", "cuda-stub"] {
        copy.arg(dist.join(part));
    }
    assert!(
        copy.arg("-rt")
            .arg(&place)
            .status()
            .is_ok_and(|status| status.success())
    );
    std::fs::copy(root().join("examples/saxpy.c"), place.join("my saxpy.c")).expect("copied");
    let config = OsString::from(format!(
        "--config={}",
        place.join("etc/omptarget.cfg").display()
    ));
    clang(
        false,
        &[
            config,
            "-O2".into(),
            "my saxpy.c".into(),
            "-o".into(),
            "my saxpy".into(),
        ],
        &place,
    );
    let outcome = run(&place.join("my saxpy"), &[], &MANDATORY);
    assert_eq!(outcome.passed("saxpy from a moved dist"), "PASS\n");
}

/// The usual modes of the compiler give no warning with the configuration file.
#[test]
fn no_warnings() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let saxpy = root().join("examples/saxpy.c").display().to_string();
    for flags in [
        &["-c"][..],
        &["-S"],
        &["-E", "-o", "out.i"],
        &["-fsyntax-only"],
        &["-c", "-g", "-O3"],
        &["-M", "-MF", "d"],
    ] {
        let mut arguments = flags.to_vec();
        arguments.push(&saxpy);
        compile(false, folder.path(), &arguments);
    }
    // Files without target regions, too.
    std::fs::write(
        folder.path().join("plain.c"),
        "int main(void) { return 0; }\n",
    )
    .expect("written");
    compile(false, folder.path(), &["plain.c", "-o", "plain"]);
    run(&folder.path().join("plain"), &[], &MANDATORY).passed("a program without target regions");
}

/// Objects of one program may be compiled at different levels and partly without offload.
#[test]
fn mixed_objects() {
    let build = Build::new(&["examples/heartwall.c"]);
    let object = build.folder().join("kernel.o").display().to_string();
    let kernel = root()
        .join("examples/heartwall_kernel.c")
        .display()
        .to_string();
    compile(
        false,
        build.folder(),
        &["-O0", "-c", &kernel, "-o", &object],
    );
    let outcome = build
        .flags(&[&object])
        .compile(Mode::Offload("-O3"))
        .run(&[]);
    assert!(
        outcome
            .passed("heartwall of mixed objects")
            .ends_with("PASS\n")
    );
}

/// A program that clang 19 linked asks for libomptarget.so.19.1; the two names have the same length, so that one
/// becomes the other.
#[test]
fn linked_by_clang_19() {
    for mode in [Mode::Offload("-O1"), Mode::HostDevice] {
        let binary = Build::new(&["examples/saxpy.c"]).compile(mode);
        let mut bytes = std::fs::read(&binary.path).expect("a program");
        let (ours, older) = (b"libomptarget.so.22.1", b"libomptarget.so.19.1");
        let places = bytes.windows(ours.len()).enumerate();
        let found = places.filter(|(_, name)| name == ours);
        let found: Vec<usize> = found.map(|(at, _)| at).collect();
        assert!(!found.is_empty(), "the program names the library");
        for at in found {
            bytes[at..][..older.len()].copy_from_slice(older);
        }
        std::fs::write(&binary.path, bytes).expect("written");
        let outcome = binary.run(&[]);
        assert_eq!(
            outcome.passed("a program that needs libomptarget.so.19.1"),
            "PASS\n"
        );
    }
}

/// Several libraries with the same symbols and a device global each, opened and closed in any order.
#[test]
fn libraries_closed_in_any_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["liba.so", "libb.so", "libc.so"] {
        let source = program("library_shared.cpp");
        let words = ["-O1", "-shared", "-fPIC", &source, "-o", name];
        compile(true, folder.path(), &words);
    }
    let words = [
        "-O1",
        "-DOFFLOAD",
        &program("library_order.c"),
        "-ldl",
        "-o",
        "order",
    ];
    compile(false, folder.path(), &words);
    let libraries = ["liba.so", "libb.so", "libc.so"]
        .map(|name| folder.path().join(name).display().to_string());
    let arguments = libraries.each_ref().map(String::as_str);
    let outcome = run(&folder.path().join("order"), &arguments, &MANDATORY);
    assert_eq!(outcome.passed("library_order.c"), "PASS\n");
}
