//! Runs programs on a library in place of a vendor's (`tests/fake-cuda`, `tests/fake-hsa`): the host runtime, the
//! plugin and that library, as on a machine with such GPUs.

use std::path::{Path, PathBuf};

use crate::{Outcome, dist, run};

/// A library, set up for one program: a folder with it, one with the program's images.
pub struct FakeDriver {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

impl FakeDriver {
    /// Copies what cargo has built as `built` with the tests, under the name that the plugin looks for. Kernels must
    /// run on the device.
    pub(crate) fn new(built: &str, name: &str) -> FakeDriver {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::copy(library(built), at(name)).expect("the library is copied");
        std::fs::create_dir(at("images")).expect("a folder");
        let library_path = folder.path().display().to_string();
        let codegen = dist("libexec/omptarget-codegen").display().to_string();
        let driver = FakeDriver {
            folder,
            environment: Vec::new(),
        };
        driver
            .with("LD_LIBRARY_PATH", &library_path)
            .with("OMPTARGET_CODEGEN", &codegen)
            .with("OMPTARGET_VGPU_MEMORY", "256M")
            .with("OMP_TARGET_OFFLOAD", "MANDATORY")
    }

    /// Extracts the images of a program, so that the library finds their bitcode.
    pub fn with_images_of(self, program: &Path) -> FakeDriver {
        let path = program.to_str().expect("UTF-8");
        let images = self.images().display().to_string();
        let extract = ["image", "--extract", &images, path];
        run(&dist("bin/omptarget"), &extract, &[]).passed("omptarget image --extract");
        self
    }

    /// Gives the library a second name. The dynamic linker loads it once.
    pub(crate) fn also_named(self, name: &str, second: &str) -> FakeDriver {
        let at = self.folder().join(second);
        std::os::unix::fs::symlink(name, at).expect("a link");
        self
    }

    /// Adds a setting (`config.rs` of the library has its own).
    pub fn with(mut self, name: &str, value: &str) -> FakeDriver {
        self.environment.retain(|(own, _)| own != name);
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Its folder, for further files. They are removed with it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the library looks for bitcode.
    pub fn images(&self) -> PathBuf {
        self.folder().join("images")
    }

    /// Runs a program.
    pub fn run(&self, program: &Path, arguments: &[&str]) -> Outcome {
        self.run_with(program, arguments, &[])
    }

    /// The same with these settings for this run alone.
    pub fn run_with(
        &self,
        program: &Path,
        arguments: &[&str],
        settings: &[(&str, &str)],
    ) -> Outcome {
        let own = self.environment.iter();
        let own = own.map(|(name, value)| (name.as_str(), value.as_str()));
        let environment: Vec<_> = own.chain(settings.iter().copied()).collect();
        run(program, arguments, &environment)
    }
}

/// A library that cargo has built with the tests.
fn library(built: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let path = test.with_file_name(built);
    assert!(path.is_file(), "{} is missing", path.display());
    path
}
