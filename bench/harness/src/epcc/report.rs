//! The figures of a measurement: the content of a `--json` file.

use std::collections::BTreeMap;
use std::path::Path;

use omptarget_driver::{Failure, Result};
use serde::{Deserialize, Serialize};

use super::Quantity;
use super::lines::{Case, Count, Lines, Timing};
use super::sample::{Sample, difference};

/// Name and version of the file's fields.
const SCHEMA: &str = "omptarget-epcc/1";

/// A measurement.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    schema: String,
    /// What the measurement is of.
    pub label: String,
    /// Timings of each construct and shape.
    pub repetitions: u32,
    /// Executions in a timing.
    pub inner: u32,
    /// Iterations of a delay.
    pub delay: u32,
    /// Shapes that were not possible, and why.
    pub left_out: Vec<String>,
    /// The figures.
    pub rows: Vec<Row>,
}

/// What one construct costs in one shape.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    /// Construct and shape.
    #[serde(flatten)]
    pub case: Case,
    /// Cycles of the device's clock.
    pub cycles: Overhead,
    /// Nanoseconds.
    pub ns: Overhead,
    /// Instructions of one execution, per thread that takes part in it, without those of the delays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
    /// Switches, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switches: Option<f64>,
}

/// The time of one execution beyond that of its delays (*fork-join*, §VI-A: Tp − Ts / p).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Overhead {
    /// Mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval.
    pub half_width: f64,
    /// Standard deviation of the time of one execution.
    pub deviation: f64,
    /// Timings left out.
    pub outliers: usize,
}

/// The suite of references, with which constructs are compared.
pub const REFERENCE: &str = "reference";
/// The work without a construct, by as many threads.
pub const OVERSUBSCRIBE: &str = "oversubscribe";
/// The hardware's own fork and join.
pub const TWO_BARRIERS: &str = "two named barriers";

impl Report {
    /// Computes the figures of one or more programs, each against its own reference. All programs time the same
    /// references; those of the first are kept.
    pub fn of(runs: &[Lines], label: String) -> Result<Report> {
        let first = runs
            .first()
            .ok_or_else(|| Failure::Other("nothing was measured".into()))?;
        let mut report = Report {
            schema: SCHEMA.to_owned(),
            label,
            repetitions: first.header.repetitions,
            inner: first.header.inner,
            delay: first.header.delay,
            left_out: first.left_out.clone(),
            rows: Vec::new(),
        };
        for lines in runs {
            for row in rows(lines)? {
                if report.row(&row.case).is_none() {
                    report.rows.push(row);
                }
            }
        }
        Ok(report)
    }

    /// Reads a file of `--json`.
    pub fn read(file: &Path) -> Result<Report> {
        let shown = file.display().to_string();
        let text = std::fs::read(file).map_err(Failure::system(format!("cannot read {shown}")))?;
        let wrong = |why: String| Failure::File {
            file: shown.clone(),
            why,
        };
        let report: Report = serde_json::from_slice(&text).map_err(|error| {
            wrong(format!(
                "not a file of `omptarget bench epcc --json`: {error}"
            ))
        })?;
        match report.schema == SCHEMA {
            true => Ok(report),
            false => Err(wrong(format!(
                "its schema is {:?}, this command reads {SCHEMA:?}",
                report.schema
            ))),
        }
    }

    /// The file's content.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data becomes JSON") + "\n"
    }

    /// The row of a construct and shape.
    pub fn row(&self, case: &Case) -> Option<&Row> {
        self.rows.iter().find(|row| row.case == *case)
    }

    /// The modes and numbers of teams with figures, in order of appearance.
    pub fn groups(&self) -> Vec<(&str, u32)> {
        let mut groups = Vec::new();
        for row in &self.rows {
            let group = (row.case.mode.as_str(), row.case.teams);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups.sort_by_key(|(_, teams)| *teams);
        groups
    }
}

