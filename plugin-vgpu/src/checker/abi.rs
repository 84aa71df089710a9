//! The engine functions that checked code calls: [`vgpu_abi::CHECK_SYMBOLS`].

use std::ffi::c_void;

use vgpu_abi::{AccessKind, TaskDependence, TaskEvent, ThreadContext};

use super::heap::{vgpu_checked_free, vgpu_checked_malloc, vgpu_checked_realloc};
use super::launch::{Access, Actor, LaunchChecks, Variable};
use super::race::{Announced, Meeting};
use crate::abi as engine;
use crate::fiber;
use crate::sm::Sm;
use crate::warp;

/// Who announces something.
pub struct Announcer<'a> {
    /// Its multiprocessor.
    pub sm: &'a Sm,
    /// The checks of its launch.
    pub checks: &'a LaunchChecks,
    /// Its thread; in warp form, the first one.
    pub actor: Actor,
    /// In warp form, the lane that it is for.
    pub lane: usize,
}

impl Announcer<'_> {
    /// `None` if the launch is not checked.
    ///
    /// # Safety
    /// `cx` is the context of the running fiber.
    #[inline(always)]
    pub unsafe fn new<'a>(cx: *mut ThreadContext) -> Option<Announcer<'a>> {
        // SAFETY: the caller's contract. The run outlives its fibers.
        let (sm, fiber) = unsafe { fiber::locate(cx) };
        // SAFETY: as above: nobody else has written the context.
        let block = { sm.block_of_regions.get() }.unwrap_or_else(|| unsafe { (*cx).ctaid });
        let state = &sm.fiber_states[usize::from(fiber)];
        // SAFETY: as above.
        let checks = unsafe { (*sm.run.get()).checks }?;
        let actor = Actor {
            block,
            thread: state.thread.get(),
        };
        Some(Announcer {
            sm,
            checks,
            actor,
            lane: state.lane.get().into(),
        })
    }

    /// Threads of the block that have not ended.
    fn live(&self) -> u32 {
        // SAFETY: used for this call only.
        unsafe { self.sm.block() }.live()
    }
}

/// Defines functions whose first parameter is the caller's context.
macro_rules! announcements {
    ($(fn $name:ident($announcer:ident, $($parameter:ident: $type:ty),*) $body:block)*) => {$(
        /// See [`vgpu_abi::CHECK_SYMBOLS`].
        ///
        /// # Safety
        /// `cx` is the context of the running fiber.
        pub unsafe extern "C" fn $name(cx: *mut ThreadContext, $($parameter: $type),*) {
            // SAFETY: the caller's contract.
            if let Some($announcer) = unsafe { Announcer::new(cx) } {
                $body
            }
        }
    )*};
}

announcements! {
    fn vgpu_access(it, site: u32, kind: u32, size: u64, address: *mut c_void, value: u64) {
        if size == 0 {
            it.sm.heap_site.set(site);
        }
        it.checks.access(it.actor, access(site, kind, size, address, value));
    }

    fn vgpu_outside(
        it, site: u32, kind: u32, size: u64, address: *mut c_void, object: *mut c_void, extent: u64,
        declaration: u32
    ) {
        let actor = it.actor.lane(it.lane);
        let variable = Variable { start: object as u64, extent, declaration };
        it.checks.outside(actor, access(site, kind, size, address, 0), variable);
    }

    fn vgpu_fence(it, kind: u32) {
        it.checks.fence(std::iter::once(it.actor.thread), AccessKind(kind));
    }

    fn vgpu_lanes_arrive(it, mask: u64) {
        let meeting = Meeting::Lanes(it.actor.thread & !31, mask);
        it.checks.arrive(meeting, it.actor.thread, 1, true);
    }

    fn vgpu_lanes_leave(it, mask: u64) {
        let meeting = Meeting::Lanes(it.actor.thread & !31, mask);
        it.checks.leave(meeting, it.actor.thread, it.live());
    }

    fn vgpu_members(it, site: u32) {
        // SAFETY: used for this call only.
        let absent = unsafe { it.sm.block() }.absent(it.actor.thread);
        it.checks.named_absent(it.actor, site, absent);
    }

    fn vgpu_task(it, event: u32, task: *mut c_void, number: u64, list: *const TaskDependence) {
        let depends = match list.is_null() {
            true => &[],
            // SAFETY: compiled code has a list of so many dependences.
            false => unsafe { std::slice::from_raw_parts(list, number as usize) },
        };
        let announced = Announced { task: task as u64, number, depends };
        it.checks.task(it.actor, TaskEvent::ALL[event as usize], &announced);
    }

    fn vgpu_warp_members(it, site: u32, mask: u64, lanes: u64) {
        it.checks.named_absent(it.actor, site, mask & !lanes);
    }

    fn vgpu_warp_access(
        it, site: u32, kind: u32, size: u64, lanes: u64, value: u64, first: *mut c_void, stride: i64
    ) {
        if size == 0 {
            it.sm.heap_site.set(site);
        }
        it.checks.accesses(it.actor, access(site, kind, size, first, value), lanes, stride);
    }

    fn vgpu_warp_access_tile(
        it, site: u32, kind: u32, size: u64, lanes: u64, value: u64, first: *mut c_void, columns: u32, across: i64,
        down: i64
    ) {
        let all = access(site, kind, size, first, value);
        it.checks.tile(it.actor, all, lanes, (columns, across, down));
    }

    fn vgpu_warp_access_each(
        it, site: u32, kind: u32, size: u64, lanes: u64, value: u64, addresses: *const *mut c_void
    ) {
        let count = 64 - lanes.leading_zeros();
        // SAFETY: compiled code has an address for each lane.
        let addresses = unsafe { std::slice::from_raw_parts(addresses.cast(), count as usize) };
        let all = access(site, kind, size, std::ptr::null_mut(), value);
        it.checks.gather(it.actor, all, lanes, addresses);
    }

    fn vgpu_warp_access_sizes(
        it, site: u32, kind: u32, lanes: u64, value: u64, addresses: *const *mut c_void, sizes: *const u64
    ) {
        let count = (64 - lanes.leading_zeros()) as usize;
        // SAFETY: compiled code has an address for each lane.
        let addresses = unsafe { std::slice::from_raw_parts(addresses.cast::<u64>(), count) };
        // SAFETY: and a size.
        let sizes = unsafe { std::slice::from_raw_parts(sizes, count) };
        let all = access(site, kind, 0, std::ptr::null_mut(), value);
        it.checks.ranges(it.actor, all, lanes, addresses, sizes);
    }

    fn vgpu_warp_fence(it, kind: u32, lanes: u64) {
        let threads = warp::lanes(lanes).map(|lane| it.actor.lane(lane).thread);
        it.checks.fence(threads, AccessKind(kind));
    }

    fn vgpu_warp_meet(it, lanes: u64) {
        it.checks.meet(it.actor.thread, lanes, it.live());
    }
}

