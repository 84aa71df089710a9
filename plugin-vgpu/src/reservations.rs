//! Addresses of the device window at which the program maps memory by itself.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;

use parking_lot::RwLock;
use plugin_api::{Access, AddressSpace, DevicePtr, Error, Result};

use crate::window::{Protection, Region};

/// The reservations of a device.
#[derive(Default)]
pub struct Reservations(RwLock<State>);

#[derive(Default)]
struct State {
    /// By their first addresses.
    regions: BTreeMap<u64, Region>,
    /// What may be accessed: ends, and whether it may be written, by first addresses.
    accessible: BTreeMap<u64, (u64, bool)>,
}

impl State {
    /// The region of a range, and where the range is in it.
    fn region(&self, at: DevicePtr, size: u64) -> Result<(&Region, u64)> {
        let found = self.regions.range(..=at.0).next_back();
        let found = found.filter(|(_, region)| region.span().contains(at.0, size));
        let (start, region) = found.ok_or(Error::InvalidAccess {
            what: "mapping memory",
            address: at,
            len: size,
        })?;
        Ok((region, at.0 - start))
    }

    /// Forgets what was accessible in a range, but keeps what is beside it.
    fn close(&mut self, start: u64, end: u64) {
        let touched = self.accessible.range(..end);
        let touched = touched.filter(|(_, (other, _))| *other > start);
        let touched: Vec<_> = touched.map(|(begin, rest)| (*begin, *rest)).collect();
        for (begin, (other, writable)) in touched {
            self.accessible.remove(&begin);
            if begin < start {
                self.accessible.insert(begin, (start, writable));
            }
            if other > end {
                self.accessible.insert(end, (other, writable));
            }
        }
    }
}

impl Reservations {
    /// Whether all bytes of a range may be read, or written, whichever mappings they are of.
    pub fn allow(&self, start: u64, len: u64, write: bool) -> bool {
        let state = self.0.read();
        let Some(end) = start.checked_add(len) else {
            return false;
        };
        let mut at = start;
        while at < end {
            let found = state.accessible.range(..=at).next_back();
            match found {
                Some((_, (other, writable))) if *other > at && (*writable || !write) => at = *other,
                _ => return false,
            }
        }
        true
    }
}

impl AddressSpace for Reservations {
    fn reserve(&self, size: u64, align: u64) -> Result<DevicePtr> {
        let region = Region::reserve(size, align)?;
        let start = region.span().start;
        self.0.write().regions.insert(start, region);
        Ok(DevicePtr(start))
    }

    fn release(&self, at: DevicePtr) -> Result<()> {
        let mut state = self.0.write();
        let region = state.regions.remove(&at.0).ok_or(Error::InvalidFree(at))?;
        state.close(at.0, region.span().end());
        Ok(())
    }

    fn map(&self, at: DevicePtr, size: u64, memory: BorrowedFd<'_>, offset: u64) -> Result<()> {
        let state = self.0.write();
        let (region, begin) = state.region(at, size)?;
        region.map(begin, size, Some((memory, offset)))
    }

    fn unmap(&self, at: DevicePtr, size: u64) -> Result<()> {
        let mut state = self.0.write();
        state.close(at.0, at.0 + size);
        let (region, begin) = state.region(at, size)?;
        region.map(begin, size, None)
    }

    fn protect(&self, at: DevicePtr, size: u64, access: Access) -> Result<()> {
        let mut state = self.0.write();
        let (region, begin) = state.region(at, size)?;
        let protection = match access {
            Access::None => Protection::None,
            Access::Read => Protection::Read,
            Access::ReadWrite => Protection::ReadWrite,
        };
        region.protect(begin, size, protection)?;
        state.close(at.0, at.0 + size);
        if access != Access::None {
            let rest = (at.0 + size, access == Access::ReadWrite);
            state.accessible.insert(at.0, rest);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_span_mappings_and_lose_their_middle() {
        let reservations = Reservations::default();
        let mut state = reservations.0.write();
        state.accessible.insert(100, (200, true));
        state.accessible.insert(200, (300, false));
        drop(state);
        assert!(reservations.allow(100, 200, false) && reservations.allow(100, 100, true));
        assert!(!reservations.allow(100, 101, true) && !reservations.allow(100, 201, false));
        assert!(!reservations.allow(99, 2, false) && !reservations.allow(u64::MAX, 2, false));
        reservations.0.write().close(150, 250);
        assert!(reservations.allow(100, 50, true) && reservations.allow(250, 50, false));
        assert!(!reservations.allow(149, 2, false) && !reservations.allow(249, 2, false));
    }
}
