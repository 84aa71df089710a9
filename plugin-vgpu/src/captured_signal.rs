//! What a signal handler records when device code raises a signal.

use crate::host_cpu::Attempt;

/// Words that may be return addresses. When a library function outside the loaded object faults, the first return
/// address into the object tells where the object called it.
pub const KEPT_WORDS: usize = 64;

/// The state that a signal handler can record safely.
#[derive(Clone, Copy)]
pub struct CapturedSignal {
    /// `si_addr`, the address of the fault.
    pub address: u64,
    /// What the instruction was about to do.
    pub attempt: Attempt,
    /// The instruction.
    pub pc: u64,
    /// The return address in a register, if there is one, and the words at the top of the stack.
    pub words: [u64; KEPT_WORDS],
}
