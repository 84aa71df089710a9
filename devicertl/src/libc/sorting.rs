//! `qsort` and `bsearch`.

use core::ffi::{c_int, c_void};

use super::c_functions;

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// What is sorted.
struct Elements {
    first: *mut u8,
    bytes: usize,
    compare: Compare,
}

impl Elements {
    fn at(&self, index: usize) -> *mut u8 {
        self.first.wrapping_add(index * self.bytes)
    }

    unsafe fn is_less(&self, one: usize, other: usize) -> bool {
        // SAFETY: the caller's function and elements.
        unsafe { (self.compare)(self.at(one).cast(), self.at(other).cast()) < 0 }
    }

    unsafe fn swap(&self, one: usize, other: usize) {
        for at in 0..self.bytes {
            // SAFETY: two elements of the array.
            unsafe {
                let (a, b) = (self.at(one).add(at), self.at(other).add(at));
                let byte = a.read();
                a.write(b.read());
                b.write(byte);
            }
        }
    }

    /// Moves an element down in the heap of the first `count`.
    unsafe fn sift(&self, mut index: usize, count: usize) {
        // SAFETY: indices below `count`.
        unsafe {
            while 2 * index + 1 < count {
                let mut child = 2 * index + 1;
                if child + 1 < count && self.is_less(child, child + 1) {
                    child += 1;
                }
                if !self.is_less(index, child) {
                    return;
                }
                self.swap(index, child);
                index = child;
            }
        }
    }
}

c_functions! {
    /// `qsort` (ISO C17, §7.22.5.2): a heap sort, which needs neither recursion nor memory.
    fn qsort(first: *mut c_void, count: usize, bytes: usize, compare: Compare) {
        let elements = Elements { first: first.cast(), bytes, compare };
        for index in (0..count / 2).rev() {
            elements.sift(index, count);
        }
        for last in (1..count).rev() {
            elements.swap(0, last);
            elements.sift(0, last);
        }
    }

    /// `bsearch` (ISO C17, §7.22.5.1).
    fn bsearch(
        key: *const c_void,
        first: *const c_void,
        count: usize,
        bytes: usize,
        compare: Compare
    ) -> *mut c_void {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            let element = first.wrapping_byte_add(middle * bytes);
            match compare(key, element) {
                0 => return element.cast_mut(),
                ..0 => high = middle,
                _ => low = middle + 1,
            }
        }
        core::ptr::null_mut()
    }
}
