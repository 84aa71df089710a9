//! 64-bit ARM. Section numbers are those of the Arm Architecture Reference Manual (DDI 0487).

use std::arch::asm;

use super::Attempt;

/// Systems have pages of 4, 16 or 64 KiB.
pub const PAGE: u64 = 64 << 10;

/// A thread's floating-point environment as it was.
pub struct FloatEnvironment {
    fpcr: u64,
}

impl FloatEnvironment {
    /// Gives the calling thread that of a GPU: no exceptions, denormals kept, round to nearest.
    pub fn replace() -> FloatEnvironment {
        let fpcr: u64;
        // SAFETY: saves the register, then loads the C library's initial value.
        unsafe {
            asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack));
            asm!("msr fpcr, xzr", options(nomem, nostack));
        }
        FloatEnvironment { fpcr }
    }

    /// Gives the calling thread this one back.
    pub fn restore(&self) {
        // SAFETY: the register had this value before.
        unsafe { asm!("msr fpcr, {}", in(reg) self.fpcr, options(nomem, nostack)) };
    }
}

/// The virtual counter of the generic timer.
pub fn time_stamp() -> u64 {
    let count: u64;
    // SAFETY: Linux lets programs read it.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack)) };
    count
}

/// Makes `len` bytes of code at `start` visible to instruction fetches (B2.7.4.2, "Synchronization and coherency
/// issues between data and instruction accesses").
pub fn publish_code(start: *const u8, len: usize) {
    let types: u64;
    // SAFETY: Linux lets programs read the register.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) types, options(nomem, nostack)) };
    // The size of the smallest cache line, as the logarithm of its number of words.
    let line = |shift: u32| 4_usize << (types >> shift & 0xf);
    let lines = |size: usize| {
        let first = start as usize & !(size - 1);
        (first..start as usize + len).step_by(size)
    };
    // SAFETY: cache maintenance of addresses that the caller owns; it changes no contents.
    unsafe {
        for address in lines(line(16)) {
            asm!("dc cvau, {}", in(reg) address, options(nostack));
        }
        asm!("dsb ish", options(nostack));
        for address in lines(line(0)) {
            asm!("ic ivau, {}", in(reg) address, options(nostack));
        }
        asm!("dsb ish", "isb", options(nostack));
    }
}

/// Makes the calling thread see code that other threads have published.
pub fn see_new_code() {
    // SAFETY: discards what was fetched ahead.
    unsafe { asm!("isb", options(nostack)) };
}

/// The stack pointer.
pub fn stack_pointer(context: &libc::ucontext_t) -> u64 {
    context.uc_mcontext.sp
}

/// The address of the instruction.
pub fn program_counter(context: &libc::ucontext_t) -> u64 {
    context.uc_mcontext.pc
}

/// The return address of the latest call, if it is in a register.
pub fn latest_return_address(context: &libc::ucontext_t) -> Option<u64> {
    Some(context.uc_mcontext.regs[30])
}

/// Makes the thread go on at `code` with this stack pointer when the signal handler returns.
pub fn resume_at(context: &mut libc::ucontext_t, code: *const (), stack_pointer: u64) {
    context.uc_mcontext.pc = code as u64;
    context.uc_mcontext.sp = stack_pointer;
}

/// What the instruction that raised the signal `info` was about to do.
pub fn attempt(info: &libc::siginfo_t, context: &libc::ucontext_t) -> Attempt {
    let pc = program_counter(context);
    // SAFETY: for the four signals handled here the field is the fault address.
    if matches!(info.si_signo, libc::SIGSEGV | libc::SIGBUS)
        && unsafe { info.si_addr() } as u64 == pc
    {
        return Attempt::Fetch;
    }
    // SAFETY: the CPU has fetched this instruction.
    let instruction = unsafe { (pc as *const u32).read_unaligned() };
    match info.si_signo {
        libc::SIGFPE => Attempt::DivideByZero,
        // What the compiler puts where a divisor is zero.
        libc::SIGILL if instruction == u32::from(vgpu_abi::DIVISION_BY_ZERO) => {
            Attempt::DivideByZero
        }
        libc::SIGILL => Attempt::Illegal,
        _ if stores(instruction) => Attempt::Store,
        _ => Attempt::Load,
    }
}

