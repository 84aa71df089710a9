//! The CUDA driver of `tests/fake-cuda` for a test.

use std::path::Path;
use std::process::Command;

use crate::fake_driver::FakeDriver;
use crate::{Binary, dist};

/// The driver's name.
pub(crate) const LIBRARY: &str = "libcuda.so.1";

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
    set_up(FakeDriver::new("libfake_cuda.so", LIBRARY)).with("OMPTARGET_DEVICES", "cuda")
}

/// NVIDIA's assembler must accept PTX that a test has made. A GPU's driver says so itself.
pub fn assemble(ptx: &str, architecture: &str) {
    if crate::ir::wants_nvidia_gpu() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("text.ptx");
    std::fs::write(&source, ptx).expect("the PTX is written");
    let output = Command::new(dist("tools/ptxas"))
        .args(["-O0", "-arch", architecture, "-o"])
        .arg(folder.path().join("code.cubin"))
        .arg(&source)
        .output()
        .expect("ptxas runs");
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{says}");
}

/// Tells the driver where it finds what it needs.
pub(crate) fn set_up(driver: FakeDriver) -> FakeDriver {
    let images = driver.images().display().to_string();
    driver.with("FAKE_CUDA_BITCODE", &images).with(
        "FAKE_CUDA_PTXAS",
        &dist("tools/ptxas").display().to_string(),
    )
}
