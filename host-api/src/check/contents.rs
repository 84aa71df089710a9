//! Copies that are stale: the host's, which a construct does not copy again although it has changed, and the device's,
//! whose changes nobody copies back.
//!
//! After each copy both sides have the same bytes. They are kept here, and compared when a construct begins on a
//! section that is mapped already, and when a mapping goes. What the host reads in between cannot be seen.

use std::ops::Range;

use findings::{Finding, Note};
use plugin_api::{DevicePtr, Stream};

use crate::check::known_mapping::KnownMapping;
use crate::check::mappings::{Live, with, with_address};
use crate::check::misuse::warning;
use crate::check::{variables, wanted};
use crate::device::omp_device::OmpDevice;
use crate::host_memory::host_bytes;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::mapped_range::Mapping;

/// Larger mappings are not compared.
const MOST_BYTES: u64 = 64 << 20;

/// What both sides of a mapping had after the last copies.
pub struct Contents {
    /// Host address of the first byte.
    begin: u64,
    /// Each byte that was copied. Empty where nothing is compared.
    bytes: Vec<Option<u8>>,
    /// Whether something was copied to the host.
    was_read: bool,
    /// Whether it goes because the program deletes it.
    is_deleted: bool,
}

impl Contents {
    /// Those of a new mapping: nothing has been copied.
    pub fn of(known: &KnownMapping) -> Contents {
        let size = known.host.end - known.host.start;
        let compared = wanted().host && size <= MOST_BYTES;
        Contents {
            begin: known.host.start,
            bytes: vec![None; if compared { size as usize } else { 0 }],
            was_read: false,
            is_deleted: false,
        }
    }

    fn part(&mut self, range: &Range<u64>) -> &mut [Option<u8>] {
        let from = range.start.saturating_sub(self.begin) as usize;
        let to = range.end.saturating_sub(self.begin) as usize;
        self.bytes.get_mut(from..to).unwrap_or_default()
    }

    /// Both sides have the bytes of the host.
    fn set(&mut self, range: &Range<u64>, host: &[u8]) {
        let part = self.part(range).iter_mut();
        part.zip(host)
            .for_each(|(known, byte)| *known = Some(*byte));
    }

    /// How many bytes of one side differ from what was copied, and the offset of the first.
    fn difference(&mut self, range: &Range<u64>, now: &[u8]) -> Option<(usize, usize)> {
        let pairs = self.part(range).iter().zip(now).enumerate();
        let differs = |(at, (known, byte)): (usize, (&Option<u8>, &u8))| {
            known.is_some_and(|known| known != *byte).then_some(at)
        };
        let mut different = pairs.filter_map(differs);
        let first = different.next()?;
        Some((1 + different.count(), first))
    }
}

/// The host bytes at `range` were queued for a copy to the device.
pub fn copied_to_device(mapping: &Mapping, range: &Range<u64>) {
    if wanted().host
        && let Some(bytes) = host_bytes(range)
    {
        with(mapping, |live| live.contents.set(range, &bytes));
        variables::copied(mapping.address.0, range, &bytes);
    }
}

/// A copy of `range` to the host was queued on `stream`.
pub fn copied_to_host(
    stream: &dyn Stream,
    mapping: &Mapping,
    range: Range<u64>,
) -> plugin_api::Result<()> {
    if !wanted().host {
        return Ok(());
    }
    let address = mapping.address.0;
    stream.call(Box::new(move || {
        if let Some(bytes) = host_bytes(&range) {
            with_address(address, |live| {
                live.contents.set(&range, &bytes);
                live.contents.was_read = true;
            });
            variables::copied(address, &range, &bytes);
        }
    }))
}

/// The program deletes a mapping: it wants nothing of it.
pub fn deleted(mapping: &Mapping) {
    if wanted().host {
        with(mapping, |live| live.contents.is_deleted = true);
    }
}

