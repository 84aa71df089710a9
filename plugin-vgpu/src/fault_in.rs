//! Gives pages to device memory before a copy writes to it for the first time. Linux otherwise enters the kernel for
//! each page of 4 KiB, which takes longer than the copy.

use std::ffi::c_void;

use crate::arena::Span;
use crate::window::PAGE;

/// Shorter copies are not worth the question whether pages are there.
const LEAST: u64 = 256 << 10;
/// Pages are asked for in pieces of this size. Some of an array may be in use already.
const PIECE: u64 = 1 << 20;

/// Gives pages to the parts of `span` that have none. `span` is accessible device memory, about to be written.
pub fn fault_in(span: Span) {
    if span.len < LEAST {
        return;
    }
    let (start, end) = (span.start / PAGE * PAGE, span.end().next_multiple_of(PAGE));
    for piece in (start..end).step_by(PIECE as usize) {
        let piece = Span {
            start: piece,
            len: PIECE.min(end - piece),
        };
        // Its first page may also hold the end of another array.
        if !is_resident(piece.end() - PAGE) {
            populate(piece);
        }
    }
}

/// Whether the page at `address` has memory.
fn is_resident(address: u64) -> bool {
    let mut resident = 0u8;
    // SAFETY: `resident` is a byte for the one page of the system that has this byte of memory.
    let code = unsafe { libc::mincore(address as *mut c_void, 1, &raw mut resident) };
    // Where the system does not tell, the copy goes without pages.
    code != 0 || resident & 1 != 0
}

fn populate(span: Span) {
    // Before Linux 5.14 this is refused, and the copy takes the faults.
    // SAFETY: the advice changes no contents.
    let _refused = unsafe {
        libc::madvise(
            span.start as *mut c_void,
            span.len as usize,
            libc::MADV_POPULATE_WRITE,
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::{Protection, Region};

    #[test]
    fn pages_come_where_there_are_none_and_contents_stay() {
        let size = 4 * PIECE;
        let region = Region::reserve(size, PIECE).unwrap();
        region.protect(0, size, Protection::ReadWrite).unwrap();
        let begin = region.span().start;
        populate(Span {
            start: begin + size - PAGE,
            len: PAGE,
        });
        if !is_resident(begin + size - PAGE) {
            // An emulator, or Linux before 5.14.
            return;
        }
        let written = begin + PIECE + 5 * PAGE;
        // SAFETY: the region was made writable.
        unsafe { (written as *mut u8).write(7) };
        fault_in(Span {
            start: begin + 100,
            len: LEAST - 1,
        });
        assert!(!is_resident(begin + PAGE));
        let span = Span {
            start: begin + 100,
            len: 2 * PIECE + LEAST,
        };
        fault_in(span);
        for page in (begin..span.end()).step_by(PAGE as usize) {
            assert!(is_resident(page), "{:#x}", page - begin);
        }
        assert!(!is_resident(begin + 3 * PIECE));
        // SAFETY: as above.
        assert_eq!(unsafe { (written as *const u8).read() }, 7);
    }
}
