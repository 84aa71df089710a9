//! Whether it is NVIDIA's runtime library that calls a function of the driver's.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::file::Content;
use crate::found::{Release, StaticRuntime, has_symbols, registers_its_own_kernels};
use crate::loaded::Program;

/// What calls.
#[derive(Debug, PartialEq, Eq)]
pub struct Asker {
    /// Its file.
    pub path: PathBuf,
    /// Whether that is the program, rather than a shared library.
    pub is_program: bool,
    /// What it has to do with NVIDIA's runtime library.
    pub kind: Kind,
}

/// What an object of the process has to do with NVIDIA's runtime library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is that library.
    Shared,
    /// It has that library in it, and the call comes from there.
    Static(Release),
    /// It has a runtime library in it, and its symbols are gone.
    Stripped,
    /// Nothing that can be seen.
    Other,
}

/// Who calls, by the address that the call returns to.
pub fn of_call(returns_to: usize) -> Option<Asker> {
    let program = Program::of_process()?;
    let is_program = program.has_code(&(returns_to..returns_to + 1));
    let (path, base) = match is_program {
        true => (std::fs::read_link("/proc/self/exe").ok()?, program.base),
        // A shared library's addresses begin with 0.
        false => object_at(returns_to)?,
    };
    let name = path.file_name().unwrap_or_default();
    let kind = match name.as_bytes().starts_with(b"libcudart.so") {
        true => Kind::Shared,
        false => kind(&Content::of(&path).ok()?, (returns_to - base) as u64),
    };
    Some(Asker {
        path,
        is_program,
        kind,
    })
}

/// The file of the shared library that an address belongs to, and where it begins in memory.
pub fn object_at(address: usize) -> Option<(PathBuf, usize)> {
    // SAFETY: plain data, for which zeros are right.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the place is valid.
    let found = unsafe { libc::dladdr(address as *const _, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker gives a string.
    let name = unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes();
    let path = Path::new(OsStr::from_bytes(name)).to_owned();
    Some((path, info.dli_fbase as usize))
}

/// What has such a file, in which the call returns to an address.
fn kind(content: &[u8], returns_to: u64) -> Kind {
    match StaticRuntime::in_file(content) {
        Some(runtime) if runtime.code.contains(&returns_to) => Kind::Static(runtime.release),
        None if registers_its_own_kernels(content) && !has_symbols(content) => Kind::Stripped,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_this_program() {
        let here = a_call_of_this_program as *const () as usize;
        let asker = of_call(here).expect("it is somebody");
        assert!(asker.is_program && asker.kind == Kind::Other);
        assert_eq!(Some(asker.path), std::env::current_exe().ok());
    }

    #[test]
    fn a_call_of_a_library() {
        let there = libc::dladdr as *const () as usize;
        let asker = of_call(there).expect("it is somebody");
        assert!(!asker.is_program && asker.kind == Kind::Other, "{asker:?}");
        assert_eq!(of_call(16), None);
    }
}
