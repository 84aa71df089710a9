//! The engine functions that compiled code calls. [`vgpu_abi`] has the table.
//!
//! They run on the fiber of the calling GPU thread. A function must drop everything it owns before it switches to
//! another fiber or touches memory that the kernel named: a fiber that faults, or that nobody resumes, is
//! abandoned.

use std::ffi::{CStr, c_char, c_void};

use plugin_api::SourceLocation;
use rustix::time::ClockId;
use vgpu_abi::{BarrierReduce, ReduxOp, ShuffleMode, ThreadContext, VoteMode, WAVE_REDUX, WaveOp};

use crate::barrier::{Arrival, reduction};
use crate::block::{Block, Misuse, Outcome, split};
use crate::fault::Cause;
use crate::fiber;
use crate::scheduler;
use crate::sm::Sm;
use crate::warp::{Lanes, Operand, WarpOp};

/// The GPU thread that makes a call.
struct Caller<'a> {
    sm: &'a Sm,
    fiber: u16,
    thread: u16,
}

impl Caller<'_> {
    /// # Safety
    /// `cx` is the context of the running fiber.
    unsafe fn new<'a>(cx: *mut ThreadContext) -> Caller<'a> {
        // SAFETY: the caller's contract.
        let (sm, fiber) = unsafe { fiber::locate(cx) };
        Caller {
            sm,
            fiber,
            thread: sm.fiber_states[usize::from(fiber)].thread.get(),
        }
    }

    /// Calls `act` on the block's state.
    fn with_block<R>(&self, act: impl FnOnce(&mut Block) -> R) -> R {
        // SAFETY: `act` cannot switch, as it has no yielder.
        act(unsafe { self.sm.block() })
    }

    /// Lets other threads run.
    #[inline(always)]
    fn switch(&self) {
        // SAFETY: this is the caller's fiber; `with_block` has ended.
        unsafe { self.sm.wait(self.thread) }
    }

    /// Waits if it has to. Gives the result of the call.
    #[inline(always)]
    fn finish(&self, site: u32, outcome: Result<Outcome, Misuse>) -> u64 {
        match outcome {
            Ok(Outcome::Done(result)) => result,
            Ok(Outcome::Wait) => {
                self.switch();
                self.with_block(|block| block.result(self.thread))
            }
            Err(misuse) => self.raise(site, Cause::Misuse(misuse)),
        }
    }

    /// Ends the kernel.
    fn raise(&self, site: u32, cause: Cause) -> ! {
        let lane = self.sm.fiber_states[usize::from(self.fiber)].lane.get();
        let thread = self.thread + u16::from(lane);
        // SAFETY: this is the caller's fiber; the worker was suspended when it resumed one.
        unsafe { self.sm.raise(thread, site, cause) }
    }

    #[inline(always)]
    fn warp_op(&self, site: u32, op: WarpOp, mask: Lanes, operand: Operand) -> u64 {
        self.finish(
            site,
            self.with_block(|block| block.warp_op(self.thread, site, op, mask, operand)),
        )
    }

    #[inline(always)]
    fn converge(&self, site: u32, op: WarpOp, operand: Operand, fallback: u64) -> u64 {
        let outcome =
            self.with_block(|block| block.converge(self.thread, site, op, operand, fallback));
        self.finish(site, Ok(outcome))
    }

    #[inline(always)]
    fn barrier(&self, site: u32, id: u32, count: u32, arrival: Arrival) -> u64 {
        self.finish(
            site,
            self.with_block(|block| block.barrier(self.thread, site, id, count, arrival)),
        )
    }

    #[inline(always)]
    fn warp_barrier(
        &self,
        site: u32,
        barrier: (u32, u32),
        (lanes, elsewhere): (Lanes, Lanes),
        arrival: Arrival,
    ) -> u64 {
        self.finish(
            site,
            self.with_block(|block| {
                block.warp_barrier(self.thread, site, barrier, (lanes, elsewhere), arrival)
            }),
        )
    }
}

