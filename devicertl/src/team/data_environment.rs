//! Internal control variables (OpenMP 5.2, §2.2) of a data environment.
//!
//! The initial task of a generic kernel keeps what it changed in the team's state, and regions inherit it. A thread
//! that changes an ICV inside a region gets its own copy (`thread_state`), for as long as the region lasts. The initial
//! tasks of SPMD kernels have the defaults: whatever would change them (a call between the regions) makes clang
//! generate a generic kernel.

use crate::arch;
use crate::team::icv::Icvs;
use crate::team::nest::Nest;
use crate::team::roles;
use crate::team::state::{self, ICVS_CHANGED};
use crate::team::thread_state::{self, Kind, Payload};

// SAFETY: the one payload of this kind.
unsafe impl Payload for Icvs {
    const KIND: Kind = Kind::Icvs;
}

impl Icvs {
    /// The calling thread's ICVs.
    pub fn current() -> Icvs {
        if let Some(node) = thread_state::find::<Icvs>() {
            // SAFETY: the node is this thread's own.
            return unsafe { (*node).payload };
        }
        if arch::is_spmd() || !ICVS_CHANGED.is_possible() {
            return Icvs::DEFAULT;
        }
        let state = state::current();
        if state.is_null() || !ICVS_CHANGED.get() {
            Icvs::DEFAULT
        } else {
            // SAFETY: only the master writes it, and never while workers run.
            unsafe { (*state).icvs }
        }
    }

    /// Changes the calling thread's ICVs.
    pub fn change(change: impl FnOnce(&mut Icvs)) {
        if roles::is_master() && Nest::load().is_sequential() {
            ICVS_CHANGED.set();
            // SAFETY: the workers wait for the next region.
            change(unsafe { &mut (*state::need()).icvs });
            return;
        }
        let inherited = Icvs::current();
        let node = thread_state::own(inherited);
        // SAFETY: the node is this thread's own.
        change(unsafe { &mut (*node).payload });
    }
}
