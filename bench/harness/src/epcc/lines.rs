//! The output of a measuring program: raw timings and counts, one line of JSON each.

use omptarget_driver::{Failure, Result};
use serde::Deserialize;

/// The version of the lines that this code reads (`SCHEMA` in `program.h`).
const SCHEMA: u32 = 1;

/// Executions of a construct when they are counted. Counts are exact, so a few are enough.
pub const COUNTED: &str = "4";

/// The first line.
#[derive(Debug, Deserialize)]
pub struct Header {
    epcc: u32,
    /// Timings of each.
    pub repetitions: u32,
    /// Executions in one.
    pub inner: u32,
    /// Iterations of a delay.
    pub delay: u32,
    /// Whether the device counts instructions and switches.
    counters: bool,
}

/// A construct in a shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
pub struct Case {
    /// `reference`, `sync`, `sched`, `array` or `task`.
    pub suite: String,
    /// The construct.
    pub construct: String,
    /// Chunk or size; 0: there is none.
    pub parameter: u32,
    /// `spmd` or `generic`.
    pub mode: String,
    /// Teams.
    pub teams: u32,
    /// Threads of each.
    pub threads: u32,
}

/// Timings of a construct.
#[derive(Debug, Deserialize)]
pub struct Timing {
    /// Which.
    #[serde(flatten)]
    pub case: Case,
    /// How many consecutive delays one execution takes at least.
    pub delays: u32,
    /// Executions in each timing.
    pub units: u64,
    /// Cycles.
    pub ticks: Vec<f64>,
    /// Nanoseconds.
    pub ns: Vec<f64>,
}

/// Counts of a construct, of two launches.
#[derive(Debug, Deserialize)]
pub struct Count {
    /// Which.
    #[serde(flatten)]
    pub case: Case,
    /// Executions.
    pub units: [u64; 2],
    /// Delays in one execution, of all threads.
    pub work: u32,
    /// Threads that take part in one.
    pub executors: u32,
    /// Instructions of the launch.
    pub instructions: [f64; 2],
    /// Switches of the launch.
    pub switches: [f64; 2],
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    LeftOut { left_out: String },
    Count(Count),
    Timing(Timing),
}

/// The program's output.
pub struct Lines {
    /// The first line.
    pub header: Header,
    /// Shapes that were not possible.
    pub left_out: Vec<String>,
    /// Timings.
    pub timings: Vec<Timing>,
    /// Counts.
    pub counts: Vec<Count>,
}

impl Lines {
    /// Reads the program's output.
    pub fn read(text: &str) -> Result<Lines> {
        let foreign =
            |why: String| Failure::Other(format!("the measuring program's output: {why}"));
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let header: Header =
            serde_json::from_str(first).map_err(|error| foreign(format!("`{first}`: {error}")))?;
        if header.epcc != SCHEMA {
            return Err(foreign(format!(
                "its version is {}, this command reads {SCHEMA}: build it anew (--build)",
                header.epcc
            )));
        }
        let mut read = Lines {
            header,
            left_out: Vec::new(),
            timings: Vec::new(),
            counts: Vec::new(),
        };
        for line in lines {
            match serde_json::from_str(line)
                .map_err(|error| foreign(format!("`{line}`: {error}")))?
            {
                Line::LeftOut { left_out } => read.left_out.push(left_out),
                Line::Timing(timing) if timing.ticks.len() < 2 || timing.ns.len() < 2 => {
                    return Err(foreign(format!("`{line}`: fewer than two timings")));
                }
                Line::Timing(timing) => read.timings.push(timing),
                Line::Count(count) => read.counts.push(count),
            }
        }
        Ok(read)
    }

    /// Whether the device counts.
    pub fn can_count(&self) -> bool {
        self.header.counters
    }

    /// Adds the counts of another run.
    pub fn add_counts(&mut self, other: Lines) {
        self.counts.extend(other.counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        r#"{"epcc":1,"device":0,"repetitions":2,"inner":4,"delay":16,"counters":true}"#;
    const CASE: &str = r#""suite":"sync","construct":"barrier","parameter":0,"mode":"spmd","teams":1,"threads":32,"delays":1"#;

    #[test]
    fn lines_are_read() {
        let text = format!(
            "{HEADER}\n{{\"left_out\":\"why\"}}\n{{{CASE},\"units\":4,\"ticks\":[1,2],\"ns\":[3,4.5]}}\n\
             {{{CASE},\"units\":[4,8],\"work\":32,\"executors\":32,\"instructions\":[5,6],\"switches\":[7,8]}}\n"
        );
        let lines = Lines::read(&text).expect("good lines");
        assert_eq!(lines.left_out, ["why"]);
        assert_eq!(lines.timings[0].ns, [3.0, 4.5]);
        assert_eq!(lines.timings[0].case, lines.counts[0].case);
        assert_eq!(lines.counts[0].units, [4, 8]);
        assert!(lines.can_count());
    }

    #[test]
    fn other_output_is_an_error() {
        let newer = HEADER.replace("\"epcc\":1", "\"epcc\":2");
        let one = format!("{HEADER}\n{{{CASE},\"units\":4,\"ticks\":[1],\"ns\":[3]}}");
        for text in [
            "",
            "hello\n",
            &newer,
            &format!("{HEADER}\n{HEADER}"),
            &format!("{HEADER}\n{{}}"),
            &one,
        ] {
            assert!(Lines::read(text).is_err(), "{text}");
        }
    }
}
