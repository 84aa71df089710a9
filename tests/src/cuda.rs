//! The CUDA driver of `tests/fake-cuda` for a test.

use std::path::Path;

use crate::fake_driver::FakeDriver;
use crate::{Binary, dist};

/// A driver for a program.
pub fn driver_for(program: &Binary) -> FakeDriver {
    driver_for_file(&program.path)
}

/// The same for the program at a path.
pub fn driver_for_file(program: &Path) -> FakeDriver {
    driver().with_images_of(program)
}

/// A driver for no program in particular.
pub fn driver() -> FakeDriver {
    let driver = FakeDriver::new("libfake_cuda.so", "libcuda.so.1");
    let images = driver.images().display().to_string();
    driver
        .with("FAKE_CUDA_BITCODE", &images)
        .with(
            "FAKE_CUDA_PTXAS",
            &dist("tools/ptxas").display().to_string(),
        )
        .with("OMPTARGET_DEVICES", "cuda")
}
