//! `omptarget timeline`: draws a trace of `LIBOMPTARGET_PROFILE`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use omptarget_driver::{Failure, Result};
use serde::Deserialize;
use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Style, Text, Title};

const HELP: &str = "\
Examples:
  LIBOMPTARGET_PROFILE=trace.json ./program
  omptarget timeline trace.json -o timeline.svg
  omptarget timeline trace.json --from 130 --to 150 -o part.svg

The trace itself opens in Perfetto, where it can be searched and zoomed.";

/// Arguments of `omptarget timeline`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// The trace
    trace: PathBuf,
    /// The picture (SVG)
    #[arg(short, long)]
    output: PathBuf,
    /// First moment shown, in milliseconds of the trace
    #[arg(long)]
    from: Option<f64>,
    /// Last moment shown, in milliseconds of the trace
    #[arg(long)]
    to: Option<f64>,
}

/// A complete event of the "Trace Event Format"; times in microseconds.
#[derive(Debug, Deserialize)]
struct Event {
    name: String,
    cat: String,
    ts: f64,
    dur: f64,
    tid: i64,
    args: Arguments,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    device: u64,
    #[serde(default)]
    location: String,
    #[serde(default)]
    bytes: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trace {
    trace_events: Vec<Event>,
}

/// Categories with a colour of their own: the name in the trace, and the class of the rectangles.
const CATEGORIES: [(&str, &str); 7] = [
    ("construct", "n"),
    ("load", "l"),
    ("stage", "s"),
    ("kernel", "k"),
    ("copy to device", "t"),
    ("copy from device", "f"),
    ("copy on device", "o"),
];

const STYLE: &str = "\
svg{background:#fff}text{font:11px sans-serif;fill:#333}.w{fill:#fff}.g{stroke:#ddd}\
.n{fill:#b0bec5}.l{fill:#ab8fd0}.s{fill:#d3c4ea}.k{fill:#2f7d4f}.t{fill:#d9822b}.f{fill:#3572b0}.o{fill:#8a8a2b}";

const WIDTH: f64 = 960.0;
const LEFT: f64 = 110.0;
const TOP: f64 = 44.0;
const ROW: f64 = 20.0;
/// Narrower spans would be invisible.
const NARROWEST: f64 = 0.6;
/// Width of a wide letter.
const LETTER: f64 = 6.5;

/// Draws.
pub fn timeline(options: &Options) -> Result<()> {
    let trace = read(&options.trace)?;
    let picture = draw(&trace, options.from, options.to).map_err(|why| Failure::File {
        file: options.trace.display().to_string(),
        why,
    })?;
    let path = options.output.display();
    svg::save(&options.output, &picture).map_err(Failure::system(format!("cannot write {path}")))
}

fn read(path: &Path) -> Result<Trace> {
    let shown = path.display().to_string();
    let text = std::fs::read(path).map_err(Failure::system(format!("cannot read {shown}")))?;
    serde_json::from_slice(&text).map_err(|error| Failure::File {
        file: shown,
        why: format!("not a trace of LIBOMPTARGET_PROFILE: {error}"),
    })
}

/// The mapping from microseconds to the picture.
struct Scale {
    begin: f64,
    end: f64,
}

impl Scale {
    fn x(&self, time: f64) -> f64 {
        let part = (time.clamp(self.begin, self.end) - self.begin) / (self.end - self.begin);
        LEFT + part * (WIDTH - LEFT - 10.0)
    }

