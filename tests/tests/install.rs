//! An installed tree, moved to another folder: the command, pkg-config, CMake, Environment Modules, manual pages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use e2e::root;

const MANDATORY: (&str, &str) = ("OMP_TARGET_OFFLOAD", "MANDATORY");

/// What every test installs. The folder's name has a space, and is not the prefix that was given.
struct Installed {
    folder: tempfile::TempDir,
}

impl Installed {
    fn new() -> Installed {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut script = Command::new(root().join("scripts/install"));
        script
            .arg("--destdir")
            .arg(folder.path())
            .arg("/some/prefix");
        succeed(&mut script);
        let installed = Installed { folder };
        std::fs::rename(
            installed.folder.path().join("some/prefix"),
            installed.path(""),
        )
        .expect("the tree may be moved");
        installed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("a prefix").join(name)
    }

    /// A file in a folder of its own, beside the prefix.
    fn work(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join("work");
        std::fs::create_dir_all(&folder).expect("a folder");
        folder.join(name)
    }
}

fn output(command: &mut Command) -> Output {
    let output = command.env(MANDATORY.0, MANDATORY.1).output();
    output.unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn succeed(command: &mut Command) -> String {
    let output = output(command);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}:\n{out}{err}");
    out
}

fn saxpy() -> PathBuf {
    root().join("examples/saxpy.c")
}

/// The file that OpenCL's loader reads names the library where it was installed.
#[test]
fn the_opencl_platform() {
    let installed = Installed::new();
    let library = "lib/omptarget/lib/opencl/libomptarget-opencl.so";
    assert!(installed.path(library).is_file());
    let icd = installed.path("lib/omptarget/etc/OpenCL/vendors/omptarget.icd");
    let named = std::fs::read_to_string(icd).expect("the platform's file");
    assert_eq!(named, format!("/some/prefix/{library}\n"));
}

#[test]
fn the_command_and_its_manual_pages() {
    let installed = Installed::new();
    let command = installed.path("bin/omptarget");
    let says = succeed(Command::new(&command).arg("run").arg(saxpy()));
    assert!(says.contains("PASS"), "{says}");
    let cuda = root().join("examples/vector_add.cu");
    let says = succeed(Command::new(&command).arg("run").arg(cuda));
    assert!(says.contains("PASS"), "{says}");
    for page in ["omptarget.1", "omptarget-run.1", "omptarget-bench-epcc.1"] {
        let page = std::fs::read_to_string(installed.path("share/man/man1").join(page));
        assert!(page.expect("a page").contains(".SH SYNOPSIS"));
    }
    let script = installed.path("share/bash-completion/completions/omptarget");
    let mut bash = Command::new("bash");
    let complete = r#"source "$0"; complete -p omptarget"#;
    let says = succeed(bash.args(["-c", complete]).arg(script));
    assert!(says.contains("_omptarget"), "{says}");
}

#[test]
fn pkg_config() {
    let installed = Installed::new();
    let flags = succeed(
        Command::new("pkg-config")
            .env("PKG_CONFIG_PATH", installed.path("lib/pkgconfig"))
            .args(["--cflags", "omptarget"]),
    );
    // In the output, a backslash stands before the space.
    let flags = flags.trim().replace("\\ ", " ");
    let program = installed.work("saxpy");
    succeed(
        Command::new("clang-22")
            .arg(flags)
            .arg(saxpy())
            .arg("-o")
            .arg(&program),
    );
    assert!(succeed(&mut Command::new(program)).contains("PASS"));
}

const PROJECT: &str = "
cmake_minimum_required(VERSION 3.20)
project(example C CXX)
find_package(OpenMP REQUIRED)
find_package(omptarget 0.1 REQUIRED)
add_library(part STATIC part.cpp)
target_link_libraries(part PRIVATE omptarget::offload)
add_executable(program main.c)
target_link_libraries(program PRIVATE part omptarget::offload OpenMP::OpenMP_C)
";

const PART: &str = r#"
extern "C" int on_device(void) {
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    return sum;
}
"#;

const MAIN: &str = r#"
#include <omp.h>
#include <stdio.h>
int on_device(void);
int main(void) {
    int host = 1;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    printf("%d %d\n", on_device(), host);
}
"#;

fn configure(installed: &Installed, c: &str, cxx: &str) -> Output {
    for (name, text) in [
        ("CMakeLists.txt", PROJECT),
        ("part.cpp", PART),
        ("main.c", MAIN),
    ] {
        std::fs::write(installed.work(name), text).expect("a file of the project");
    }
    output(
        Command::new("cmake")
            .arg("-S")
            .arg(installed.work(""))
            .arg("-B")
            .arg(installed.work("build"))
            .arg(format!("-DCMAKE_C_COMPILER={c}"))
            .arg(format!("-DCMAKE_CXX_COMPILER={cxx}"))
            .arg("-DCMAKE_BUILD_TYPE=Release")
            .arg(format!(
                "-DCMAKE_PREFIX_PATH={}",
                installed.path("").display()
            )),
    )
}

#[test]
fn cmake() {
    let installed = Installed::new();
    let configured = configure(&installed, "clang-22", "clang++-22");
    let says = String::from_utf8_lossy(&configured.stderr);
    assert!(configured.status.success(), "{says}");
    let build = installed.work("build");
    succeed(Command::new("cmake").arg("--build").arg(&build));
    assert_eq!(
        succeed(&mut Command::new(build.join("program"))),
        "4950 0\n"
    );
}

#[test]
fn cmake_with_another_compiler() {
    let installed = Installed::new();
    let configured = configure(&installed, "gcc", "g++");
    let says = String::from_utf8_lossy(&configured.stderr);
    assert!(!configured.status.success(), "{says}");
    let says = says.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(says.contains("omptarget needs clang 22 or newer"), "{says}");
    assert!(says.contains("-DCMAKE_C_COMPILER=clang-22"), "{says}");
}

#[test]
fn environment_modules() {
    let installed = Installed::new();
    let modules = installed.path("share/modulefiles");
    let load = "source /etc/profile.d/modules.sh && module use \"$0\" && module load omptarget && \
                command -v omptarget && echo \"$OMPTARGET_ROOT\" && echo \"${MANPATH%%:*}\"";
    let says = succeed(Command::new("bash").args(["-c", load]).arg(&modules));
    let lines: Vec<&Path> = says.lines().map(Path::new).collect();
    let expected = [
        installed.path("bin/omptarget"),
        installed.path("lib/omptarget"),
        installed.path("share/man"),
    ];
    assert_eq!(lines, expected.iter().collect::<Vec<_>>());
}

#[test]
fn a_wrong_prefix_is_refused() {
    let mut script = Command::new(root().join("scripts/install"));
    let refused = output(script.arg("relative/prefix"));
    assert_eq!(refused.status.code(), Some(2));
    let says = String::from_utf8_lossy(&refused.stderr);
    assert!(
        says.contains("relative/prefix is not an absolute path"),
        "{says}"
    );
}
