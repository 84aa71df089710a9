//! What was found.

use std::fmt;

use plugin_api::SourceLocation;
use serde::{Deserialize, Serialize};

/// Which check found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An access outside an object, or to one that is gone.
    Memory,
    /// Two accesses that nothing orders.
    Race,
    /// A read of memory that was never written.
    Init,
    /// A barrier, a mask or a lock.
    Sync,
    /// What the host did.
    Host,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Memory => "memory",
            Kind::Race => "race",
            Kind::Init => "init",
            Kind::Sync => "sync",
            Kind::Host => "host",
        })
    }
}

/// How sure it is that the program is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program is wrong.
    Error,
    /// The language allows it, but hardly anybody means it.
    Warning,
}

/// A line of a finding: the other access of a race, who freed the memory, which mapping it lies beside.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Note {
    /// The line.
    pub text: String,
    /// The place it is about, which is printed behind it.
    pub location: Option<SourceLocation>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.location {
            Some(location) => write!(f, " at {location}"),
            None => Ok(()),
        }
    }
}

/// A mistake in a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Which check found it.
    pub kind: Kind,
    /// Whether it is certainly one.
    pub severity: Severity,
    /// The first line, such as `write of 4 bytes past the end of an allocation`.
    pub what: String,
    /// The kernel's symbol.
    pub kernel: Option<String>,
    /// The thread, as a `ThreadId` writes itself.
    pub thread: Option<String>,
    /// Where it happened.
    pub location: Option<SourceLocation>,
    /// The device address that it is about, which front ends describe.
    pub address: Option<u64>,
    /// Bytes of the access; 0 where there is none.
    pub size: u64,
    /// More about it.
    pub notes: Vec<Note>,
    /// What the user can do.
    pub hint: Option<String>,
}

/// What makes two findings one.
pub(crate) type Key = (
    Kind,
    String,
    Option<SourceLocation>,
    Vec<Option<SourceLocation>>,
);

impl Finding {
    /// A finding of which nothing more is known.
    pub fn new(kind: Kind, severity: Severity, what: impl Into<String>) -> Finding {
        Finding {
            kind,
            severity,
            what: what.into(),
            kernel: None,
            thread: None,
            location: None,
            address: None,
            size: 0,
            notes: Vec::new(),
            hint: None,
        }
    }

    /// What makes two findings one: kind, text, and the places of both.
    pub(crate) fn key(&self) -> Key {
        let places = self.notes.iter().map(|note| note.location.clone());
        (
            self.kind,
            self.what.clone(),
            self.location.clone(),
            places.collect(),
        )
    }

    /// Whether another run has found the same. Addresses and threads may differ.
    pub fn is_same(&self, other: &Finding) -> bool {
        self.key() == other.key()
    }
}

/// A finding is several lines, each but the first indented by two spaces, without a line end behind the last.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "",
            Severity::Warning => "warning: ",
        };
        write!(f, "omptarget check: {severity}{}", self.what)?;
        match (&self.kernel, &self.thread) {
            (Some(kernel), Some(thread)) => write!(f, "\n  kernel {kernel}, {thread}")?,
            (Some(kernel), None) => write!(f, "\n  kernel {kernel}")?,
            (None, Some(thread)) => write!(f, "\n  {thread}")?,
            (None, None) => {}
        }
        if let Some(location) = &self.location {
            write!(f, "\n  at {location}")?;
        }
        for note in &self.notes {
            write!(f, "\n  {note}")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn location(line: u32) -> SourceLocation {
        SourceLocation {
            file: "a.c".into(),
            line,
            column: 0,
            function: "main".into(),
        }
    }

    /// A finding of a line of `a.c`.
    pub fn finding(line: u32) -> Finding {
        Finding {
            kind: Kind::Memory,
            severity: Severity::Error,
            what: "write of 4 bytes past the end of an allocation".into(),
            kernel: Some("k".into()),
            thread: Some("team 0, thread 3 of its block".into()),
            location: Some(location(line)),
            address: Some(0x1000),
            size: 4,
            notes: vec![Note {
                text: "allocated by target data".into(),
                location: Some(location(3)),
            }],
            hint: Some("map x[0:11]".into()),
        }
    }

    #[test]
    fn lines() {
        let expected = "omptarget check: write of 4 bytes past the end of an allocation\
                        \n  kernel k, team 0, thread 3 of its block\
                        \n  at a.c:7 in main\
                        \n  allocated by target data at a.c:3 in main\
                        \n  hint: map x[0:11]";
        assert_eq!(finding(7).to_string(), expected);
        let bare = Finding {
            severity: Severity::Warning,
            kernel: None,
            thread: None,
            location: None,
            notes: Vec::new(),
            hint: None,
            ..finding(7)
        };
        assert_eq!(
            bare.to_string(),
            "omptarget check: warning: write of 4 bytes past the end of an allocation"
        );
    }

    #[test]
    fn json_brings_it_back() {
        let text = serde_json::to_string(&finding(7)).unwrap();
        assert!(
            text.contains(r#""kind":"memory","severity":"error""#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), finding(7));
    }
}