/// Whether an instruction that accesses memory writes it (C4.1.94, "Loads and Stores", and "SVE encodings"). Linux
/// reports the CPU's own word on it (`ESR_EL1`), but emulators do not.
fn stores(instruction: u32) -> bool {
    let bits = |low: u32, count: u32| instruction >> low & ((1 << count) - 1);
    let has = |bit: u32| bits(bit, 1) == 1;
    // `dc zva`
    if bits(5, 27) == 0xd50b_7420 >> 5 {
        return true;
    }
    // SVE
    if bits(25, 4) == 0b0010 {
        return bits(29, 3) == 0b111;
    }
    let load = has(22);
    match bits(27, 3) {
        // Of one register, in all addressing modes
        0b111 => {
            let atomic = !has(24) && has(21) && bits(10, 2) == 0 && !has(26);
            let acquiring_load = bits(12, 4) == 0b1100;
            if atomic {
                !acquiring_load
            } else {
                bits(22, 2) == 0 || (has(26) && bits(22, 2) == 0b10)
            }
        }
        // Of pairs, or of vector structures
        0b101 => !load,
        0b001 if has(26) => !load,
        // Exclusive and ordered, or compare and swap
        0b001 => {
            let swap = has(21) && (has(23) || !has(31));
            swap || !load
        }
        // Ordered with an offset; those relative to the program counter only load
        0b011 => has(24) && bits(22, 2) == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first instruction of a function that only assembly defines.
    macro_rules! instruction {
        ($text:literal) => {{
            #[unsafe(naked)]
            unsafe extern "C" fn code() {
                std::arch::naked_asm!(".arch armv9-a", $text)
            }
            // SAFETY: code is readable.
            unsafe { (code as *const u32).read() }
        }};
    }

    #[test]
    fn stores_are_told_from_loads() {
        macro_rules! check {
            ($expected:literal: $($text:literal),*) => {
                $(assert_eq!(stores(instruction!($text)), $expected, $text);)*
            };
        }
        check!(true:
            "str w0, [x1]", "strb w0, [x1, #1]!", "str x0, [x1], #8", "str d0, [x1, x2, lsl #3]", "str q0, [x1]",
            "stur q0, [x1, #-8]", "stp x0, x1, [sp, #-16]!", "stp q0, q1, [x2]", "st1 {{v0.4s}}, [x0]",
            "st4 {{v0.4s-v3.4s}}, [x0], #64", "st1 {{v0.s}}[1], [x0]", "stlr w0, [x1]", "stlrb w0, [x1]",
            "stxr w0, w1, [x2]", "stlxp w0, x1, x2, [x3]", "cas w0, w1, [x2]", "casal x0, x1, [x2]",
            "caspal x0, x1, x2, x3, [x4]", "ldaddal w0, w1, [x2]", "swp x0, x1, [x2]", "stlur w0, [x1]",
            "st1w {{z0.s}}, p0, [x0]", "st1d {{z0.d}}, p0, [x0, z1.d]", "dc zva, x0");
        check!(false:
            "ldr w0, [x1]", "ldrsb x0, [x1]", "ldrsw x0, [x1, x2]", "ldr d0, [x1], #8", "ldr q0, [x1, #16]",
            "ldr x0, . + 8", "ldr q0, . + 8", "ldp x0, x1, [x2]", "ldnp q0, q1, [x2]", "ld1 {{v0.4s}}, [x0]",
            "ld4 {{v0.4s-v3.4s}}, [x0], #64", "ld1r {{v0.4s}}, [x0]", "ldar w0, [x1]", "ldapr w0, [x1]",
            "ldapur w0, [x1]", "ldaxr x0, [x1]", "ldxp x0, x1, [x2]", "ld1w {{z0.s}}, p0/z, [x0]",
            "ld1w {{z0.s}}, p0/z, [x0, z1.s, uxtw]", "ldff1d {{z0.d}}, p0/z, [x0, z1.d]");
    }
}
