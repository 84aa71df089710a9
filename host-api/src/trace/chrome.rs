//! The timeline as a Chrome trace (the "Trace Event Format"), which Perfetto and `chrome://tracing` open.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::event::{Event, Kind, Recorded};

/// A complete event: times in microseconds.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    cat: &'static str,
    ph: &'static str,
    ts: f64,
    dur: f64,
    pid: u32,
    tid: i32,
    args: Arguments<'a>,
}

#[derive(Serialize)]
struct Arguments<'a> {
    device: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    location: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    bytes: u64,
}

fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

fn category(kind: Kind) -> &'static str {
    match kind {
        Kind::Construct => "construct",
        Kind::Load => "load",
        Kind::Stage => "stage",
        Kind::Kernel => "kernel",
        Kind::ToDevice => "copy to device",
        Kind::ToHost => "copy from device",
        Kind::OnDevice => "copy on device",
    }
}

fn line<'a>(event: &'a Event, thread: i32, begin: Instant) -> Line<'a> {
    let microseconds =
        |from: Instant, to: Instant| to.saturating_duration_since(from).as_nanos() as f64 / 1000.0;
    Line {
        name: &event.name,
        cat: category(event.kind),
        ph: "X",
        ts: microseconds(begin, event.begin),
        dur: microseconds(event.begin, event.end),
        pid: std::process::id(),
        tid: thread,
        args: Arguments {
            device: event.device,
            location: &event.location,
            bytes: event.bytes,
        },
    }
}

/// Writes the file.
pub(super) fn write(path: &Path, begin: Instant, events: &[Recorded]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write!(file, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    for (index, recorded) in events.iter().enumerate() {
        write!(file, "{}", if index == 0 { "\n" } else { ",\n" })?;
        serde_json::to_writer(&mut file, &line(&recorded.event, recorded.thread, begin))?;
    }
    writeln!(file, "\n]}}")?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn events_are_json_in_microseconds() {
        let begin = Instant::now();
        let event = Event {
            kind: Kind::ToDevice,
            name: "a\"[0:4]".into(),
            location: "a.c:3:1 in main".into(),
            device: 1,
            bytes: 16,
            begin: begin + Duration::from_nanos(1500),
            end: begin + Duration::from_nanos(3500),
        };
        let text = serde_json::to_string(&line(&event, 7, begin)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["name"], "a\"[0:4]");
        assert_eq!(
            (value["ts"].as_f64(), value["dur"].as_f64()),
            (Some(1.5), Some(2.0))
        );
        assert_eq!(
            (&value["tid"], &value["args"]["bytes"]),
            (&7.into(), &16.into())
        );
    }
}
