//! Findings are printed once each, and kept in the file that `omptarget check` reads.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::LazyLock;

use parking_lot::Mutex;

use crate::describer::described;
use crate::finding::{Finding, Key, Kind};

/// The variable that names the file to which findings are appended, a line of JSON each.
pub const REPORT_VARIABLE: &str = "OMPTARGET_CHECK_REPORT";

/// More findings than these are only counted.
const MOST: usize = 100;

/// What a new finding is.
#[derive(Debug, PartialEq, Eq)]
enum Admission {
    /// To be shown.
    New,
    /// Known, or one too many.
    Counted,
    /// The first of those that are only counted.
    TooMany,
}

/// The findings so far.
#[derive(Default)]
pub(crate) struct Found {
    keys: HashSet<Key>,
    /// How many of each kind, in the order of the kinds.
    by_kind: std::collections::BTreeMap<Kind, usize>,
}

impl Found {
    fn admit(&mut self, finding: &Finding) -> Admission {
        if !self.keys.insert(finding.key()) {
            return Admission::Counted;
        }
        *self.by_kind.entry(finding.kind).or_default() += 1;
        match self.keys.len().cmp(&(MOST + 1)) {
            std::cmp::Ordering::Less => Admission::New,
            std::cmp::Ordering::Equal => Admission::TooMany,
            std::cmp::Ordering::Greater => Admission::Counted,
        }
    }

    /// How many distinct findings of each kind there were.
    pub(crate) fn by_kind(&self) -> Vec<(Kind, usize)> {
        self.by_kind
            .iter()
            .map(|(&kind, &count)| (kind, count))
            .collect()
    }
}

pub(crate) static FOUND: LazyLock<Mutex<Found>> = LazyLock::new(Mutex::default);

/// Reports a finding, once for each kind, text and set of places.
pub fn report(finding: Finding) {
    let admission = FOUND.lock().admit(&finding);
    match admission {
        Admission::New => {
            let finding = described(finding);
            eprintln!("{finding}");
            keep(&finding);
        }
        Admission::Counted => {}
        Admission::TooMany => {
            eprintln!("omptarget check: more than {MOST} findings; further ones are only counted");
        }
    }
}

/// Counts and keeps a finding that the user reads anyway, because it is an error that ends the program.
pub fn record(finding: Finding) {
    let admission = FOUND.lock().admit(&finding);
    if admission == Admission::New {
        keep(&described(finding));
    }
}

/// How many distinct findings there were.
pub fn count() -> usize {
    FOUND.lock().keys.len()
}

/// Appends it to the file of findings, if there is to be one.
fn keep(finding: &Finding) {
    let Some(file) = std::env::var_os(REPORT_VARIABLE).filter(|name| !name.is_empty()) else {
        return;
    };
    if let Err(error) = append(&file, finding) {
        eprintln!(
            "omptarget check: cannot write to {}: {error}",
            file.display()
        );
    }
}

/// One write for a line: other libraries and processes append to the same file.
fn append(file: &OsString, finding: &Finding) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(finding)?;
    line.push(b'\n');
    let mut file = OpenOptions::new().append(true).create(true).open(file)?;
    file.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Note;
    use crate::finding::tests::{finding, location};

    #[test]
    fn a_finding_is_new_once() {
        let mut found = Found::default();
        assert_eq!(found.admit(&finding(7)), Admission::New);
        let elsewhere = Finding {
            thread: None,
            address: None,
            ..finding(7)
        };
        assert_eq!(found.admit(&elsewhere), Admission::Counted);
        assert_eq!(found.admit(&finding(8)), Admission::New);
        let other_end = Finding {
            notes: vec![Note {
                text: "written".into(),
                location: Some(location(9)),
            }],
            ..finding(7)
        };
        assert_eq!(found.admit(&other_end), Admission::New);
        assert_eq!(found.by_kind(), [(Kind::Memory, 3)]);
    }

    #[test]
    fn many_findings_are_counted() {
        let mut found = Found::default();
        let mut admitted = (1..=2 * MOST as u32).map(|line| found.admit(&finding(line)));
        assert!(
            admitted
                .by_ref()
                .take(MOST)
                .all(|each| each == Admission::New)
        );
        assert_eq!(admitted.next(), Some(Admission::TooMany));
        assert!(admitted.all(|each| each == Admission::Counted));
        assert_eq!(found.by_kind(), [(Kind::Memory, 2 * MOST)]);
    }

    #[test]
    fn lines_are_appended() {
        let folder = std::env::temp_dir().join(format!("findings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("report").into_os_string();
        append(&file, &finding(1)).unwrap();
        append(&file, &finding(2)).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let read: Vec<Finding> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(read, [finding(1), finding(2)]);
    }
}
