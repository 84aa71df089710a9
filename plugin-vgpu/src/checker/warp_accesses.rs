//! Accesses of many threads at once, as warp forms announce them.

use vgpu_abi::AccessKind;

use super::launch::{Access, Actor, LaunchChecks};
use crate::{warp, window};

/// Bytes between addresses whose shadow is looked at as a whole.
const CLOSE: u64 = 4096;

impl LaunchChecks {
    /// The same access of each thread in `lanes`, counted from the actor; each at `stride` bytes from the one before.
    #[inline(always)]
    pub fn accesses(&self, actor: Actor, access: Access, lanes: u64, stride: i64) {
        if lanes == 0 {
            return;
        }
        let (first, last) = (lanes.trailing_zeros(), 63 - lanes.leading_zeros());
        let at = |lane: u32| {
            access
                .address
                .wrapping_add((i64::from(lane) * stride) as u64)
        };
        if access.kind.has(AccessKind::FRESH) {
            let lanes = warp::lanes(lanes).map(|lane| at(lane as u32));
            return lanes.for_each(|start| self.checker.begin_local(start, access.size));
        }
        let (low, high) = (at(first).min(at(last)), at(first).max(at(last)));
        let dense = stride.unsigned_abs() <= access.size && lanes.count_ones() == last - first + 1;
        if self.is_plain(access, low, high, dense) {
            return self.race_of_lanes(actor, access, lanes, stride);
        }
        for lane in warp::lanes(lanes) {
            let address = at(lane as u32);
            self.access(actor.lane(lane), Access { address, ..access });
        }
    }

    /// The same of lanes in rows of `columns`: a lane's access lies `across` bytes from that of the column before it,
    /// and `down` bytes from that of the row before it.
    pub fn tile(
        &self,
        actor: Actor,
        access: Access,
        lanes: u64,
        (columns, across, down): (u32, i64, i64),
    ) {
        let row_of_lanes = u64::MAX >> (64 - columns);
        if down == 0 && self.repeat(actor, access, lanes, columns, across) {
            return;
        }
        for row in 0..64 / columns {
            let lanes = lanes & row_of_lanes << (row * columns);
            if lanes != 0 {
                // As if the row began with lane 0.
                let back = i64::from(columns).wrapping_mul(across);
                let distance = i64::from(row).wrapping_mul(down.wrapping_sub(back));
                let address = access.address.wrapping_add(distance as u64);
                self.accesses(actor, Access { address, ..access }, lanes, across);
            }
        }
    }

    /// Rows of lanes that read the same, each lane of a row an element of its own. Gives whether that is so, and
    /// nothing else is to be said.
    fn repeat(&self, actor: Actor, access: Access, lanes: u64, columns: u32, across: i64) -> bool {
        let row_of_lanes = u64::MAX >> (64 - columns);
        let first = lanes & row_of_lanes;
        let rows = (64 - lanes.leading_zeros()).div_ceil(columns);
        let all = (0..rows).fold(0, |all, row| all | first << (row * columns));
        let (count, size) = (i64::from(columns), access.size as i64);
        let kind = access.kind;
        if lanes != all
            || across != size
            || kind.has(AccessKind::WRITE)
            || kind.has(AccessKind::ATOMIC)
        {
            return false;
        }
        let high = access.address.wrapping_add((across * (count - 1)) as u64);
        if lanes == 0 || !self.is_plain(access, access.address, high, true) {
            return false;
        }
        let Some((races, access)) = self.compared(access) else {
            return true;
        };
        let last = ((rows - 1) * columns) as u16;
        for conflict in races.repeated(actor.thread, &access, first, across, last) {
            let within = conflict.address.wrapping_sub(access.address) % access.size;
            let address = conflict.address - within;
            self.report_race(actor, Access { address, ..access }, conflict);
        }
        true
    }

    /// The same where each thread has an address of its own.
    pub fn gather(&self, actor: Actor, access: Access, lanes: u64, addresses: &[u64]) {
        let each = || warp::lanes(lanes).map(|lane| addresses[lane]);
        let (low, high) = each().fold((u64::MAX, 0), |(low, high), address| {
            (low.min(address), high.max(address))
        });
        let plain = self.is_plain(access, low, high, false)
            || each().all(|address| self.is_plain(access, address, address, true));
        if plain {
            return self.race_of_each(actor, access, lanes, addresses);
        }
        for lane in warp::lanes(lanes) {
            let address = addresses[lane];
            self.access(actor.lane(lane), Access { address, ..access });
        }
    }

    /// The same where each thread has an address and a size of its own.
    pub fn ranges(
        &self,
        actor: Actor,
        access: Access,
        lanes: u64,
        addresses: &[u64],
        sizes: &[u64],
    ) {
        let Some(&size) = sizes.get(lanes.trailing_zeros() as usize) else {
            return;
        };
        // The lanes of a loop mostly have as many iterations.
        if warp::lanes(lanes).all(|lane| sizes[lane] == size) {
            return self.gather(actor, Access { size, ..access }, lanes, addresses);
        }
        for lane in warp::lanes(lanes) {
            let (address, size) = (addresses[lane], sizes[lane]);
            let access = Access {
                address,
                size,
                ..access
            };
            self.access(actor.lane(lane), access);
        }
    }

    /// Whether nothing is wrong with accesses that begin from `low` to `high`. `dense`: all bytes between are accessed.
    #[inline(always)]
    fn is_plain(&self, access: Access, low: u64, high: u64, dense: bool) -> bool {
        let checker = &*self.checker;
        // A write of the whole range would be one of its gaps, too. Where all was written before, it changes nothing.
        let kind = match !dense && checker.checks.init && access.kind.has(AccessKind::WRITE) {
            true => AccessKind::READ,
            false => access.kind,
        };
        let Some(len) = high.wrapping_sub(low).checked_add(access.size) else {
            return false;
        };
        (dense || len <= CLOSE)
            && access.size > 0
            && !kind.has(AccessKind::LOCK)
            && window::contains(low)
            && window::contains(low.wrapping_add(len))
            && checker.is_plain(kind, low, len)
    }

    /// The same access of several threads to memory of which nothing else is wrong.
    #[inline(always)]
    fn race_of_lanes(&self, actor: Actor, access: Access, lanes: u64, stride: i64) {
        let Some((races, access)) = self.compared(access) else {
            return;
        };
        for conflict in races.lanes(actor.thread, &access, lanes, stride) {
            let lane = i64::from(conflict.present - actor.thread);
            let address = access.address.wrapping_add((lane * stride) as u64);
            self.report_race(actor, Access { address, ..access }, conflict);
        }
    }

    fn race_of_each(&self, actor: Actor, access: Access, lanes: u64, addresses: &[u64]) {
        let Some((races, access)) = self.compared(access) else {
            return;
        };
        for conflict in races.gather(actor.thread, &access, lanes, addresses) {
            let address = addresses[usize::from(conflict.present - actor.thread)];
            self.report_race(actor, Access { address, ..access }, conflict);
        }
    }
}
