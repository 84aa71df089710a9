//! Memory for code that the program reaches with short jumps.

use std::ffi::c_void;
use std::io;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

/// In what steps free addresses are looked for.
const STEP: usize = 64 << 10;
/// How far below. Short jumps reach 2 GiB, and programs are smaller than the rest.
const FARTHEST: usize = 1 << 30;

/// Memory below `end` in which `write` makes code. It is the process's from then on.
pub fn code_below(end: usize, size: usize, write: impl FnOnce(&mut [u8])) -> io::Result<usize> {
    let at = reserve(end, size)?;
    // SAFETY: it is new.
    write(unsafe { std::slice::from_raw_parts_mut(at.cast(), size) });
    // SAFETY: the same, and nobody has a reference any more.
    unsafe { mprotect(at, size, MprotectFlags::READ | MprotectFlags::EXEC)? };
    Ok(at as usize)
}

fn reserve(end: usize, size: usize) -> io::Result<*mut c_void> {
    let highest = end.saturating_sub(size) / STEP * STEP;
    let lowest = end.saturating_sub(FARTHEST).max(STEP);
    let flags = MapFlags::PRIVATE | MapFlags::FIXED_NOREPLACE;
    for at in (lowest..=highest).rev().step_by(STEP) {
        let wanted = at as *mut c_void;
        // SAFETY: only what nobody has is taken.
        let got =
            unsafe { mmap_anonymous(wanted, size, ProtFlags::READ | ProtFlags::WRITE, flags) };
        match got {
            Ok(got) if got == wanted => return Ok(got),
            // Systems before Linux 4.17 take the address for a wish.
            Ok(_) => return Err(io::ErrorKind::Unsupported.into()),
            Err(rustix::io::Errno::EXIST | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::ErrorKind::OutOfMemory.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_close_by_and_runs() {
        let own = code_is_found_close_by_and_runs as *const () as usize;
        // mov eax, 42; ret
        let code = [0xb8, 42, 0, 0, 0, 0xc3];
        let write = |place: &mut [u8]| place[..code.len()].copy_from_slice(&code);
        let at = code_below(own, 4096, write).expect("there is room");
        assert!(at < own && own - at < FARTHEST);
        // SAFETY: it is such a function.
        let made: extern "C" fn() -> i32 = unsafe { std::mem::transmute(at) };
        assert_eq!(made(), 42);
    }
}
