//! `OMPTARGET_SUMMARY`: a table of what the devices did and what is still mapped.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use super::event::{Event, Kind, Recorded};

/// Counts and times of one row.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    count: u64,
    total: Duration,
    longest: Duration,
    bytes: u64,
}

/// Device, kind, name, place.
type Key = (usize, Kind, Arc<str>, Arc<str>);

/// Sums of everything that ended.
#[derive(Default)]
pub(super) struct Totals(BTreeMap<Key, Row>);

impl Totals {
    pub(super) fn add(&mut self, event: &Event) {
        let (name, place) = match event.kind {
            Kind::Construct => return,
            Kind::Kernel => (event.name.clone(), event.location.clone()),
            Kind::Stage => (event.name.clone(), Arc::default()),
            // One row for all copies of a direction, because a program may name thousands of sections.
            _ => (Arc::default(), Arc::default()),
        };
        let row = self
            .0
            .entry((event.device, event.kind, name, place))
            .or_default();
        let time = event.end - event.begin;
        row.count += 1;
        row.total += time;
        row.longest = row.longest.max(time);
        row.bytes += event.bytes;
    }
}

fn label(kind: Kind, name: &str, place: &str) -> String {
    match kind {
        Kind::Kernel if place.is_empty() => format!("kernel {name}"),
        Kind::Kernel => format!("kernel at {place}"),
        Kind::Load => "loading images".into(),
        Kind::Stage => format!("  of that: {name}"),
        Kind::ToDevice => "copies to the device".into(),
        Kind::ToHost => "copies from the device".into(),
        Kind::OnDevice => "copies on the device".into(),
        Kind::Construct => "constructs".into(),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The state of a device at the end of the program.
pub struct DeviceState {
    /// Its OpenMP device number.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// The mappings that nobody has removed.
    pub still_mapped: Vec<StillMapped>,
}

/// A mapping that nobody has removed.
pub struct StillMapped {
    /// The mapping, as text.
    pub mapping: String,
    /// Location of the construct that created it, if that was recorded.
    pub origin: Option<Arc<str>>,
}

/// The table; empty if nothing happened and nothing is still mapped. `running` has not ended.
pub(super) fn table(totals: &Totals, running: &[Recorded], devices: &[DeviceState]) -> String {
    let mut text = String::new();
    for device in devices {
        // Writing to a string cannot fail.
        let _infallible = write_device(&mut text, totals, running, device);
    }
    text
}

fn write_device(
    text: &mut String,
    totals: &Totals,
    running: &[Recorded],
    device: &DeviceState,
) -> fmt::Result {
    // Constructs consist of the others.
    let running = running.iter().map(|recorded| &recorded.event);
    let running: Vec<_> = running
        .filter(|event| event.device == device.number && event.kind != Kind::Construct)
        .collect();
    let rows: Vec<_> = totals
        .0
        .iter()
        .filter(|((number, ..), _)| *number == device.number)
        .collect();
    if rows.is_empty() && running.is_empty() && device.still_mapped.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "omptarget summary: device {} ({})",
        device.number, device.name
    )?;
    writeln!(
        text,
        "  {:>8} {:>12} {:>12} {:>12} {:>14}  what",
        "count", "total ms", "mean ms", "longest ms", "bytes"
    )?;
    for ((_, kind, name, place), row) in rows {
        let mean = row
            .total
            .checked_div(row.count.try_into().unwrap_or(u32::MAX))
            .unwrap_or_default();
        writeln!(
            text,
            "  {:>8} {:>12.3} {:>12.3} {:>12.3} {:>14}  {}",
            row.count,
            milliseconds(row.total),
            milliseconds(mean),
            milliseconds(row.longest),
            row.bytes,
            label(*kind, name, place)
        )?;
    }
    for event in running {
        let time = milliseconds(event.end - event.begin);
        let what = label(event.kind, &event.name, &event.location);
        writeln!(text, "  interrupted after {time:.3} ms: {what}")?;
    }
    for line in &device.still_mapped {
        let unknown = || "an unknown location".into();
        let origin = line.origin.clone().unwrap_or_else(unknown);
        writeln!(text, "  still mapped: {}, since {origin}", line.mapping)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn event(kind: Kind, bytes: u64, milliseconds: u64) -> Event {
        let begin = Instant::now();
        Event {
            kind,
            name: "k".into(),
            location: "a.c:3:1 in main".into(),
            device: 0,
            bytes,
            begin,
            end: begin + Duration::from_millis(milliseconds),
        }
    }

    #[test]
    fn sums_and_leaks() {
        let device = |still_mapped| DeviceState {
            number: 0,
            name: "test".into(),
            still_mapped,
        };
        let mut totals = Totals::default();
        assert_eq!(table(&totals, &[], &[device(Vec::new())]), "");
        totals.add(&event(Kind::Kernel, 0, 2));
        totals.add(&event(Kind::Kernel, 0, 4));
        totals.add(&event(Kind::ToDevice, 100, 1));
        totals.add(&event(Kind::ToDevice, 28, 1));
        let left = StillMapped {
            mapping: "'p[0:32]' [0x10, 0x30) (32 bytes)".into(),
            origin: Some("a.c:9:1 in main".into()),
        };
        let text = table(
            &totals,
            &[Recorded::here(event(Kind::Kernel, 0, 5))],
            &[device(vec![left])],
        );
        let kernel = "       2        6.000        3.000        4.000              0  \
                      kernel at a.c:3:1 in main";
        assert!(text.contains(kernel), "{text}");
        assert!(text.contains("128  copies to the device"), "{text}");
        assert!(
            text.contains("  interrupted after 5.000 ms: kernel at a.c:3:1 in main\n"),
            "{text}"
        );
        assert!(
            text.contains("still mapped: 'p[0:32]' [0x10, 0x30) (32 bytes), since a.c:9:1 in main"),
            "{text}"
        );
    }
}
