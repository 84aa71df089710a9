//! The current context, its limits and its peers.

use std::ffi::{c_int, c_uint};

use crate::context::{self, Context, current, current_handle};
use crate::result::Failure;
use fake_driver::handle::{self, Handle};
use fake_driver::pointer::{store, store_if_wanted};

/// Defaults of `CU_LIMIT_STACK_SIZE`, `…_PRINTF_FIFO_SIZE`, `…_MALLOC_HEAP_SIZE` (CUDA C++ Programming Guide).
const LIMITS: [(i32, usize); 3] = [(0, 1 << 10), (1, 1 << 20), (2, 8 << 20)];

fn default_limit(limit: i32) -> Option<usize> {
    let known = LIMITS.iter().find(|(number, _)| *number == limit);
    known.map(|(_, value)| *value)
}

fake_driver::functions! {
    /// The current context. 0 if there is none.
    fn cuCtxGetCurrent(context: *mut Handle) in initialised {
        store(context, current_handle())
    }

    /// Replaces the current context. 0 removes it.
    fn cuCtxSetCurrent(context: Handle) in initialised {
        let _none = context::pop();
        match context {
            0 => Ok(()),
            _ => context::push(context),
        }
    }

    /// Makes a context current.
    fn cuCtxPushCurrent_v2(context: Handle) in initialised {
        context::push(context)
    }

    /// Makes the previous context current.
    fn cuCtxPopCurrent_v2(context: *mut Handle) in initialised {
        let popped = context::pop()?;
        store_if_wanted(context, popped);
        Ok(())
    }

    /// Waits for all of its work.
    fn cuCtxSynchronize() in with_context {
        current()?.synchronize()
    }

    /// Stores a limit. It has no effect: `OMPTARGET_VGPU_*` sets the virtual GPU's limits, and its stacks have
    /// one size.
    fn cuCtxSetLimit(limit: c_int, value: usize) in with_context {
        default_limit(limit).ok_or(Failure::INVALID_VALUE)?;
        current()?.limits.lock().insert(limit, value);
        Ok(())
    }

    /// Gives a limit.
    fn cuCtxGetLimit(value: *mut usize, limit: c_int) in with_context {
        let default = default_limit(limit).ok_or(Failure::INVALID_VALUE)?;
        let own = current()?.limits.lock().get(&limit).copied();
        store(value, own.unwrap_or(default))
    }

    /// "Flags is reserved for future use and must be set to 0."
    fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) in with_context {
        let peer = handle::get::<Context>(peer).map_err(|_| Failure::INVALID_CONTEXT)?;
        let context = current()?;
        if flags != 0 {
            return Err(Failure::INVALID_VALUE);
        }
        if peer.device.number == context.device.number {
            return Err(Failure::INVALID_DEVICE);
        }
        let is_new = context.peers.lock().insert(peer.device.number);
        is_new.then_some(()).ok_or(Failure::PEER_ACCESS_ALREADY_ENABLED)
    }
}