/// Defines the checked functions of barriers: threads come to a meeting, call the engine, and go on.
macro_rules! barriers {
    ($($name:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)?, $plain:ident, $waits:literal, $lanes:expr;)*) => {$(
        /// See [`vgpu_abi::CHECKED_SYMBOLS`].
        ///
        /// # Safety
        /// As for the engine's function.
        pub unsafe extern "C" fn $name(
            cx: *mut ThreadContext, site: u32, id: u32, count: u32, $($parameter: $type),*
        ) $(-> $result)? {
            // SAFETY: the caller's contract.
            if let Some(it) = unsafe { Announcer::new(cx) } {
                it.checks.come_to_barrier(it.sm.index, it.actor, (site, id), $lanes, $waits);
            }
            // SAFETY: the caller's contract.
            let result = unsafe { engine::$plain(cx, site, id, count, $($parameter),*) };
            // SAFETY: the caller's contract.
            if $waits && let Some(it) = unsafe { Announcer::new(cx) } {
                let first = it.actor.lane(warp::lanes($lanes).next().unwrap_or(0));
                it.checks.leave_barrier(it.sm.index, first, (id, count), it.live());
            }
            result
        }
    )*};
}

barriers! {
    vgpu_checked_barrier(), vgpu_barrier, true, 1;
    vgpu_checked_barrier_arrive(), vgpu_barrier_arrive, false, 1;
    vgpu_checked_barrier_reduce(mode: u32, pred: u32) -> u32, vgpu_barrier_reduce, true, 1;
    vgpu_checked_warp_barrier(lanes: u64, elsewhere: u64), vgpu_warp_barrier, true, lanes;
    vgpu_checked_warp_barrier_arrive(lanes: u64, elsewhere: u64), vgpu_warp_barrier_arrive, false, lanes;
    vgpu_checked_warp_barrier_reduce(mode: u32, lanes: u64, elsewhere: u64, preds: u64) -> u32,
        vgpu_warp_barrier_reduce, true, lanes;
}

fn access(site: u32, kind: u32, size: u64, address: *mut c_void, value: u64) -> Access {
    Access {
        site,
        kind: AccessKind(kind),
        size,
        address: address as u64,
        value,
    }
}

/// The address of one of these functions by its symbol.
pub fn function(symbol: &str) -> Option<u64> {
    macro_rules! table {
        ($($name:ident),*) => { match symbol { $(stringify!($name) => Some($name as *const () as u64),)* _ => None } };
    }
    table!(
        vgpu_access,
        vgpu_outside,
        vgpu_fence,
        vgpu_lanes_arrive,
        vgpu_lanes_leave,
        vgpu_members,
        vgpu_task,
        vgpu_warp_members,
        vgpu_warp_access,
        vgpu_warp_access_tile,
        vgpu_warp_access_each,
        vgpu_warp_access_sizes,
        vgpu_warp_fence,
        vgpu_warp_meet,
        vgpu_checked_barrier,
        vgpu_checked_barrier_arrive,
        vgpu_checked_barrier_reduce,
        vgpu_checked_warp_barrier,
        vgpu_checked_warp_barrier_arrive,
        vgpu_checked_warp_barrier_reduce,
        vgpu_checked_malloc,
        vgpu_checked_realloc,
        vgpu_checked_free
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_symbol_exists() {
        for symbol in vgpu_abi::CHECK_SYMBOLS {
            assert!(super::function(symbol).is_some(), "{symbol}");
        }
        for symbol in vgpu_abi::CHECKED_SYMBOLS {
            let symbol = vgpu_abi::checked_symbol(symbol);
            assert!(super::function(&symbol).is_some(), "{symbol}");
        }
    }
}
