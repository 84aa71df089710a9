//! Findings as editors read them: SARIF 2.1.0 (OASIS standard, "Static Analysis Results Interchange Format").

use findings::{Finding, Kind, Severity};
use plugin_api::SourceLocation;
use serde_json::{Value, json};

/// The rules, one for each kind of finding.
const RULES: [(Kind, &str); 5] = [
    (
        Kind::Memory,
        "access outside of an object, or to one that is gone",
    ),
    (Kind::Race, "conflicting accesses that nothing orders"),
    (Kind::Init, "read of memory that was never written"),
    (Kind::Sync, "barriers, masks and locks"),
    (Kind::Host, "mappings and device pointers on the host"),
];

/// A log with one run.
pub fn log(found: &[Finding]) -> String {
    let rule = |(kind, text): &(Kind, &str)| json!({ "id": kind.to_string(), "shortDescription": { "text": text } });
    let log = json!({
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "omptarget check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": found.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

fn result(finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut result = json!({
        "ruleId": finding.kind.to_string(),
        "level": level,
        "message": { "text": message(finding) },
    });
    if let Some(place) = &finding.location {
        result["locations"] = json!([location(place)]);
    }
    let related: Vec<Value> = finding
        .notes
        .iter()
        .filter_map(|note| {
            let mut place = location(note.location.as_ref()?);
            place["message"] = json!({ "text": note.text });
            Some(place)
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    result
}

/// What has no place of its own in the format.
fn message(finding: &Finding) -> String {
    let thread = match (&finding.kernel, &finding.thread) {
        (Some(kernel), Some(thread)) => vec![format!("kernel {kernel}, {thread}")],
        (Some(kernel), None) => vec![format!("kernel {kernel}")],
        (None, _) => Vec::new(),
    };
    let notes = finding.notes.iter().filter(|note| note.location.is_none());
    let notes = notes.map(|note| note.text.clone());
    let hint = finding.hint.iter().map(|hint| format!("hint: {hint}"));
    let lines = [finding.what.clone()]
        .into_iter()
        .chain(thread)
        .chain(notes)
        .chain(hint);
    lines.collect::<Vec<_>>().join("\n")
}

fn location(place: &SourceLocation) -> Value {
    let mut region = json!({ "startLine": place.line.max(1) });
    if place.column > 0 {
        region["startColumn"] = place.column.into();
    }
    let mut location = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(&place.file) }, "region": region },
    });
    if !place.function.is_empty() {
        location["logicalLocations"] = json!([{ "name": place.function, "kind": "function" }]);
    }
    location
}

/// A path as a URI, relative if the path is. What has a meaning in URIs is escaped (RFC 3986, section 2).
fn uri(path: &str) -> String {
    let escaped: String = path
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    match path.starts_with('/') {
        true => format!("file://{escaped}"),
        false => escaped,
    }
}

#[cfg(test)]
mod tests {
    use findings::Note;

    use super::*;

    fn place(file: &str, line: u32) -> Option<SourceLocation> {
        Some(SourceLocation {
            file: file.into(),
            line,
            column: 3,
            function: "main".into(),
        })
    }

    #[test]
    fn a_result_has_both_places() {
        let finding = Finding {
            kind: Kind::Race,
            severity: Severity::Warning,
            what: "race".into(),
            kernel: Some("k".into()),
            thread: None,
            location: place("a b.c", 7),
            address: Some(16),
            size: 4,
            notes: vec![Note {
                text: "the other access".into(),
                location: place("/x/a.c", 9),
            }],
            hint: Some("add a barrier".into()),
        };
        let log: Value = serde_json::from_str(&log(&[finding])).unwrap();
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "race");
        assert_eq!(result["level"], "warning");
        assert_eq!(
            result["message"]["text"],
            "race\nkernel k\nhint: add a barrier"
        );
        let physical = &result["locations"][0]["physicalLocation"];
        assert_eq!(physical["artifactLocation"]["uri"], "a%20b.c");
        assert_eq!(
            physical["region"],
            json!({ "startLine": 7, "startColumn": 3 })
        );
        let related = &result["relatedLocations"][0];
        assert_eq!(
            related["physicalLocation"]["artifactLocation"]["uri"],
            "file:///x/a.c"
        );
        assert_eq!(related["message"]["text"], "the other access");
    }
}