/// A construct has found `item` mapped and copies nothing: the host's bytes should be those that were copied.
pub fn check_host(item: &MapItem, mapping: &Mapping) {
    let copies = item.kind.contains(MapType::TO) && !item.kind.contains(MapType::ALWAYS);
    if !wanted().host || !copies || item.size == 0 || item.size > MOST_BYTES {
        return;
    }
    let range = item.part_inside(&mapping.host);
    let Some(now) = host_bytes(&range) else {
        return;
    };
    let stale = with(mapping, |Live { known, contents }| {
        let difference = contents.difference(&range, &now)?;
        // Once is enough.
        contents.part(&range).fill(None);
        Some((known.clone(), difference))
    });
    if let Some((known, (bytes, first))) = stale.flatten() {
        report_stale_device(item, &known, bytes, first);
    }
}

fn report_stale_device(item: &MapItem, known: &KnownMapping, bytes: usize, first: usize) {
    let name = item.name.expression();
    let section = match &*name {
        "" => "the section",
        name => name,
    };
    let verb = format!(
        "has changed on the host since it was copied to the device: `{}` copies nothing, because it is mapped already",
        item.kind
    );
    let difference = Note {
        text: format!(
            "{bytes} of {} bytes differ, the first at offset {first}",
            item.size
        ),
        location: None,
    };
    findings::report(Finding {
        size: item.size,
        notes: vec![difference, known.mapped_by()],
        hint: Some(format!(
            "`target update to({section})` brings the new values to the device, or map(always, to: {section})"
        )),
        ..warning(format!("{} {verb}", known.title()))
    });
}

/// A mapping goes: what kernels wrote to a section that is mapped `to` should have been copied back.
pub fn check_device(device: &OmpDevice, mapping: &Mapping) {
    if !wanted().host {
        return;
    }
    let is_compared = |live: &mut Live| {
        let (kind, contents) = (live.known.kind, &live.contents);
        kind.contains(MapType::TO)
            && !kind.intersects(MapType::FROM | MapType::IMPLICIT)
            && !contents.was_read
            && !contents.is_deleted
            && !contents.bytes.is_empty()
    };
    if with(mapping, is_compared) != Some(true) {
        return;
    }
    let range = mapping.host.clone();
    let mut now = vec![0u8; (range.end - range.start) as usize];
    // SAFETY: the destination is as many bytes of our own.
    let read = unsafe {
        let from = DevicePtr(mapping.address.0);
        device.device.read(now.as_mut_ptr(), from, now.len())
    };
    if read.is_err() {
        return;
    }
    // Pointers that were attached differ, as they should.
    let gaps = mapping.lock().attachments().map(|those| those.gaps(&range));
    let lost = with(mapping, |Live { known, contents }| {
        let whole = std::iter::once(0..now.len()).collect();
        let gaps: Vec<Range<usize>> = gaps.unwrap_or(whole);
        let bytes: usize = gaps
            .into_iter()
            .filter_map(|gap| {
                let part = range.start + gap.start as u64..range.start + gap.end as u64;
                contents.difference(&part, &now[gap])
            })
            .map(|(bytes, _)| bytes)
            .sum();
        (bytes > 0).then(|| (known.clone(), bytes))
    });
    if let Some((known, bytes)) = lost.flatten() {
        report_lost(&known, bytes);
    }
}

fn report_lost(known: &KnownMapping, bytes: usize) {
    let text = "is unmapped, and what kernels wrote to it is lost: it was mapped `to` and never copied back";
    let difference = Note {
        text: format!("{bytes} bytes were changed on the device"),
        location: None,
    };
    let section = match known.name.as_str() {
        "" => "…",
        name => name,
    };
    findings::report(Finding {
        notes: vec![difference, known.mapped_by()],
        hint: Some(format!(
            "map(tofrom: {section}) copies it back; map(release: …) or an array of its own says that nobody needs it"
        )),
        ..warning(format!("{} {text}", known.title()))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_copied_are_compared() {
        let mut contents = Contents {
            begin: 100,
            bytes: vec![None; 8],
            was_read: false,
            is_deleted: false,
        };
        assert_eq!(contents.difference(&(100..108), &[9; 8]), None);
        contents.set(&(102..106), &[1, 2, 3, 4]);
        assert_eq!(contents.difference(&(102..106), &[1, 2, 3, 4]), None);
        assert_eq!(
            contents.difference(&(100..108), &[0, 0, 1, 0, 3, 0, 7, 7]),
            Some((2, 3))
        );
        // Outside of the mapping there is nothing.
        assert_eq!(contents.difference(&(104..110), &[0; 6]), None);
    }
}
