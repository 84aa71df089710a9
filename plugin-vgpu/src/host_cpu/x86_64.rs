//! x86-64.

use super::Attempt;

/// Size of a page of memory.
pub const PAGE: u64 = 4096;

/// A thread's floating-point environment as it was.
pub struct FloatEnvironment {
    mxcsr: u32,
}

impl FloatEnvironment {
    /// Gives the calling thread that of a GPU: no exceptions, denormals kept, round to nearest.
    pub fn replace() -> FloatEnvironment {
        let mut mxcsr = 0_u32;
        // SAFETY: saves the register, then loads its power-on value.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &mut mxcsr, options(nostack));
            std::arch::asm!("ldmxcsr [{}]", in(reg) &0x1f80_u32, options(nostack));
        }
        FloatEnvironment { mxcsr }
    }

    /// Gives the calling thread this one back.
    pub fn restore(&self) {
        // SAFETY: the register had this value before.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &self.mxcsr, options(nostack)) };
    }
}

/// The time-stamp counter.
pub fn time_stamp() -> u64 {
    // SAFETY: every x86-64 CPU has the instruction.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Makes `_len` bytes of code at `_start` visible to instruction fetches. On x86-64 they see what was stored.
pub fn publish_code(_start: *const u8, _len: usize) {}

/// Makes the calling thread see code that other threads have published. On x86-64 it does.
pub fn see_new_code() {}

/// The stack pointer.
pub fn stack_pointer(context: &libc::ucontext_t) -> u64 {
    register(context, libc::REG_RSP)
}

/// The address of the instruction.
pub fn program_counter(context: &libc::ucontext_t) -> u64 {
    register(context, libc::REG_RIP)
}

/// The return address of the latest call, if it is in a register. On x86-64 it is on the stack.
pub fn latest_return_address(_context: &libc::ucontext_t) -> Option<u64> {
    None
}

/// Makes the thread go on at `code` with this stack pointer when the signal handler returns.
pub fn resume_at(context: &mut libc::ucontext_t, code: *const (), stack_pointer: u64) {
    let registers = &mut context.uc_mcontext.gregs;
    registers[libc::REG_RIP as usize] = code as i64;
    registers[libc::REG_RSP as usize] = stack_pointer as i64;
}

/// What the instruction that raised the signal `info` was about to do.
pub fn attempt(info: &libc::siginfo_t, context: &libc::ucontext_t) -> Attempt {
    // The error code of a page fault (Intel SDM, volume 3, section 4.7).
    const WRITE: u64 = 1 << 1;
    const FETCH: u64 = 1 << 4;
    let error = register(context, libc::REG_ERR);
    match info.si_signo {
        libc::SIGFPE => Attempt::DivideByZero,
        libc::SIGILL => Attempt::Illegal,
        // Not a page fault: the address is not canonical.
        _ if info.si_code == libc::SI_KERNEL => Attempt::UnknownAddress,
        _ if error & FETCH != 0 => Attempt::Fetch,
        _ if error & WRITE != 0 => Attempt::Store,
        _ => Attempt::Load,
    }
}

fn register(context: &libc::ucontext_t, number: libc::c_int) -> u64 {
    context.uc_mcontext.gregs[number as usize] as u64
}
