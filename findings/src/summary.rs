//! The line at the end of a process.

use std::collections::BTreeMap;
use std::sync::Once;

use crate::checks::wanted;
use crate::ending;
use crate::finding::{Finding, Kind};
use crate::report::{FOUND, REPORT_VARIABLE};

/// How many findings the process has, of which kinds: `2 findings: 1 memory, 1 race`. `None` if there are none, or if
/// [`REPORT_VARIABLE`] names a file: whoever reads that sums up.
pub fn summary() -> Option<String> {
    ending::search();
    let is_read = std::env::var_os(REPORT_VARIABLE).is_some_and(|name| !name.is_empty());
    let by_kind = FOUND.lock().by_kind();
    (!by_kind.is_empty() && !is_read).then(|| text(&by_kind))
}

/// Prints the summary when the process ends. For front ends that find nothing at the end themselves.
pub fn summarise_at_exit() {
    static ONCE: Once = Once::new();
    if wanted().is_ok_and(|checks| checks.any()) {
        // SAFETY: the function is there as long as the object that has this code.
        ONCE.call_once(|| match unsafe { libc::atexit(summarise) } {
            0 => {}
            _ => eprintln!("omptarget check: no room for a summary at the end"),
        });
    }
}

extern "C" fn summarise() {
    if let Some(summary) = summary() {
        eprintln!("omptarget check: {summary}");
    }
}

/// The same for findings in a list.
pub fn count_kinds(findings: &[Finding]) -> Option<String> {
    let mut by_kind = BTreeMap::new();
    for finding in findings {
        *by_kind.entry(finding.kind).or_default() += 1;
    }
    let by_kind: Vec<(Kind, usize)> = by_kind.into_iter().collect();
    (!by_kind.is_empty()).then(|| text(&by_kind))
}

fn text(by_kind: &[(Kind, usize)]) -> String {
    let total: usize = by_kind.iter().map(|(_, count)| count).sum();
    let plural = if total == 1 { "" } else { "s" };
    let kinds: Vec<String> = by_kind
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!("{total} finding{plural}: {}", kinds.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted() {
        assert_eq!(text(&[(Kind::Race, 1)]), "1 finding: 1 race");
        let both = text(&[(Kind::Memory, 2), (Kind::Host, 1)]);
        assert_eq!(both, "3 findings: 2 memory, 1 host");
    }
}
