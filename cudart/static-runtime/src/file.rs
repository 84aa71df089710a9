//! A file in memory, of which only what is looked at is read: programs may be large.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// The content of a file.
pub struct Content {
    at: *mut c_void,
    size: usize,
}

impl Content {
    /// That of the file at a path.
    pub fn of(path: &Path) -> io::Result<Content> {
        let file = File::open(path)?;
        let wrong = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        let size = usize::try_from(file.metadata()?.len()).map_err(wrong)?;
        // SAFETY: the system chooses the address.
        let at = unsafe {
            mmap(
                std::ptr::null_mut(),
                size,
                ProtFlags::READ,
                MapFlags::PRIVATE,
                file,
                0,
            )?
        };
        Ok(Content { at, size })
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: so much is mapped as long as `self` is there. A program that runs is not written to (ETXTBSY).
        unsafe { std::slice::from_raw_parts(self.at.cast(), self.size) }
    }
}

impl Drop for Content {
    fn drop(&mut self) {
        // SAFETY: it was mapped so, and nobody has a reference any more.
        let unmapped = unsafe { munmap(self.at, self.size) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}
