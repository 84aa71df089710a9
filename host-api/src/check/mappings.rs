//! The mappings that live, and the last of those that are gone.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use findings::Finding;
use parking_lot::Mutex;

use crate::check::contents::Contents;
use crate::check::known_mapping::{KnownMapping, Relation, of_item, relation};
use crate::check::misuse::warning;
use crate::check::wanted;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::mapped_range::Mapping;

/// Mappings that are gone and still known.
const MOST_GONE: usize = 1024;
/// How long a reporting thread waits for the others.
const PATIENCE: Duration = Duration::from_millis(20);

/// A mapping that lives.
pub struct Live {
    /// The mapping.
    pub known: KnownMapping,
    /// What both sides had after the last copy.
    pub contents: Contents,
}

struct Mappings {
    /// By address on the device. Addresses of two devices differ: each has its own part of the process's addresses.
    live: BTreeMap<u64, Live>,
    gone: VecDeque<KnownMapping>,
}

static MAPPINGS: Mutex<Mappings> = Mutex::new(Mappings {
    live: BTreeMap::new(),
    gone: VecDeque::new(),
});

/// The calling thread's construct has made a mapping for `item`.
pub fn created(item: &MapItem, mapping: &Mapping) {
    if wanted().any() {
        let known = of_item(item, mapping.address.0);
        let contents = Contents::of(&known);
        let live = Live { known, contents };
        MAPPINGS.lock().live.insert(mapping.address.0, live);
    }
}

/// The calling thread's construct has found the mapping of `item`. A member adds its map type to that of the object.
pub fn found(item: &MapItem, mapping: &Mapping) {
    if !wanted().any() {
        return;
    }
    with(mapping, |live| {
        if item.kind.is_member() {
            live.known.kind |= item.kind & (MapType::TO | MapType::FROM);
        }
    });
}

/// A mapping has left the table; its memory is freed next.
pub fn removed(mapping: &Mapping) {
    if !wanted().any() {
        return;
    }
    let mut mappings = MAPPINGS.lock();
    let Some(live) = mappings.live.remove(&mapping.address.0) else {
        return;
    };
    if mappings.gone.len() == MOST_GONE {
        mappings.gone.pop_front();
    }
    mappings.gone.push_back(KnownMapping {
        unmapped: findings::current_origin(),
        ..live.known
    });
}

/// What `action` returns for a mapping that lives.
pub fn with<T>(mapping: &Mapping, action: impl FnOnce(&mut Live) -> T) -> Option<T> {
    with_address(mapping.address.0, action)
}

/// The same for the mapping that begins at a device address.
pub fn with_address<T>(address: u64, action: impl FnOnce(&mut Live) -> T) -> Option<T> {
    MAPPINGS.lock().live.get_mut(&address).map(action)
}

/// The mapping that an address on a device is in, beside or was in. What lives and is near goes before what is gone.
pub fn at_device_address(address: u64) -> Option<(KnownMapping, Relation)> {
    let mappings = MAPPINGS.try_lock_for(PATIENCE)?;
    let beside = |known: &KnownMapping| {
        relation(&known.device, address).map(|relation| (known.clone(), relation))
    };
    let is_inside = |found: &(KnownMapping, Relation)| found.1.distance() == 0;
    let before = mappings.live.range(..=address).next_back();
    let after = mappings.live.range(address..).next();
    let live = || {
        before
            .iter()
            .chain(after.iter())
            .filter_map(|(_, live)| beside(&live.known))
    };
    let inside = live().find(is_inside);
    let gone = || {
        mappings
            .gone
            .iter()
            .rev()
            .filter_map(beside)
            .find(is_inside)
    };
    let nearest = || live().min_by_key(|found| found.1.distance());
    inside.or_else(gone).or_else(nearest)
}

/// The mapping whose host copy has an address.
pub fn at_host_address(address: u64) -> Option<KnownMapping> {
    let mappings = MAPPINGS.try_lock_for(PATIENCE)?;
    let mut live = mappings.live.values().map(|live| &live.known);
    live.find(|known| known.host.contains(&address)).cloned()
}

/// The last mapping of host memory that is gone.
pub fn gone_at_host_address(address: u64) -> Option<KnownMapping> {
    let mappings = MAPPINGS.lock();
    let mut gone = mappings.gone.iter().rev();
    gone.find(|known| known.host.contains(&address)).cloned()
}

/// Reports mappings that were never removed.
pub fn report_leaks() {
    for Live { known, .. } in std::mem::take(&mut MAPPINGS.lock().live).into_values() {
        findings::report(Finding {
            size: known.device.end - known.device.start,
            location: known
                .mapped
                .as_ref()
                .and_then(|origin| origin.location.clone()),
            notes: vec![known.mapped_by()],
            hint: Some(
                "a `target exit data` for each `target enter data` gives the memory back".into(),
            ),
            ..warning(format!(
                "{} is still mapped at the end of the program",
                known.title()
            ))
        });
    }
}
