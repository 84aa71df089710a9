//! The line at the end of a process.

use crate::finding::Kind;
use crate::report::FOUND;

/// How many findings there were, of which kinds: `2 findings: 1 memory, 1 race`. `None` if there were none.
pub fn summary() -> Option<String> {
    let by_kind = FOUND.lock().by_kind();
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
