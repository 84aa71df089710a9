//! The switch from one fiber to another: twelve stack accesses and a return.
//!
//! It goes directly from fiber to fiber, not through the worker, for the sake of the CPU's return predictor. The
//! fibers of a block wait at the same place with the same callers. So the return addresses that the predictor
//! remembers for the old fiber are also those of the new one. A switch through the worker would mispredict two
//! returns each way, which costs more than everything else together (`docs/vgpu.md`, "Switching").

use std::arch::naked_asm;

/// The stack pointer of a suspended fiber or worker. Its registers are saved there.
pub type Suspended = u64;

/// The main function of a fiber. It must not return.
pub type Main = unsafe extern "C" fn(argument: *const (), number: u64) -> !;

/// Suspends the caller, saves its stack pointer in `save`, and resumes `to`. Returns when a switch resumes the
/// saved pointer.
///
/// # Safety
/// `to` was saved by this function or made by [`new`], and has not been resumed since.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(save: *mut Suspended, to: Suspended) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Resumes what was suspended at the current stack pointer. A signal handler sends a faulting fiber here, with
/// the stack pointer of its worker.
#[unsafe(naked)]
pub unsafe extern "C" fn restore_and_return() {
    naked_asm!(
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret"
    )
}

/// The start of a new fiber. The undefined return address tells debuggers that it has no caller.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "mov rdi, r12",
        "mov rsi, r13",
        "xor ebp, ebp",
        "call r14",
        "ud2",
        ".cfi_endproc",
    )
}

/// Lays out the stack that ends at `base` so that switching to it calls `main`.
///
/// # Safety
/// `base` is 16-byte aligned, and the 64 bytes below it are writable and unused.
pub unsafe fn new(base: u64, main: Main, argument: *const (), number: u64) -> Suspended {
    // In the order `switch` pops them: r15, r14, r13, r12, rbx, rbp, return address. The return leaves
    // the stack pointer at `base`, aligned as a call demands.
    let frame = [
        0,
        main as usize as u64,
        number,
        argument as u64,
        0,
        0,
        begin as *const () as u64,
    ];
    let top = base - size_of_val(&frame) as u64;
    // SAFETY: the caller's contract.
    unsafe { (top as *mut [u64; 7]).write(frame) };
    top
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pair {
        main: Suspended,
        fiber: Suspended,
        log: Vec<u64>,
    }

    unsafe extern "C" fn count(pair: *const (), number: u64) -> ! {
        let pair = pair.cast::<Pair>().cast_mut();
        let mut next = number;
        loop {
            // SAFETY: main and fiber alternate, so one of them uses the pair at a time.
            unsafe {
                (*pair).log.push(next);
                switch(&raw mut (*pair).fiber, (*pair).main);
            }
            next += 1;
        }
    }

    #[test]
    fn fibers_keep_their_state() {
        let mut stack = vec![0_u128; 4096];
        let base = stack.as_mut_ptr_range().end as u64;
        let mut pair = Pair {
            main: 0,
            fiber: 0,
            log: Vec::new(),
        };
        let shared = &raw mut pair;
        // SAFETY: the stack is large enough and outlives the fiber, which is never left running.
        unsafe {
            (*shared).fiber = new(base, count, shared.cast_const().cast(), 7);
            for _ in 0..3 {
                switch(&raw mut (*shared).main, (*shared).fiber);
            }
        }
        assert_eq!(pair.log, [7, 8, 9]);
    }
}
