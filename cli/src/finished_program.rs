//! Programs that others compiled: by which settings they run with CUDA's libraries of the built tree.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use object::{Object, ObjectKind, ObjectSymbol};
use omptarget_driver::{Failure, Result, dist};
use static_runtime::file::Content;
use static_runtime::found::StaticRuntime;

/// Where a program has CUDA's functions from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cuda {
    /// NVIDIA's runtime library is in it.
    InProgram,
    /// From shared libraries.
    Shared,
    /// It has none.
    Nowhere,
}

/// Whether a file is a program, rather than something to make one of.
pub fn is_program(file: &Path) -> bool {
    let Ok(content) = Content::of(file) else {
        return false;
    };
    object::File::parse(&*content).is_ok_and(|file| {
        // A shared library has none, and neither has an object.
        let has_interpreter = file.section_by_name(".interp").is_some();
        has_interpreter && [ObjectKind::Executable, ObjectKind::Dynamic].contains(&file.kind())
    })
}

/// What a program is started with that needs CUDA's libraries (docs/cuda-driver.md).
pub fn settings(program: &Path) -> Result<Vec<(&'static str, OsString)>> {
    let content = Content::of(program).map_err(Failure::system(format!(
        "cannot read {}",
        program.display()
    )))?;
    Ok(match cuda(&content) {
        Cuda::InProgram => vec![libraries()?, preloaded()?],
        Cuda::Shared => vec![libraries()?],
        Cuda::Nowhere => Vec::new(),
    })
}

/// The same for a program whose shared libraries are its own business.
pub fn settings_of_static(program: &Path) -> Result<Vec<(&'static str, OsString)>> {
    match Content::of(program).map(|content| cuda(&content)) {
        Ok(Cuda::InProgram) => settings(program),
        // What cannot be read is found by the search path, or not at all.
        Ok(_) | Err(_) => Ok(Vec::new()),
    }
}

/// A program in this folder needs no `./`.
pub fn path(program: &OsStr) -> PathBuf {
    let path = Path::new(program);
    match path.components().count() == 1 && path.is_file() {
        true => Path::new(".").join(path),
        false => path.to_owned(),
    }
}

fn cuda(content: &[u8]) -> Cuda {
    if StaticRuntime::in_file(content).is_some() {
        return Cuda::InProgram;
    }
    let Ok(file) = object::File::parse(content) else {
        return Cuda::Nowhere;
    };
    let mut imported = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_undefined());
    match imported.any(|symbol| symbol.name().is_ok_and(is_cudas)) {
        true => Cuda::Shared,
        false => Cuda::Nowhere,
    }
}

/// Whether a function is of CUDA's runtime or driver interface.
fn is_cudas(name: &str) -> bool {
    let rest = name.strip_prefix("cu").unwrap_or_default();
    name.starts_with("__cuda")
        || rest.starts_with("da")
        || rest.starts_with(|letter: char| letter.is_ascii_uppercase())
}

/// Where the dynamic linker looks first.
fn libraries() -> Result<(&'static str, OsString)> {
    with("LD_LIBRARY_PATH", dist::file("lib/cuda")?)
}

/// What it loads before the program's libraries.
fn preloaded() -> Result<(&'static str, OsString)> {
    with("LD_PRELOAD", dist::file("lib/cuda/libcudart.so.12")?)
}

/// A variable with a path in front of what it holds.
fn with(variable: &'static str, path: PathBuf) -> Result<(&'static str, OsString)> {
    let mut value = path.into_os_string();
    if let Some(others) = std::env::var_os(variable).filter(|others| !others.is_empty()) {
        value.push(":");
        value.push(others);
    }
    Ok((variable, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_on_the_path_stay_there() {
        assert_eq!(path("ls".as_ref()), Path::new("ls"));
        assert_eq!(path("/bin/ls".as_ref()), Path::new("/bin/ls"));
        assert_eq!(path("Cargo.toml".as_ref()), Path::new("./Cargo.toml"));
    }

    #[test]
    fn this_is_a_program_without_cuda() {
        let own = std::env::current_exe().expect("it has a path");
        assert!(is_program(&own) && !is_program(Path::new("Cargo.toml")));
        assert_eq!(settings(&own).expect("it is readable"), []);
    }

    #[test]
    fn functions_of_cuda() {
        for name in ["cudaMalloc", "__cudaRegisterFatBinary", "cuInit"] {
            assert!(is_cudas(name), "{name}");
        }
        for name in ["curl_easy_init", "cupsGetDests", "custom", "malloc"] {
            assert!(!is_cudas(name), "{name}");
        }
    }
}