/// Defines engine functions whose first parameter is the caller's context.
macro_rules! engine_functions {
    ($(fn $name:ident($caller:ident, $($parameter:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {$(
        /// See [`vgpu_abi::ENGINE_SYMBOLS`].
        ///
        /// # Safety
        /// `cx` is the context of the running fiber. Pointers come from the kernel.
        pub unsafe extern "C" fn $name(cx: *mut ThreadContext, $($parameter: $type),*) $(-> $result)? {
            // SAFETY: the caller's contract.
            let $caller = unsafe { Caller::new(cx) };
            $body
        }
    )*};
}

engine_functions! {
    fn vgpu_barrier(caller, site: u32, id: u32, count: u32) {
        caller.barrier(site, id, count, Arrival::Sync);
    }

    fn vgpu_barrier_arrive(caller, site: u32, id: u32, count: u32) {
        caller.barrier(site, id, count, Arrival::Arrive);
    }

    fn vgpu_barrier_reduce(caller, site: u32, id: u32, count: u32, mode: u32, pred: u32) -> u32 {
        let mode = barrier_reduce(mode)
            .unwrap_or_else(|| caller.raise(site, unknown("barrier.red", mode)));
        reduction(mode, caller.barrier(site, id, count, Arrival::Reduce((pred != 0).into())))
    }

    fn vgpu_warp_lane(caller, lane: u32) {
        caller.sm.fiber_states[usize::from(caller.fiber)].lane.set(lane as u8);
    }

    fn vgpu_warp_barrier(caller, site: u32, id: u32, count: u32, lanes: u64, elsewhere: u64) {
        caller.warp_barrier(site, (id, count), (lanes, elsewhere), Arrival::Sync);
    }

    fn vgpu_warp_barrier_arrive(caller, site: u32, id: u32, count: u32, lanes: u64, elsewhere: u64) {
        caller.warp_barrier(site, (id, count), (lanes, elsewhere), Arrival::Arrive);
    }

    fn vgpu_warp_barrier_reduce(
        caller, site: u32, id: u32, count: u32, mode: u32, lanes: u64, elsewhere: u64, preds: u64
    ) -> u32 {
        let mode = barrier_reduce(mode)
            .unwrap_or_else(|| caller.raise(site, unknown("barrier.red", mode)));
        let holds = (preds & lanes).count_ones();
        reduction(mode, caller.warp_barrier(site, (id, count), (lanes, elsewhere), Arrival::Reduce(holds)))
    }

    fn vgpu_warp_split(caller, site: u32, named: u64, elsewhere: u64) -> ! {
        caller.raise(site, Cause::Misuse(split(named & elsewhere)))
    }

    fn vgpu_syncwarp(caller, site: u32, mask: u64) {
        caller.warp_op(site, WarpOp::Sync, mask, Operand::default());
    }

    fn vgpu_activemask(caller, site: u32) -> u64 {
        caller.converge(site, WarpOp::Active, Operand::default(), 0)
    }

    fn vgpu_shfl(caller, site: u32, mask: u64, mode: u32, value: u32, b: u32, c: u32) -> u64 {
        let mode = match mode {
            0 => ShuffleMode::Up,
            1 => ShuffleMode::Down,
            2 => ShuffleMode::Bfly,
            3 => ShuffleMode::Idx,
            _ => caller.raise(site, unknown("shfl.sync", mode)),
        };
        caller.warp_op(site, WarpOp::Shuffle(mode), mask, Operand { value: value.into(), b, c })
    }

    fn vgpu_vote(caller, site: u32, mask: u64, mode: u32, pred: u32) -> u64 {
        let mode = match mode {
            0 => VoteMode::All,
            1 => VoteMode::Any,
            2 => VoteMode::Uni,
            3 => VoteMode::Ballot,
            _ => caller.raise(site, unknown("vote.sync", mode)),
        };
        caller.warp_op(site, WarpOp::Vote(mode), mask, Operand { value: pred.into(), b: 0, c: 0 })
    }

    fn vgpu_match_any(caller, site: u32, mask: u64, value: u64) -> u64 {
        caller.warp_op(site, WarpOp::MatchAny, mask, Operand { value, b: 0, c: 0 })
    }

    fn vgpu_match_all(caller, site: u32, mask: u64, value: u64) -> u64 {
        caller.warp_op(site, WarpOp::MatchAll, mask, Operand { value, b: 0, c: 0 })
    }

    fn vgpu_redux(caller, site: u32, mask: u64, op: u32, value: u32) -> u32 {
        let op = redux_op(op).unwrap_or_else(|| caller.raise(site, unknown("redux.sync", op)));
        let signed = matches!(op, ReduxOp::Smin | ReduxOp::Smax);
        let value = if signed { i64::from(value as i32) as u64 } else { value.into() };
        caller.warp_op(site, WarpOp::Redux(op), mask, Operand { value, b: 0, c: 0 }) as u32
    }

    fn vgpu_wave(caller, site: u32, op: u32, value: u64, lane: u32, fallback: u64) -> u64 {
        let op = wave_op(op).unwrap_or_else(|| caller.raise(site, unknown("a wave operation", op)));
        caller.converge(site, op, Operand { value, b: lane, c: 0 }, fallback)
    }

    fn vgpu_yield(caller, site: u32) {
        caller.with_block(|block| block.yield_thread(caller.thread, site));
        caller.switch();
    }

    fn vgpu_spin(caller, site: u32) {
        let spins = &caller.sm.fiber_states[usize::from(caller.fiber)].spins;
        spins.set(spins.get() + 1);
        if spins.get() >= SPINS_PER_SWITCH {
            spins.set(0);
            caller.with_block(|block| block.yield_thread(caller.thread, site));
            caller.switch();
        }
    }

    fn vgpu_exit(caller,) -> ! {
        // SAFETY: used for this call only; the context is the caller's.
        let executed = unsafe { (*caller.sm.stacks().context(caller.fiber)).instructions };
        caller.sm.counters.executed(executed);
        caller.with_block(|block| block.exit(caller.thread));
        // SAFETY: this is the caller's fiber, and its thread has ended.
        unsafe { scheduler::exit_fiber(caller.sm, caller.fiber, caller.thread) }
    }

    fn vgpu_trap(caller, site: u32) -> ! {
        caller.raise(site, Cause::Trap(String::new()))
    }

    fn vgpu_reaches_host(_caller, address: u64) -> u32 {
        crate::host_ranges::contain(address, 1).into()
    }

    fn vgpu_wild_access(caller, site: u32, address: u64, write: u32) -> ! {
        caller.raise(site, Cause::WildAccess { address, write: write != 0 })
    }

    fn vgpu_assert_fail(
        caller, site: u32, message: *const c_char, file: *const c_char, line: u32, function: *const c_char
    ) -> ! {
        // SAFETY: the kernel passes C strings or null. A bad pointer faults before this function owns anything.
        let lengths = unsafe { [text(message), text(file), text(function)] };
        let [message, file, function] = lengths.map(|text| String::from_utf8_lossy(text).into_owned());
        // The device runtime also ends kernels this way. It gives a reason, and sometimes a number with a name.
        caller.raise(site, if line == 0 {
            Cause::Trap(message)
        } else if let Some(number) = file.strip_prefix("omptarget device runtime: ") {
            Cause::Trap(format!("{message} ({number}: {line})"))
        } else {
            let location = Box::new(SourceLocation { file, line, column: 0, function });
            Cause::Assertion { condition: message, location }
        })
    }

    fn vgpu_vprintf(caller, format: *const c_char, args: *const c_void, alignment: u32) -> i32 {
        // SAFETY: the kernel's contract with `vprintf`. A bad pointer faults before this function owns anything.
        unsafe { crate::printf::vprintf(caller.sm, format, args, alignment) }
    }

    fn vgpu_malloc(caller, size: u64) -> *mut c_void {
        let sm = caller.sm;
        // SAFETY: used for this call only.
        sm.heap.alloc(unsafe { sm.heap_cache() }, size) as *mut c_void
    }

    fn vgpu_realloc(caller, pointer: *mut c_void, size: u64) -> *mut c_void {
        let sm = caller.sm;
        // SAFETY: used for this call only.
        match sm.heap.resize(unsafe { sm.heap_cache() }, pointer as u64, size) {
            Ok(block) => block as *mut c_void,
            Err(misuse) => caller.raise(0, Cause::Trap(misuse)),
        }
    }

    fn vgpu_free(caller, pointer: *mut c_void) {
        let sm = caller.sm;
        // SAFETY: used for this call only.
        if let Err(misuse) = sm.heap.free(unsafe { sm.heap_cache() }, pointer as u64) {
            caller.raise(0, Cause::Trap(misuse));
        }
    }

    fn vgpu_clock(_caller,) -> u64 {
        crate::host_cpu::time_stamp()
    }

    fn vgpu_globaltimer(_caller,) -> u64 {
        let now = rustix::time::clock_gettime(ClockId::Realtime);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }
}

/// Iterations of a spin loop before its thread lets others run. The number is small because the loop usually
/// waits for another thread of the block. It is more than one because most such loops are compare-and-swap loops,
/// which end after an iteration or two.
const SPINS_PER_SWITCH: u32 = 4;

fn barrier_reduce(number: u32) -> Option<BarrierReduce> {
    const ALL: [BarrierReduce; 3] = [BarrierReduce::Popc, BarrierReduce::And, BarrierReduce::Or];
    ALL.into_iter().find(|&mode| mode as u32 == number)
}

fn redux_op(number: u32) -> Option<ReduxOp> {
    const ALL: [ReduxOp; 8] = [
        ReduxOp::Add,
        ReduxOp::Umin,
        ReduxOp::Umax,
        ReduxOp::Smin,
        ReduxOp::Smax,
        ReduxOp::And,
        ReduxOp::Or,
        ReduxOp::Xor,
    ];
    ALL.into_iter().find(|&op| op as u32 == number)
}

fn wave_op(number: u32) -> Option<WarpOp> {
    const ALL: [(WaveOp, WarpOp); 5] = [
        (WaveOp::Sync, WarpOp::Converge),
        (WaveOp::Ballot, WarpOp::Ballot),
        (WaveOp::First, WarpOp::First),
        (WaveOp::Gather, WarpOp::Gather),
        (WaveOp::Scatter, WarpOp::Scatter),
    ];
    let found = ALL.into_iter().find(|&(op, _)| op as u32 == number);
    let redux = || redux_op(number.checked_sub(WAVE_REDUX)?).map(WarpOp::Redux);
    found.map(|(_, op)| op).or_else(redux)
}

fn unknown(what: &str, value: u32) -> Cause {
    Cause::Other(format!(
        "{what} with mode {value}, which does not exist (compiler and engine disagree)"
    ))
}

/// # Safety
/// `text` is null or a C string.
unsafe fn text<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        b"?"
    } else {
        // SAFETY: the caller's contract.
        unsafe { CStr::from_ptr(text) }.to_bytes()
    }
}

/// The address of an engine function by its symbol.
pub fn engine_function(symbol: &str) -> Option<u64> {
    macro_rules! table {
        ($($name:ident),*) => { match symbol { $(stringify!($name) => Some($name as *const () as u64),)* _ => None } };
    }
    table!(
        vgpu_barrier,
        vgpu_barrier_arrive,
        vgpu_barrier_reduce,
        vgpu_warp_lane,
        vgpu_warp_barrier,
        vgpu_warp_barrier_arrive,
        vgpu_warp_barrier_reduce,
        vgpu_warp_split,
        vgpu_syncwarp,
        vgpu_activemask,
        vgpu_shfl,
        vgpu_vote,
        vgpu_match_any,
        vgpu_match_all,
        vgpu_redux,
        vgpu_wave,
        vgpu_yield,
        vgpu_spin,
        vgpu_exit,
        vgpu_trap,
        vgpu_reaches_host,
        vgpu_wild_access,
        vgpu_assert_fail,
        vgpu_vprintf,
        vgpu_malloc,
        vgpu_realloc,
        vgpu_free,
        vgpu_clock,
        vgpu_globaltimer
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_engine_symbol_exists() {
        use vgpu_abi::{ENGINE_SYMBOLS, WARP_ENGINE_SYMBOLS};
        for symbol in ENGINE_SYMBOLS.iter().chain(WARP_ENGINE_SYMBOLS) {
            assert!(super::engine_function(symbol).is_some(), "{symbol}");
        }
    }
}
