//! Projects whose CUDA language is compiled by `nvcc`, the compiler that CMake looks for.

use std::path::Path;
use std::process::{Command, Output};

use e2e::{dist, root};

/// Units that call each other's device functions, device code linked by itself, a library of complete objects, a host
/// unit and links by the host's compiler.
const PROJECT: &str = "
cmake_minimum_required(VERSION 3.20)
project(example LANGUAGES CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
add_executable(units ${SOURCES}/units.cu ${SOURCES}/units_device.cu ${SOURCES}/units_host.cpp)
set_target_properties(units PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(units PRIVATE CUDA::cudart)
file(WRITE ${CMAKE_BINARY_DIR}/main.cpp \"int run(); int main() { return run(); }\")
add_library(part STATIC ${SOURCES}/arithmetic.cu)
target_compile_definitions(part PRIVATE main=run)
add_executable(whole ${CMAKE_BINARY_DIR}/main.cpp)
target_link_libraries(whole PRIVATE part)
";

#[test]
fn nvcc_of_a_project() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("CMakeLists.txt"), PROJECT).expect("a project");
    let build = folder.path().join("build");
    let nvcc = dist("cuda-stub/bin/nvcc");
    let setting = |name: &str, path: &Path| format!("-D{name}={}", path.display());
    succeed(
        Command::new("cmake")
            .arg("-S")
            .arg(folder.path())
            .arg("-B")
            .arg(&build)
            .arg(setting("CMAKE_CUDA_COMPILER", &nvcc))
            .arg(setting("CMAKE_BUILD_RPATH", &dist("lib/cuda")))
            .arg(setting("SOURCES", &root().join("tests/programs/cuda")))
            .arg("-DCMAKE_CUDA_ARCHITECTURES=80")
            .arg("-DCMAKE_CUDA_FLAGS=--cuda-headers=own"),
    );
    succeed(Command::new("cmake").arg("--build").arg(&build));
    for program in ["units", "whole"] {
        let outcome = e2e::run(&build.join(program), &[], &[]);
        assert_eq!(outcome.passed(program), "PASS\n");
    }
}

fn succeed(command: &mut Command) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("CMake starts");
    let [said, why] = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(status.success(), "{command:?}\n{said}\n{why}");
}

#[test]
fn a_link_of_device_code_that_lacks_an_object() {
    let arguments = ["-dlink", "missing.o", "-o", "linked.o"];
    let outcome = e2e::run(&dist("cuda-stub/bin/nvcc"), &arguments, &[]);
    assert_ne!(outcome.code, 0);
    let expected = "missing.o: it does not exist";
    assert!(outcome.stderr.contains(expected), "{outcome:?}");
}