impl Row {
    /// A figure with half the width of its confidence interval; `None`: it was not counted.
    pub fn figure(&self, quantity: Quantity) -> Option<(f64, f64)> {
        let exact = |count: Option<f64>| count.map(|count| (count, 0.0));
        match quantity {
            Quantity::Cycles => Some((self.cycles.mean, self.cycles.half_width)),
            Quantity::Ns => Some((self.ns.mean, self.ns.half_width)),
            Quantity::Instructions => exact(self.instructions),
            Quantity::Switches => exact(self.switches),
        }
    }
}

impl Case {
    /// The construct with its chunk or size, for people.
    pub fn title(&self) -> String {
        match self.parameter {
            0 => self.construct.clone(),
            parameter => format!("{}, {parameter}", self.construct),
        }
    }
}

/// The figures of one program.
fn rows(lines: &Lines) -> Result<Vec<Row>> {
    let alone = |case: &Case| case.suite == REFERENCE && case.threads == 1 && case.teams == 1;
    let timed = lines.timings.iter().find(|timing| alone(&timing.case));
    let counted = lines.counts.iter().find(|count| alone(&count.case));
    let Some(reference) = timed else {
        return Err(Failure::Other(
            "the measuring program did not time a delay by one thread".into(),
        ));
    };
    let counts: BTreeMap<&Case, &Count> = lines
        .counts
        .iter()
        .map(|count| (&count.case, count))
        .collect();
    let row = |timing: &Timing| {
        let count = counts.get(&timing.case).copied().zip(counted);
        let per_thread =
            |of: fn(&Count) -> [f64; 2]| count.map(|(count, delay)| per_thread(count, delay, of));
        Row {
            case: named(&timing.case),
            cycles: overhead(timing, reference, |timing| &timing.ticks),
            ns: overhead(timing, reference, |timing| &timing.ns),
            instructions: per_thread(|count| count.instructions),
            switches: per_thread(|count| count.switches),
        }
    };
    let others = lines
        .timings
        .iter()
        .filter(|timing| !std::ptr::eq(*timing, reference));
    Ok(others.map(row).collect())
}

/// The delay by many threads has a name of its own (*fork-join*, Fig. 4).
fn named(case: &Case) -> Case {
    let mut case = case.clone();
    if case.suite == REFERENCE && case.construct == "delay" {
        case.construct = OVERSUBSCRIBE.to_owned();
    }
    case
}

fn overhead(timing: &Timing, reference: &Timing, of: fn(&Timing) -> &[f64]) -> Overhead {
    let sample = |timing: &Timing| {
        let each: Vec<f64> = of(timing)
            .iter()
            .map(|time| time / timing.units as f64)
            .collect();
        Sample::of(&each)
    };
    let own = sample(timing);
    let difference = difference(&own, &sample(reference), f64::from(timing.delays));
    Overhead {
        mean: difference.mean,
        half_width: difference.half_width,
        deviation: own.deviation,
        outliers: own.outliers,
    }
}

/// The longer launch does what the shorter does, and more executions. So their difference is that of the executions
/// alone.
fn per_execution(count: &Count, of: fn(&Count) -> [f64; 2]) -> f64 {
    let [short, long] = of(count);
    (long - short) / (count.units[1] - count.units[0]) as f64
}

