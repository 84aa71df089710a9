//! Copies.

use std::ffi::c_void;
use std::sync::Arc;

use fake_driver::handle::Handle;
use fake_driver::pointer::element;

use crate::agent::{self, Agent};
use crate::call::{refuse, tell};
use crate::memory::{InUse, memory};
use crate::signal::{self, Completion, Waiter};
use crate::status::{Failure, Outcome};

/// A copy that was checked.
struct Copy {
    to: u64,
    from: u64,
    length: usize,
    _in_use: Vec<InUse>,
}

/// "The agent must be able to directly access both the source and destination buffers in their current locations."
fn prepare(to: u64, from: u64, length: usize, agents: [&Arc<Agent>; 2]) -> Result<Copy, String> {
    if to.abs_diff(from) < length as u64 {
        return Err(format!("{length} bytes at {from:#x} and {to:#x} overlap"));
    }
    let mut in_use = Vec::new();
    let gpus = agents.into_iter().filter(|agent| agent.gpu.is_some());
    for gpu in gpus {
        for address in [to, from] {
            in_use.push(memory().used_by(address, length as u64, gpu.number)?);
        }
    }
    if in_use.is_empty() {
        for address in [to, from] {
            in_use.push(memory().used_by(address, length as u64, 0)?);
        }
    }
    Ok(Copy {
        to,
        from,
        length,
        _in_use: in_use,
    })
}

impl Copy {
    fn run(self) {
        // SAFETY: both ranges are allocated or locked, and stay so until this ends.
        unsafe { std::ptr::copy(self.from as *const u8, self.to as *mut u8, self.length) };
    }
}

fn dependences(count: u32, list: *const Handle) -> Outcome<Vec<Waiter>> {
    let one = |index| signal::get(element(list, index as usize)?).map(Waiter::new);
    (0..count).map(one).collect()
}

fake_driver::functions! {
    /// Copies when all signals that it depends on are 0, in no order with other copies.
    fn hsa_amd_memory_async_copy(
        to: *mut c_void, to_agent: Handle, from: *const c_void, from_agent: Handle, length: usize,
        count: u32, list: *const Handle, completion: Handle,
    ) in running {
        let agents = [agent::get(to_agent)?, agent::get(from_agent)?];
        if to.is_null() || from.is_null() || completion == 0 {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        // "If size is 0, no copy is performed": the signal keeps its value.
        if length == 0 {
            return Ok(());
        }
        let waiters = dependences(count, list)?;
        let completion = signal::get(completion)?;
        let copy = prepare(to as u64, from as u64, length, agents.each_ref()).map_err(|why| {
            refuse(Failure::ERROR_INVALID_ALLOCATION, &format!("copy: {why}"))
        })?;
        let completion = Completion::new(completion);
        let thread = std::thread::Builder::new().name("fake HSA copy".into());
        let started = thread.spawn(move || {
            signal::wait_until(None, || waiters.iter().all(|waiter| waiter.value() <= 0));
            let failed = waiters.iter().any(|waiter| waiter.value() < 0);
            drop(waiters);
            if failed {
                tell("copy: a signal that it depends on is negative");
                return completion.fail();
            }
            copy.run();
            completion.complete(|| ());
        });
        started.map(drop).map_err(|_| Failure::ERROR_OUT_OF_RESOURCES)
    }

    /// Copies at once.
    fn hsa_memory_copy(to: *mut c_void, from: *const c_void, length: usize) in running {
        if to.is_null() || from.is_null() {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        let owner = |address: u64| memory().enclosing(address, length as u64).map(|block| block.owner);
        let agents = [to as u64, from as u64].map(|address| owner(address).unwrap_or(0));
        let [a, b] = agents.map(|number| agent::all().map(|all| all[number].1.clone()));
        let agents = [a?, b?];
        let copy = prepare(to as u64, from as u64, length, agents.each_ref());
        copy.map_err(|why| refuse(Failure::ERROR_INVALID_ALLOCATION, &format!("copy: {why}")))?.run();
        Ok(())
    }
}
