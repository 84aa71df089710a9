//! Variable arguments as LLVM packs them for GPUs: one after the other in a buffer, which `va_list` points into.

/// Most that an argument is aligned to: 4 on AMD GPUs, as its type elsewhere (docs/abi.md).
pub const ALIGNMENT: usize = if cfg!(target_arch = "amdgpu") { 4 } else { 16 };

/// What of the buffer has not been taken.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    next: *const u8,
    alignment: usize,
}

impl Arguments {
    /// The arguments from `next` on.
    ///
    /// # Safety
    /// A packed buffer, of which no more is [taken](Arguments::take) than there is.
    pub unsafe fn new(next: *const u8, alignment: usize) -> Arguments {
        Arguments { next, alignment }
    }

    /// The next argument.
    ///
    /// # Safety
    /// There is one, of this type.
    pub unsafe fn take<T: Copy>(&mut self) -> T {
        let alignment = align_of::<T>().min(self.alignment);
        let at = self.next.addr().next_multiple_of(alignment);
        let place = self.next.with_addr(at);
        // SAFETY: the caller's promise.
        unsafe {
            self.next = place.add(size_of::<T>());
            place.cast::<T>().read_unaligned()
        }
    }
}