fn per_thread(count: &Count, delay: &Count, of: fn(&Count) -> [f64; 2]) -> f64 {
    let delays = f64::from(count.work) * per_execution(delay, of);
    (per_execution(count, of) - delays) / f64::from(count.executors)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        r#"{"epcc":1,"device":0,"repetitions":2,"inner":10,"delay":16,"counters":true}"#;

    fn case(construct: &str, suite: &str, threads: u32) -> String {
        format!(
            r#""suite":"{suite}","construct":"{construct}","parameter":0,"mode":"spmd","teams":1,"threads":{threads}"#
        )
    }

    fn lines() -> Lines {
        let (alone, delay) = (
            case("delay", "reference", 1),
            case("delay", "reference", 32),
        );
        let (barrier, lock) = (case("barrier", "sync", 32), case("lock/unlock", "sync", 32));
        Lines::read(
            &[
                HEADER,
                // Ten delays take 100 cycles and 50 ns.
                &format!(r#"{{{alone},"delays":1,"units":10,"ticks":[90,110],"ns":[50,50]}}"#),
                &format!(r#"{{{delay},"delays":1,"units":10,"ticks":[300,300],"ns":[150,150]}}"#),
                &format!(r#"{{{barrier},"delays":1,"units":10,"ticks":[400,420],"ns":[200,200]}}"#),
                &format!(r#"{{{lock},"delays":1,"units":32,"ticks":[640,640],"ns":[320,320]}}"#),
                &format!(r#"{{{alone},"delays":1,"units":[4,8],"work":1,"executors":1,"instructions":[100,440],"switches":[1,1]}}"#),
                &format!(r#"{{{barrier},"delays":1,"units":[4,8],"work":32,"executors":32,"instructions":[1000,12648],"switches":[0,124]}}"#),
                &format!(r#"{{{lock},"delays":1,"units":[32,64],"work":1,"executors":1,"instructions":[0,3200],"switches":[5,5]}}"#),
            ]
            .join("\n"),
        )
        .expect("good lines")
    }

    #[test]
    fn overheads_are_beyond_the_delays() {
        let report = Report::of(&[lines()], "test".into()).expect("figures");
        let means: Vec<(&str, f64, f64)> = report
            .rows
            .iter()
            .map(|row| (row.case.construct.as_str(), row.cycles.mean, row.ns.mean))
            .collect();
        // Per execution: 30 − 10, 41 − 10, 20 − 10 cycles; 15 − 5, 20 − 5, 10 − 5 ns.
        assert_eq!(
            means,
            [
                (OVERSUBSCRIBE, 20.0, 10.0),
                ("barrier", 31.0, 15.0),
                ("lock/unlock", 10.0, 5.0)
            ]
        );
        assert_eq!(report.rows[2].ns.half_width, 0.0);
        assert!(report.rows[1].cycles.half_width > 0.0);
    }

    #[test]
    fn counts_are_without_the_delays() {
        let report = Report::of(&[lines()], "test".into()).expect("figures");
        // A delay is 340 / 4 = 85. Barrier: 11648 / 4 = 2912 for 32 threads, 91 each. A lock: 3200 / 32 = 100 for one.
        assert_eq!(
            (report.rows[0].instructions, report.rows[0].switches),
            (None, None)
        );
        assert_eq!(
            (report.rows[1].instructions, report.rows[1].switches),
            (Some(6.0), Some(31.0 / 32.0))
        );
        assert_eq!(
            (report.rows[2].instructions, report.rows[2].switches),
            (Some(15.0), Some(0.0))
        );
    }

    #[test]
    fn files_are_read_again() {
        let report = Report::of(&[lines()], "a GPU".into()).expect("figures");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.json");
        std::fs::write(&file, report.to_json()).expect("written");
        let read = Report::read(&file).expect("read");
        assert_eq!(
            (read.to_json(), read.groups()),
            (report.to_json(), vec![("spmd", 1)])
        );
        std::fs::write(&file, report.to_json().replace("epcc/1", "epcc/9")).expect("written");
        assert!(
            Report::read(&file)
                .expect_err("another schema")
                .to_string()
                .contains("epcc/9")
        );
        std::fs::write(&file, "[]").expect("written");
        assert!(Report::read(&file).is_err());
    }

    #[test]
    fn without_a_reference_nothing_can_be_said() {
        let mut lines = lines();
        lines.timings.remove(0);
        assert!(Report::of(&[lines], String::new()).is_err());
    }

    #[test]
    fn references_of_further_programs_are_left_out() {
        let report = Report::of(&[lines(), lines()], String::new()).expect("figures");
        assert_eq!(report.rows.len(), 3);
        assert!(Report::of(&[], String::new()).is_err());
    }
}
