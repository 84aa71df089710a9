//! Runs programs on the CUDA driver of `tests/fake-cuda`: the host runtime, `plugin-cuda` and that library, as on a
//! machine with NVIDIA GPUs.

use std::path::{Path, PathBuf};

use crate::{Binary, Outcome, dist, run};

/// The driver, set up for one program: a folder with `libcuda.so.1`, one with the program's images.
pub struct FakeDriver {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

impl FakeDriver {
    /// A driver for a program. Kernels must run on the device.
    pub fn of(program: &Binary) -> FakeDriver {
        FakeDriver::of_file(&program.path)
    }

    /// The same for the program at a path.
    pub fn of_file(program: &Path) -> FakeDriver {
        let driver = FakeDriver::without_images();
        let path = program.to_str().expect("UTF-8");
        let images = driver.folder.path().join("images");
        let images = images.to_str().expect("UTF-8");
        let extract = ["image", "--extract", images, path];
        run(&dist("bin/omptarget"), &extract, &[]).passed("omptarget image --extract");
        driver
    }

    /// A driver for no program in particular.
    pub fn without_images() -> FakeDriver {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::copy(library(), at("libcuda.so.1")).expect("the driver is copied");
        std::fs::create_dir(at("images")).expect("a folder");
        let own = |name: &str, value: String| (name.to_owned(), value);
        let environment = vec![
            own("LD_LIBRARY_PATH", at("")),
            own("FAKE_CUDA_BITCODE", at("images")),
            own("FAKE_CUDA_PTXAS", dist("tools/ptxas").display().to_string()),
            own(
                "OMPTARGET_CODEGEN",
                dist("libexec/omptarget-codegen").display().to_string(),
            ),
            own("OMPTARGET_DEVICES", "cuda".into()),
            own("OMPTARGET_VGPU_MEMORY", "256M".into()),
            own("OMP_TARGET_OFFLOAD", "MANDATORY".into()),
        ];
        FakeDriver {
            folder,
            environment,
        }
    }

    /// Adds a setting (`tests/fake-cuda/src/config.rs` has the driver's).
    pub fn with(mut self, name: &str, value: &str) -> FakeDriver {
        self.environment.retain(|(own, _)| own != name);
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Its folder, for further files. They are removed with it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a program.
    pub fn run(&self, program: &Path, arguments: &[&str]) -> Outcome {
        let environment: Vec<(&str, &str)> = self
            .environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        run(program, arguments, &environment)
    }
}

/// The driver's library, which cargo has built with the tests.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let path = test.with_file_name("libfake_cuda.so");
    assert!(path.is_file(), "{} is missing", path.display());
    path
}
