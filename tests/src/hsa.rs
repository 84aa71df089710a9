//! The HSA runtime of `tests/fake-hsa` for a test.

use std::path::Path;

use crate::fake_driver::FakeDriver;
use crate::{Binary, Build, Mode, cuda, dist};

/// The runtime's name.
const LIBRARY: &str = "libhsa-runtime64.so.1";

/// A runtime for a program.
pub fn runtime_for(program: &Binary) -> FakeDriver {
    runtime_for_file(&program.path)
}

/// The same for the program at a path.
pub fn runtime_for_file(program: &Path) -> FakeDriver {
    runtime().with_images_of(program)
}

/// A runtime for no program in particular.
pub fn runtime() -> FakeDriver {
    set_up(FakeDriver::new("libfake_hsa.so", LIBRARY)).with("OMPTARGET_DEVICES", "amdgpu")
}

/// The runtime and the driver of `tests/fake-cuda` for a program with images for both makers, in one library
/// (`tests/fake-gpus`).
pub fn beside_cuda_for(program: &Binary) -> FakeDriver {
    let both = FakeDriver::new("libfake_gpus.so", LIBRARY).also_named(LIBRARY, cuda::LIBRARY);
    set_up(cuda::set_up(both))
        .with("OMPTARGET_DEVICES", "cuda,amdgpu")
        .with_images_of(&program.path)
}

/// Tells the runtime where it finds what it needs.
fn set_up(runtime: FakeDriver) -> FakeDriver {
    let images = runtime.images().display().to_string();
    let services = dist("lib/amdgcn-amd-amdhsa/libompservices.a");
    runtime
        .with("FAKE_HSA_BITCODE", &images)
        .with("FAKE_HSA_SERVICES", &services.display().to_string())
}

/// A program with a kernel that allocates and prints, and a runtime that knows its bitcode. `TEST_IMAGE` is the path of
/// the image, `TEST_KERNEL` the kernel's name.
pub fn with_kernel() -> (Binary, FakeDriver) {
    let sources = ["tests/programs/services.c"];
    let program = Build::new(&sources).compile(Mode::Amd("gfx90a", "-O2"));
    let runtime = runtime_for(&program);
    let image = runtime.images().join("0.gfx90a.bc").display().to_string();
    let runtime = runtime
        .with("TEST_IMAGE", &image)
        .with("TEST_KERNEL", &kernel_of(&program));
    (program, runtime)
}

/// The name of the program's kernel, from among those that contain it.
fn kernel_of(program: &Binary) -> String {
    let bytes = std::fs::read(&program.path).expect("the program is there");
    let text = String::from_utf8_lossy(&bytes);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut words = text.split(|letter| !is_name(letter));
    let found = words.find_map(|word| {
        let start = word.rfind("__omp_offloading_")?;
        word[start..].split_once("_main_l")
    });
    let (begin, line) = found.expect("a kernel");
    let line: String = line.chars().take_while(char::is_ascii_digit).collect();
    format!("{begin}_main_l{line}")
}
