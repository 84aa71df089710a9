//! Accesses of the host's own code to device memory (`OMPTARGET_CHECK=host`). The window is part of the process, so
//! they work here. On a GPU they end the program.
//!
//! Device memory is closed to the process while no virtual GPU works. Whoever works opens it ([`open`]). An access to
//! closed memory raises a signal: the handler opens the memory, has the access done, and tells [`reporter`]. What the
//! host accesses while a virtual GPU works is not seen. Memory that both may access is watched for another reason
//! ([`host_shared`]).

pub mod host_shared;
mod reporter;
mod trace;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use findings::Checks;
use host_shared::HostShared;
use parking_lot::Mutex;
use plugin_api::{Error, Result};
use rangemap::RangeSet;
use reporter::Watcher;
use rustix::mm::{MprotectFlags, mprotect};
use trace::Trace;

use crate::arena::Span;
use crate::checker::Checker;
use crate::host_cpu::Attempt;
use crate::machine::Machine;
use crate::unit_set::{UNIT, UnitSet};
use crate::{signals, window};

/// The watched units of the window: the signal handler asks. All that lies in one may be closed.
static WATCHED: UnitSet = UnitSet::new();

/// Whether this is looked for at all.
static LOOKING: AtomicBool = AtomicBool::new(false);

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

/// So often the memory is closed whenever nobody works, then at most once in this time: each closing costs some
/// microseconds, and all CPUs of the process take part. A program repeats its mistakes.
const ALWAYS_CLOSED: u32 = 2000;
const PAUSE: Duration = Duration::from_millis(1);

#[derive(Default)]
struct State {
    /// How many [`Opened`]s there are. Watched memory is closed while there is none.
    opened: usize,
    watched: RangeSet<u64>,
    /// Whether it, or some of it, is closed now.
    is_closed: bool,
    /// How often it was closed, and when the last time.
    closings: u32,
    last: Option<Instant>,
    /// What is no device memory alone.
    host_shared: HostShared,
}

impl State {
    /// Closes all memory, unless somebody works.
    fn close_all(&mut self) -> Result<()> {
        if self.opened == 0 {
            self.host_shared.close()?;
        }
        self.close()
    }

    /// Closes device memory, unless somebody works or it was closed often and just now.
    fn close(&mut self) -> Result<()> {
        let is_pause = || self.last.is_some_and(|last| last.elapsed() < PAUSE);
        if self.opened > 0 || self.closings >= ALWAYS_CLOSED && is_pause() {
            return Ok(());
        }
        self.closings = self.closings.saturating_add(1);
        self.last = Some(Instant::now());
        self.is_closed = true;
        protect_all(self, MprotectFlags::empty())
    }
}

/// From now on, memory that [`watch`] and [`host_shared::watch`] are told of is watched, as far as the device checks
/// that. Its checker knows who has allocated it.
pub fn look(checks: Checks, checker: Option<&Arc<Checker>>, machine: &Arc<Machine>) -> Result<()> {
    if !checks.host && !checks.race {
        return Ok(());
    }
    signals::install()?;
    reporter::start(Watcher {
        checker: checker.map_or(Weak::new(), Arc::downgrade),
        machine: Arc::downgrade(machine),
    })?;
    if checks.host {
        LOOKING.store(true, Ordering::SeqCst);
    }
    if checks.race {
        host_shared::look();
    }
    Ok(())
}

/// Whether anything is looked for.
pub fn is_looked_for() -> bool {
    LOOKING.load(Ordering::Relaxed) || host_shared::is_looked_for()
}

/// These units are accessible device memory, of which the host has no business.
pub fn watch(units: Span) -> Result<()> {
    if !LOOKING.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut state = STATE.lock();
    let range = units.start..units.end();
    let is_new = state.watched.gaps(&range).next().is_some();
    if is_new {
        state.watched.insert(range.clone());
        WATCHED.add(units);
    }
    match is_new || !state.is_closed {
        true => state.close(),
        false => Ok(()),
    }
}

/// These units are no device memory any more, or get other access rights.
pub fn forget(units: Span) {
    if is_looked_for() {
        let range = units.start..units.end();
        let mut state = STATE.lock();
        state.watched.remove(range.clone());
        WATCHED.remove(units);
        state.host_shared.forget(range);
        host_shared::WATCHED.remove(units);
    }
}

/// While it lives, a virtual GPU works. Dropping it closes the memory, if no other one does.
pub struct Opened {
    counts: bool,
}

/// The calling thread, or those that work for it, access device memory from now on.
pub fn open() -> Result<Opened> {
    let counts = is_looked_for();
    if counts {
        let mut state = STATE.lock();
        if state.is_closed {
            protect_all(&state, MprotectFlags::READ | MprotectFlags::WRITE)?;
            state.is_closed = false;
        }
        state.host_shared.open()?;
        state.opened += 1;
    }
    Ok(Opened { counts })
}

impl Drop for Opened {
    fn drop(&mut self) {
        if !self.counts {
            return;
        }
        let mut state = STATE.lock();
        state.opened -= 1;
        if let Err(error) = state.close_all() {
            log::debug!("the host's accesses to device memory are not seen: {error}");
        }
    }
}

/// For the signal handler: whether an access failed because the memory is watched. It is to be done again then, and is
/// reported if the program made it.
pub fn excuses(address: u64, attempt: Attempt, pc: u64) -> bool {
    if !window::contains(address) {
        return false;
    }
    let is_host_shared = host_shared::WATCHED.has(address);
    if !is_host_shared && !WATCHED.has(address) {
        return false;
    }
    let unit = address / UNIT * UNIT;
    if protect(
        &(unit..unit + UNIT),
        MprotectFlags::READ | MprotectFlags::WRITE,
    )
    .is_err()
    {
        return false;
    }
    let trace = Trace::of_fault(address, attempt == Attempt::Store, pc);
    reporter::tell(match is_host_shared {
        true => trace.of_shared_memory(),
        false => trace,
    });
    true
}

fn protect_all(state: &State, access: MprotectFlags) -> Result<()> {
    let mut all = state.watched.iter();
    all.try_for_each(|range| protect(range, access))
}

fn protect(range: &Range<u64>, access: MprotectFlags) -> Result<()> {
    let len = (range.end - range.start) as usize;
    // SAFETY: watched memory is device memory that was accessible, and that only virtual GPUs have business with.
    // Others come to the signal handler.
    unsafe { mprotect(range.start as *mut _, len, access) }.map_err(|errno| Error::System {
        what: "watching the host's accesses to device memory".into(),
        source: errno.into(),
    })
}