    /// A round step between marks: 1, 2 or 5 times a power of ten.
    fn step(&self) -> f64 {
        let least = (self.end - self.begin) / 10.0;
        let power = 10f64.powf(least.log10().floor());
        let factors = [1.0, 2.0, 5.0, 10.0];
        let factor = factors.iter().find(|factor| *factor * power >= least);
        factor.unwrap_or(&10.0) * power
    }
}

/// The compilation with which a cold run begins, if it would take most of the picture.
struct Compilation {
    /// How long it took.
    time: f64,
    /// Its end, or a little later: shortly before the first kernel or copy.
    end: f64,
}

impl Compilation {
    fn of(trace: &Trace, end: f64) -> Option<Compilation> {
        let is_work =
            |event: &&Event| !["construct", "load", "stage"].contains(&event.cat.as_str());
        let work = trace.trace_events.iter().filter(is_work);
        let first = work.map(|event| event.ts).fold(f64::INFINITY, f64::min);
        let is_compilation =
            |event: &&Event| event.cat == "stage" && event.name.starts_with("compile");
        let compilations = trace.trace_events.iter().filter(is_compilation);
        let before = compilations.filter(|event| event.ts + event.dur <= first);
        let (time, last) = before.fold((0.0, 0.0), |(time, last), event| {
            (time + event.dur, f64::max(last, event.ts + event.dur))
        });
        let margin = (end - first) / 50.0;
        (time > end / 2.0).then(|| Compilation {
            time,
            end: f64::max(last, first - margin),
        })
    }
}

fn draw(
    trace: &Trace,
    from: Option<f64>,
    to: Option<f64>,
) -> std::result::Result<Document, String> {
    let ends = trace.trace_events.iter().map(|event| event.ts + event.dur);
    let end = to.map_or(ends.fold(0.0, f64::max), |to| to * 1e3);
    let compilation = Compilation::of(trace, end).filter(|_| from.is_none());
    let begin = compilation
        .as_ref()
        .map_or(0.0, |compilation| compilation.end);
    let scale = Scale {
        begin: from.map_or(begin, |from| from * 1e3),
        end,
    };
    let shown = |event: &&Event| event.ts < scale.end && event.ts + event.dur > scale.begin;
    let events: Vec<&Event> = trace.trace_events.iter().filter(shown).collect();
    if events.is_empty() || scale.begin >= scale.end {
        return Err("no event lies in that time".into());
    }
    // A row for the constructs of each thread, and one for what they do on each device.
    let row_of = |event: &Event| {
        let device = (event.cat != "construct").then_some(event.args.device);
        (event.tid, device)
    };
    let mut rows: BTreeMap<_, f64> = events.iter().map(|event| (row_of(event), 0.0)).collect();
    for (index, y) in rows.values_mut().enumerate() {
        *y = TOP + index as f64 * (ROW + 4.0);
    }
    let note = if compilation.is_some() { 16.0 } else { 0.0 };
    let height = TOP + rows.len() as f64 * (ROW + 4.0) + 8.0 + note;
    let mut document = Document::new()
        .set("viewBox", (0, 0, WIDTH, height))
        .set("width", WIDTH)
        .add(Style::new(STYLE))
        .add(legend())
        .add(axis(&scale, height));
    if let Some(Compilation { time, .. }) = compilation {
        let time = milliseconds(time);
        let note = format!("Not drawn: {time} of compilation before. --from 0 draws it.");
        document = document.add(Text::new(note).set("x", LEFT).set("y", height - 4.0));
    }
    for ((thread, device), y) in &rows {
        let label = device.map_or(format!("thread {thread}"), |device| {
            format!("device {device}")
        });
        document = document.add(Text::new(label).set("x", 6).set("y", y + 14.0));
    }
    for event in events {
        document = document.add(span(event, &scale, rows[&row_of(event)]));
    }
    Ok(document)
}

fn legend() -> Group {
    let mut x = LEFT;
    let mut group = Group::new();
    for (name, class) in CATEGORIES {
        let key = Rectangle::new().set("class", class).set("x", x).set("y", 6);
        group = group
            .add(key.set("width", 10).set("height", 10))
            .add(Text::new(name).set("x", x + 14.0).set("y", 15));
        x += 40.0 + LETTER * name.len() as f64;
    }
    group
}

fn axis(scale: &Scale, height: f64) -> Group {
    let step = scale.step();
    let mut group = Group::new();
    let mut mark = (scale.begin / step).ceil();
    while mark * step <= scale.end {
        let x = tenth(scale.x(mark * step));
        if x > WIDTH - 40.0 {
            break;
        }
        let line = Line::new().set("class", "g").set("x1", x).set("x2", x);
        group = group.add(line.set("y1", 36).set("y2", height)).add(
            Text::new(milliseconds(mark * step))
                .set("x", x + 2.0)
                .set("y", 34),
        );
        mark += 1.0;
    }
    group
}

fn span(event: &Event, scale: &Scale, y: f64) -> Group {
    let class = CATEGORIES.iter().find(|(name, _)| *name == event.cat);
    let (x, end) = (scale.x(event.ts), scale.x(event.ts + event.dur));
    let width = (end - x).max(NARROWEST);
    let rectangle = Rectangle::new()
        .set("class", class.map_or("n", |(_, class)| class))
        .set("x", tenth(x))
        .set("y", y)
        .set("width", tenth(width))
        .set("height", ROW);
    let group = Group::new().add(Title::new(describe(event))).add(rectangle);
    let label = label(event);
    // Only the line, where the file's name does not fit.
    let line = label.find(':').map_or("", |at| &label[at..]);
    let fits = |text: &&str| !text.is_empty() && LETTER * text.len() as f64 + 4.0 <= width;
    let Some(label) = [label.as_str(), line].into_iter().find(fits) else {
        return group;
    };
    let text = Text::new(label).set("x", tenth(x + 3.0)).set("y", y + 14.0);
    group.add(text.set("class", if event.cat == "construct" { "" } else { "w" }))
}

/// `kmeans.cpp:116` of `…/examples/kmeans.cpp:116:1 in on_device`, or as much of it as there is.
fn label(event: &Event) -> String {
    let place = event.args.location.split(" in ").next().unwrap_or_default();
    let file = place.rsplit('/').next().unwrap_or_default();
    let mut parts = file.split(':');
    match (event.cat.as_str(), parts.next(), parts.next()) {
        ("construct", ..) => event.name.clone(),
        ("kernel", Some(file), Some(line)) => format!("{file}:{line}"),
        _ => event
            .name
            .split(['[', ' '])
            .next()
            .unwrap_or_default()
            .replace('\'', ""),
    }
}

fn describe(event: &Event) -> String {
    let mut text = format!(
        "{}: {}, {}",
        event.cat,
        label(event),
        milliseconds(event.dur)
    );
    if event.args.bytes > 0 {
        text += &format!(", {}", crate::info::size(event.args.bytes));
    }
    text
}

fn milliseconds(time: f64) -> String {
    let text = format!("{:.3}", time / 1e3);
    format!("{} ms", text.trim_end_matches('0').trim_end_matches('.'))
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        let text = r#"{"displayTimeUnit":"ns","traceEvents":[
            {"name":"target","cat":"construct","ph":"X","ts":1000,"dur":9000,"pid":1,"tid":7,
             "args":{"device":0,"location":"/a/b.c:3:1 in main"}},
            {"name":"k<int>","cat":"kernel","ph":"X","ts":2000,"dur":7000,"pid":1,"tid":7,
             "args":{"device":0,"location":"/a/b.c:3:1 in main"}},
            {"name":"'a[0:4]' (16 bytes)","cat":"copy to device","ph":"X","ts":1500,"dur":400,"pid":1,"tid":7,
             "args":{"device":0,"bytes":16}}]}"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn spans_have_places_and_labels() {
        let picture = draw(&trace(), None, None).unwrap().to_string();
        for part in [
            "thread 7",
            "device 0",
            "b.c:3",
            "target",
            "copy to device: a, 0.4 ms, 16 bytes",
            "8 ms",
        ] {
            assert!(picture.contains(part), "{part} missing in {picture}");
        }
        assert_eq!(picture.matches("<title").count(), 3);
    }

    /// The picture begins shortly before the first kernel or copy, and says what is missing.
    #[test]
    fn compilation_is_cropped() {
        let mut trace = trace();
        let compilation = |ts, dur| Event {
            name: "compile".into(),
            cat: "stage".into(),
            ts,
            dur,
            tid: 7,
            args: Arguments {
                device: 0,
                location: String::new(),
                bytes: 0,
            },
        };
        trace.trace_events.push(compilation(10.0, 900.0));
        let short = draw(&trace, None, None).unwrap().to_string();
        assert!(!short.contains("Not drawn"), "{short}");
        for event in &mut trace.trace_events[..3] {
            event.ts += 1e6;
        }
        trace.trace_events.push(compilation(1000.0, 1e6));
        let long = draw(&trace, None, None).unwrap().to_string();
        assert!(
            long.contains("Not drawn: 1000.9 ms of compilation"),
            "{long}"
        );
        assert_eq!(long.matches("<title").count(), 3);
        let whole = draw(&trace, Some(0.0), None).unwrap().to_string();
        assert_eq!(whole.matches("<title").count(), 5);
    }

    #[test]
    fn a_part_of_the_time() {
        let picture = draw(&trace(), Some(3.0), Some(4.0)).unwrap().to_string();
        assert_eq!(picture.matches("<title").count(), 2);
        assert!(draw(&trace(), Some(20.0), Some(30.0)).is_err());
        assert!(draw(&trace(), Some(4.0), Some(3.0)).is_err());
    }
}
