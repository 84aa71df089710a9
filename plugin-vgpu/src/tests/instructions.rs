//! Instructions that Rust has no function for, on each architecture.

use std::arch::asm;

/// The floating-point control register.
pub fn float_control() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut mxcsr = 0_u32;
        // SAFETY: stores the register in the variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut mxcsr, options(nostack)) };
        mxcsr.into()
    }
    #[cfg(target_arch = "aarch64")]
    {
        let fpcr: u64;
        // SAFETY: reads the register.
        unsafe { asm!("mrs {}, fpcr", out(reg) fpcr, options(nostack)) };
        fpcr
    }
}

/// Sets the floating-point control register.
///
/// # Safety
/// The value is one that the register may have. Code that depends on the default runs only after it is restored.
pub unsafe fn set_float_control(value: u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's contract.
    unsafe {
        asm!("ldmxcsr [{}]", in(reg) &(value as u32), options(nostack))
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the caller's contract.
    unsafe {
        asm!("msr fpcr, {}", in(reg) value, options(nostack))
    };
}

/// The bits of the control register that make denormals zero, as code compiled with -ffast-math sets them.
pub const FLUSH_TO_ZERO: u64 = if cfg!(target_arch = "x86_64") {
    0x8040
} else {
    1 << 24
};

/// Divides by `divisor` as compiled kernels do.
///
/// # Safety
/// The caller runs on a fiber, which ends if the divisor is 0.
pub unsafe fn divide(divisor: u32) {
    let mut quotient = 7_u64;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's contract.
    unsafe {
        asm!("div {:e}", in(reg) divisor, inout("rax") quotient, inout("rdx") 0_u64 => _)
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the caller's contract.
    unsafe {
        asm!("cbnz {0:w}, 2f", "udf {1}", "2:", "udiv {2:w}, {2:w}, {0:w}", in(reg) divisor,
             const vgpu_abi::DIVISION_BY_ZERO, inout(reg) quotient)
    };
    std::hint::black_box(&mut quotient);
}

/// Runs an instruction that no CPU has.
///
/// # Safety
/// The caller runs on a fiber, which ends.
pub unsafe fn illegal() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's contract.
    unsafe {
        asm!("ud2")
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the caller's contract.
    unsafe {
        asm!("udf #0")
    };
}
