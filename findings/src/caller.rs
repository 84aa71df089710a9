//! Where in the program a routine of a run-time library is called.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use parking_lot::Mutex;
use plugin_api::SourceLocation;

use crate::finding::Note;

/// Frames of the calling thread that are looked at.
const FRAMES: usize = 32;

/// An address of a loaded object.
struct Place {
    file: PathBuf,
    base: usize,
}

/// `routine`, with the place that calls the library in which this code is. The place is unknown without debug
/// information, and where the library is linked into the program.
pub fn caller(routine: &str) -> Note {
    Note {
        text: routine.to_owned(),
        location: return_address().and_then(location),
    }
}

/// The first return address outside of the object that has this function.
fn return_address() -> Option<usize> {
    let own = object(return_address as *const () as usize)?.base;
    let mut frames = [std::ptr::null_mut::<c_void>(); FRAMES];
    // SAFETY: the array has room for as many addresses.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), FRAMES as i32) };
    let frames = frames.iter().take(usize::try_from(count).unwrap_or(0));
    // The call stands before the return address.
    let mut calls = frames.map(|&address| (address as usize).wrapping_sub(1));
    calls.find(|&call| object(call).is_none_or(|object| object.base != own))
}

/// The loaded object that an address lies in.
fn object(address: usize) -> Option<Place> {
    let mut information = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: dladdr takes any address, and fills the structure if it returns another number than 0.
    let information = unsafe {
        match libc::dladdr(address as *const c_void, information.as_mut_ptr()) {
            0 => return None,
            _ => information.assume_init(),
        }
    };
    // SAFETY: the name is a string that lives as long as the object is loaded.
    let name = unsafe { CStr::from_ptr(information.dli_fname) };
    Some(Place {
        file: Path::new(&*name.to_string_lossy()).to_owned(),
        base: information.dli_fbase as usize,
    })
}

/// The place in the source, looked up once for each address.
fn location(address: usize) -> Option<SourceLocation> {
    static KNOWN: LazyLock<Mutex<HashMap<usize, Option<SourceLocation>>>> =
        LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock();
    known
        .entry(address)
        .or_insert_with(|| look_up(address))
        .clone()
}

fn look_up(address: usize) -> Option<SourceLocation> {
    let object = object(address)?;
    // The name of a program is as it was called, which no path may lead to.
    let file = match object.file.is_file() {
        true => object.file,
        false => PathBuf::from("/proc/self/exe"),
    };
    let loader = addr2line::Loader::new(file).ok()?;
    // A program that is not position-independent has the addresses of its file.
    let relative = address.wrapping_sub(object.base) as u64;
    [relative, address as u64].into_iter().find_map(|probe| {
        let location = loader.find_location(probe).ok()??;
        let function = loader.find_symbol(probe).unwrap_or_default();
        Some(SourceLocation {
            file: location.file?.to_owned(),
            line: location.line?,
            column: 0,
            // A mangled name helps nobody.
            function: if function.starts_with("_Z") {
                ""
            } else {
                function
            }
            .to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a test the library is linked into the program, so that the caller of the whole program is the first outside.
    #[test]
    fn a_routine_is_named() {
        assert_eq!(caller("omp_target_alloc").text, "omp_target_alloc");
    }

    #[test]
    fn an_address_of_this_file_is_found() {
        let here = an_address_of_this_file_is_found as *const () as usize;
        let location = look_up(here).expect("tests have debug information");
        assert!(location.file.ends_with("caller.rs"), "{location:?}");
    }
}
