//! The switch from one fiber to another: a dozen stack accesses and a return.
//!
//! It goes directly from fiber to fiber, not through the worker, for the sake of the CPU's return predictor. The
//! fibers of a block wait at the same place with the same callers. So the return addresses that the predictor
//! remembers for the old fiber are also those of the new one. A switch through the worker would mispredict two
//! returns each way, which costs more than everything else together (`docs/vgpu.md`, "Switching").
//!
//! A file per architecture has the same functions:
//!
//! - `switch` suspends the caller, saves its stack pointer, and resumes another.
//! - `restore_and_return` resumes what was suspended at the current stack pointer. A signal handler sends a faulting
//!   fiber there, with the stack pointer of its worker.
//! - `new` lays out a stack so that switching to it calls a function.

/// The stack pointer of a suspended fiber or worker. Its registers are saved there.
pub type Suspended = u64;

/// The main function of a fiber. It must not return.
pub type Main = unsafe extern "C" fn(argument: *const (), number: u64) -> !;

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod architecture;

pub use architecture::{new, restore_and_return, switch};

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
