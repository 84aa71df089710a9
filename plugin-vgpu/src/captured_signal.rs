//! What a signal handler records when device code raises a signal.

use bitflags::bitflags;

bitflags! {
    /// The error code of a page fault (Intel SDM, volume 3, section 4.7).
    #[derive(Clone, Copy)]
    pub struct PageFaultError: u64 {
        /// The access was a store.
        const WRITE = 1 << 1;
        /// The access fetched an instruction.
        const FETCH = 1 << 4;
        // The CPU sets other bits, which are not used here.
        const _ = !0;
    }
}

/// Words of the fiber's stack that are recorded. When a library function outside the loaded object faults, the
/// first return address into the object tells where the object called it.
pub const KEPT_WORDS: usize = 64;

/// The state that a signal handler can record safely.
#[derive(Clone, Copy)]
pub struct CapturedSignal {
    /// Signal number.
    pub number: libc::c_int,
    /// `si_code`.
    pub code: libc::c_int,
    /// `si_addr`, the address of the fault.
    pub address: u64,
    /// The CPU's error code of a page fault.
    pub error: PageFaultError,
    /// The instruction.
    pub pc: u64,
    /// The words at the top of the stack.
    pub stack: [u64; KEPT_WORDS],
}
