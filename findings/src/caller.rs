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

/// Folders of headers that have functions around the library's, and whose code accesses memory for others.
const WRAPPERS: [&str; 4] = [
    "/cuda-stub/include/",
    "/cuda-headers/",
    "/hip/include/",
    "/include/c++/",
];

/// How the names of libraries begin whose functions access memory for their callers.
const LANGUAGE: [&str; 6] = [
    "libc.so",
    "libm.so",
    "libmvec.so",
    "libstdc++.so",
    "libc++.so",
    "libpthread.so",
];

/// An address of a loaded object.
struct Place {
    file: PathBuf,
    base: usize,
    /// The exported function that it lies in.
    function: Option<String>,
}

/// The routine of the library in which this code is that the program has called, with the place of the call. Without
/// debug information, and where the library is linked into the program, the place is unknown. A function that is not
/// exported by its plain name is called `routine`.
pub fn caller(routine: &str) -> Note {
    let (function, calls) = entry().unwrap_or_default();
    Note {
        text: function.unwrap_or_else(|| routine.to_owned()),
        location: outside_of_wrappers(&calls),
    }
}

/// The place of the innermost call that is not in a header which wraps the library's functions. Without optimisation
/// such a function has a frame of its own.
fn outside_of_wrappers(calls: &[usize]) -> Option<SourceLocation> {
    let places = || calls.iter().map_while(|&call| location(call));
    let outside = places().find(|place| !wraps(&place.file));
    outside.or_else(|| places().next())
}

/// The last function of the object that has this code, and the calls outside of it, the innermost first.
fn entry() -> Option<(Option<String>, Vec<usize>)> {
    let own = object(entry as *const () as usize)?.base;
    let mut frames = [std::ptr::null_mut::<c_void>(); FRAMES];
    // SAFETY: the array has room for as many addresses.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), FRAMES as i32) };
    let frames = &frames[..usize::try_from(count).unwrap_or(0)];
    // A call stands before its return address.
    let calls = frames
        .iter()
        .map(|&address| (address as usize).wrapping_sub(1));
    let calls: Vec<usize> = calls.collect();
    let mut function = None;
    for (index, &call) in calls.iter().enumerate() {
        match object(call).filter(|object| object.base == own) {
            Some(object) => function = object.function,
            None => {
                let function = function.filter(|name| !name.starts_with("_Z"));
                return Some((function, calls[index..].to_vec()));
            }
        }
    }
    None
}

/// Where in the program an access to memory was made. The frames are those of its thread, the innermost first: an
/// instruction, and return addresses. Functions of the C and C++ libraries access for others. `None`: a library of this
/// project made it, or code that is in no object. The place is unknown without debug information.
pub fn place_in_program(frames: &[usize]) -> Option<Option<SourceLocation>> {
    let own = object(entry as *const () as usize)?.file;
    let folder = own.parent()?;
    for (index, &frame) in frames.iter().enumerate() {
        // The call stands before the return address.
        let address = frame - usize::from(index > 0);
        let file = object(address)?.file;
        if accesses_for_others(&file) {
            continue;
        }
        return match file.starts_with(folder) {
            true if file == own || is_library(&file) => None,
            _ => Some(location(address)),
        };
    }
    Some(None)
}

/// Whether a file is a header that has functions around the library's.
fn wraps(file: &str) -> bool {
    WRAPPERS.iter().any(|folder| file.contains(folder))
}

/// Whether a file is a library of the C or C++ language.
fn accesses_for_others(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    LANGUAGE.iter().any(|library| name.starts_with(library))
}

fn is_library(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("lib") && name.contains(".so")
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
    let text = |name: *const libc::c_char| {
        if name.is_null() {
            return None;
        }
        // SAFETY: a name that is not null is a string that lives as long as the object is loaded.
        let name = unsafe { CStr::from_ptr(name) };
        Some(name.to_string_lossy().into_owned())
    };
    Some(Place {
        file: text(information.dli_fname)?.into(),
        base: information.dli_fbase as usize,
        function: text(information.dli_sname),
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
        let location = place(&loader, probe)?;
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

/// The place of an address: the innermost frame that is not of a header which wraps the library's functions.
fn place(loader: &addr2line::Loader, probe: u64) -> Option<addr2line::Location<'_>> {
    let mut frames = loader.find_frames(probe).ok()?;
    let mut innermost = None;
    while let Some(frame) = frames.next().ok()? {
        let Some(location) = frame.location else {
            continue;
        };
        if location.file.is_some_and(|file| !wraps(file)) {
            return Some(location);
        }
        innermost.get_or_insert(location);
    }
    innermost
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test is linked into its program, whose first caller is the C library.
    #[test]
    fn a_routine_is_named() {
        assert!(!caller("omp_target_alloc").text.is_empty());
    }

    #[test]
    fn an_address_of_this_file_is_found() {
        let here = an_address_of_this_file_is_found as *const () as usize;
        let location = look_up(here).expect("tests have debug information");
        assert!(location.file.ends_with("caller.rs"), "{location:?}");
    }
}
