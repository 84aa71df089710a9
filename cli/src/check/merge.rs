//! The findings of several runs: each is shown once.

use findings::{Finding, Note};

/// What the runs so far have found, each finding with the order of the run that was first.
#[derive(Default)]
pub struct Found {
    findings: Vec<(Finding, Option<String>)>,
}

impl Found {
    /// Adds a finding of a run, which had this order of blocks and threads.
    pub fn add(&mut self, finding: Finding, order: Option<&str>) {
        if !self
            .findings
            .iter()
            .any(|(known, _)| known.is_same(&finding))
        {
            self.findings.push((finding, order.map(str::to_owned)));
        }
    }

    /// All of them, in the order in which they were found. A note says how to see one again.
    pub fn into_findings(self) -> Vec<Finding> {
        let with_order = |(mut finding, order): (Finding, Option<String>)| {
            finding.notes.extend(order.map(|order| Note {
                text: format!("first seen with OMPTARGET_VGPU_SCHEDULE={order}"),
                location: None,
            }));
            finding
        };
        self.findings.into_iter().map(with_order).collect()
    }
}

#[cfg(test)]
mod tests {
    use findings::{Kind, Severity};

    use super::*;

    fn finding(what: &str) -> Finding {
        Finding::new(Kind::Race, Severity::Error, what)
    }

    #[test]
    fn a_finding_of_two_runs_is_one() {
        let mut found = Found::default();
        found.add(finding("a"), Some("random:1"));
        found.add(finding("a"), Some("random:2"));
        found.add(finding("b"), Some("random:2"));
        let found = found.into_findings();
        let texts: Vec<_> = found
            .iter()
            .map(|each| each.notes[0].text.as_str())
            .collect();
        let first = "first seen with OMPTARGET_VGPU_SCHEDULE";
        assert_eq!(
            texts,
            [format!("{first}=random:1"), format!("{first}=random:2")]
        );
    }

    #[test]
    fn a_run_in_the_usual_order_adds_no_note() {
        let mut found = Found::default();
        found.add(finding("a"), None);
        assert_eq!(found.into_findings(), [finding("a")]);
    }
}
