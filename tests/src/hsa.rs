//! The HSA runtime of `tests/fake-hsa` for a test.

use std::path::Path;

use crate::fake_driver::FakeDriver;
use crate::{Binary, dist};

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
    let runtime = FakeDriver::new("libfake_hsa.so", "libhsa-runtime64.so.1");
    let images = runtime.images().display().to_string();
    let services = dist("lib/amdgcn-amd-amdhsa/libompservices.a");
    runtime
        .with("FAKE_HSA_BITCODE", &images)
        .with("FAKE_HSA_SERVICES", &services.display().to_string())
        .with("OMPTARGET_DEVICES", "amdgpu")
}
