//! Where the program's code is in this process.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use libc::{PF_W, PF_X, PT_LOAD, dl_iterate_phdr, dl_phdr_info};

/// The program.
#[derive(Debug)]
pub struct Program {
    /// What is added to addresses of its file.
    pub base: usize,
    /// Its segments of code.
    pub code: Vec<Range<usize>>,
}

impl Program {
    /// That of this process.
    pub fn of_process() -> Option<Program> {
        let mut program = None;
        // SAFETY: the function is called with this place before the call returns.
        unsafe { dl_iterate_phdr(Some(first), (&raw mut program).cast()) };
        program
    }

    /// Whether these bytes are code, which is not written to.
    pub fn has_code(&self, bytes: &Range<usize>) -> bool {
        self.code
            .iter()
            .any(|segment| segment.start <= bytes.start && bytes.end <= segment.end)
    }
}

/// Takes the first object, which is the program, and ends the search.
unsafe extern "C" fn first(info: *mut dl_phdr_info, _: usize, place: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker's promise.
    let info = unsafe { &*info };
    // SAFETY: it has so many.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let base = info.dlpi_addr as usize;
    let code = headers
        .iter()
        .filter(|header| header.p_type == PT_LOAD && header.p_flags & (PF_X | PF_W) == PF_X)
        .map(|header| {
            let begin = base + header.p_vaddr as usize;
            begin..begin + header.p_memsz as usize
        })
        .collect();
    // SAFETY: it is the caller's place.
    unsafe { *place.cast::<Option<Program>>() = Some(Program { base, code }) };
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_the_program_is_code() {
        let program = Program::of_process().expect("there is one");
        let at = a_function_of_the_program_is_code as *const () as usize;
        assert!(program.has_code(&(at..at + 5)));
        let data = &raw const program as usize;
        assert!(!program.has_code(&(data..data + 5)));
    }
}
