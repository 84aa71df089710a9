//! Compiles a package of kernels.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, Result, Toolchain};

/// The target of kernels.
const TARGET: &str = "nvptx64-nvidia-cuda";

/// Options of the compiler for everything that is linked into kernels, `core` included. MIR's jump threading may
/// duplicate barriers, so it is off. A panic is a trap, without code to format it. rustc links nothing: the image is
/// the bitcode that its link-time optimisation leaves, and `true` is a linker that does nothing.
const RUSTFLAGS: &str =
    "-Zunstable-options -Cpanic=immediate-abort -Zmir-enable-passes=-JumpThreading -Clinker=true";

/// Cargo's settings. Bitcode of the whole program in one unit, with the source lines that reports of faults name.
const PROFILE: [&str; 4] = [
    "profile.release.lto=\"fat\"",
    "profile.release.codegen-units=1",
    "profile.release.debug=\"line-directives-only\"",
    "profile.release.incremental=false",
];

/// What cargo sets for build scripts, and what would change how kernels are compiled.
const FOREIGN: [&str; 7] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_MAKEFLAGS",
    "MAKEFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// A package of kernels to compile.
#[derive(Clone, Debug)]
pub struct Kernels {
    folder: PathBuf,
    output: PathBuf,
    target: PathBuf,
    reports: bool,
}

impl Kernels {
    /// The package in `folder`. Images go to the folder `output`, and what is built for them to the folder `target`,
    /// which several packages may share: they share `core` then.
    pub fn new(
        folder: impl AsRef<Path>,
        output: impl AsRef<Path>,
        target: impl AsRef<Path>,
    ) -> Kernels {
        Kernels {
            folder: folder.as_ref().to_owned(),
            output: output.as_ref().to_owned(),
            target: target.as_ref().to_owned(),
            reports: false,
        }
    }

    /// The package in `folder`, which is relative to the package whose build script calls this. cargo is told what the
    /// image depends on.
    pub fn of_build_script(folder: impl AsRef<Path>) -> Result<Kernels> {
        let variable = |name| std::env::var_os(name).ok_or(Error::NoBuildScript(name));
        let output = PathBuf::from(variable("OUT_DIR")?);
        let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
        let target = shared_target(&output).unwrap_or(&output);
        Ok(Kernels {
            reports: true,
            ..Kernels::new(root.join(folder), &output, target.join("omptarget-kernels"))
        })
    }

    /// Compiles the package to `NAME.bc`, whose path it returns, with the Rust that [`Toolchain::find`] finds.
    pub fn compile(&self, name: &str) -> Result<PathBuf> {
        let manifest = self.folder.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(Error::NoPackage(self.folder.clone()));
        }
        if self.reports {
            for variable in ["OMPTARGET_DEVICE_RUSTC", "OMPTARGET_DEVICE_CARGO"] {
                println!("cargo::rerun-if-env-changed={variable}");
            }
            println!("cargo::rerun-if-changed={}", self.folder.display());
        }
        let toolchain = Toolchain::find()?;
        let made = self.made();
        for folder in made.parent().into_iter().chain([&*self.output]) {
            std::fs::create_dir_all(folder)
                .map_err(Error::system(format!("cannot make {}", folder.display())))?;
        }
        let output = self
            .command(&toolchain, &manifest, &made)
            .output()
            .map_err(Error::system(format!(
                "cannot start {}",
                toolchain.cargo.display()
            )))?;
        if !output.status.success() {
            return Err(Error::Compile {
                folder: self.folder.clone(),
                output: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        let image = self.output.join(format!("{name}.bc"));
        std::fs::copy(&made, &image)
            .map_err(Error::system(format!("cannot copy {}", made.display())))?;
        Ok(image)
    }

    /// Where the compiler leaves the bitcode: beside what cargo knows of it, so that neither is there without the
    /// other.
    fn made(&self) -> PathBuf {
        let folder = self.folder.canonicalize();
        let mut hash = DefaultHasher::new();
        folder
            .unwrap_or_else(|_| self.folder.clone())
            .hash(&mut hash);
        let name = format!("{:016x}.bc", hash.finish());
        self.target.join("images").join(name)
    }

    fn command(&self, toolchain: &Toolchain, manifest: &Path, image: &Path) -> Command {
        let mut command = Command::new(&toolchain.cargo);
        for variable in FOREIGN {
            command.env_remove(variable);
        }
        command
            .env("RUSTC", &toolchain.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", RUSTFLAGS)
            .env("CARGO_TARGET_DIR", &self.target)
            .args(["rustc", "--quiet", "--release", "--lib", "-Zbuild-std=core"])
            .args(["--target", TARGET, "--manifest-path"])
            .arg(manifest);
        for setting in PROFILE {
            command.args(["--config", setting]);
        }
        command
            .arg("--")
            .arg(format!("--emit=llvm-bc={}", image.display()));
        command
    }
}

/// cargo's folder of everything that it builds, which has this mark.
fn shared_target(output: &Path) -> Option<&Path> {
    output
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_package_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let kernels = Kernels::new(at("kernels"), at("out"), at("target"));
        let error = kernels.compile("kernels").unwrap_err();
        assert!(
            matches!(&error, Error::NoPackage(path) if *path == at("kernels")),
            "{error}"
        );
    }

    #[test]
    fn packages_share_what_is_built_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("debug/build/program-0123/out");
        std::fs::create_dir_all(&output).unwrap();
        assert_eq!(shared_target(&output), None);
        std::fs::write(folder.path().join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(shared_target(&output), Some(folder.path()));
    }
}
