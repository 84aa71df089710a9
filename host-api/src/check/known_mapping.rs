//! A mapping that lives or has lived, as findings describe it.

use std::ops::Range;

use findings::{Finding, Kind, Note};

use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;

/// An access further than this from a mapping has nothing to do with it.
const NEIGHBOURHOOD: u64 = 1 << 20;

/// A mapping: where it is and was, and who made it.
#[derive(Clone, Debug)]
pub struct KnownMapping {
    /// Its addresses on the device.
    pub device: Range<u64>,
    /// Its addresses on the host.
    pub host: Range<u64>,
    /// Its source text; empty when unknown.
    pub name: String,
    /// The map types of the items that made it.
    pub kind: MapType,
    /// The construct that made it.
    pub mapped: Option<Note>,
    /// The construct that removed it.
    pub unmapped: Option<Note>,
}

/// Where an address lies with respect to a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Bytes from its beginning.
    Inside(u64),
    /// Bytes behind its end.
    Behind(u64),
    /// Bytes before its beginning.
    Before(u64),
}

impl Relation {
    /// How far it is from the mapping.
    pub fn distance(self) -> u64 {
        match self {
            Relation::Inside(_) => 0,
            Relation::Behind(bytes) => bytes + 1,
            Relation::Before(bytes) => bytes,
        }
    }
}

/// Where `address` lies with respect to `range`, if it is near.
pub fn relation(range: &Range<u64>, address: u64) -> Option<Relation> {
    let found = if range.contains(&address) {
        Relation::Inside(address - range.start)
    } else if address >= range.end {
        Relation::Behind(address - range.end)
    } else {
        Relation::Before(range.start - address)
    };
    (found.distance() <= NEIGHBOURHOOD).then_some(found)
}

impl KnownMapping {
    fn bytes(&self) -> u64 {
        self.device.end - self.device.start
    }

    fn quoted(&self) -> String {
        match self.name.as_str() {
            "" => "a section".to_owned(),
            name => format!("'{name}'"),
        }
    }

    /// `'x[0:10]' (40 bytes)`, the same in every run.
    pub fn title(&self) -> String {
        format!("{} ({} bytes)", self.quoted(), self.bytes())
    }

    /// `'x[0:10]' (40 bytes at 0x…, on the host at 0x…)`.
    pub fn title_with_addresses(&self) -> String {
        format!(
            "{} ({} bytes at {:#x}, on the host at {:#x})",
            self.quoted(),
            self.bytes(),
            self.device.start,
            self.host.start
        )
    }

    /// The construct that mapped it, with its place.
    pub fn mapped_by(&self) -> Note {
        by(format!("mapped `{}`", self.kind), self.mapped.as_ref())
    }

    /// The construct that unmapped it, with its place.
    pub fn unmapped_by(&self) -> Note {
        by("unmapped".into(), self.unmapped.as_ref())
    }

    /// What it is called in hints.
    fn variable(&self) -> &str {
        match self.name.split('[').next() {
            Some("") | None => "the section",
            Some(variable) => variable,
        }
    }

    /// How an address relates to it, and who mapped and unmapped it.
    pub fn notes(&self, relation: Relation) -> Vec<Note> {
        let place = match relation {
            Relation::Inside(0) => "at the beginning of".to_owned(),
            Relation::Inside(bytes) => format!("{bytes} bytes into"),
            Relation::Behind(0) => "just past the end of".to_owned(),
            Relation::Behind(bytes) => format!("{bytes} bytes past the end of"),
            Relation::Before(bytes) => format!("{bytes} bytes before"),
        };
        let verb = match self.unmapped {
            Some(_) => "was mapped",
            None => "is mapped",
        };
        let text = format!(
            "{place} {}, which {verb} `{}`",
            self.title_with_addresses(),
            self.kind
        );
        let mut notes = vec![by(text, self.mapped.as_ref())];
        if self.unmapped.is_some() {
            notes.push(self.unmapped_by());
        }
        notes
    }

    /// What the user can do about a finding with this relation to the mapping.
    pub fn hint(&self, finding: &Finding, relation: Relation) -> Option<String> {
        let variable = self.variable();
        match (relation, self.unmapped.is_some()) {
            (Relation::Inside(_), true) => Some(format!(
                "keep {variable} mapped until the last region that uses it has ended"
            )),
            (Relation::Behind(bytes), false) => self.wider_section(bytes + finding.size),
            (Relation::Inside(_), false) if finding.kind == Kind::Init => {
                self.map_type_for_values(variable)
            }
            _ => None,
        }
    }

    fn map_type_for_values(&self, variable: &str) -> Option<String> {
        let wanted = match self.kind.contains(MapType::FROM) {
            true => "tofrom",
            false => "to",
        };
        (!self.kind.contains(MapType::TO)).then(|| {
            format!(
                "`{}` copies nothing to the device: write {variable} there first, or map({wanted}: {variable})",
                self.kind
            )
        })
    }

    /// The map clause that would have `excess` bytes more. Where its length is no number, how much longer it must be.
    fn wider_section(&self, excess: u64) -> Option<String> {
        let (variable, section) = self.name.split_once('[')?;
        let (begin, length) = section.strip_suffix(']')?.split_once(':')?;
        let bytes = self.bytes();
        let length = length.trim().parse().ok();
        let element = length.filter(|length| *length > 0 && bytes.is_multiple_of(*length));
        let element = element
            .map(|length| bytes / length)
            .filter(|element| *element > 0);
        Some(match element {
            Some(element) => {
                let needed = (bytes + excess).div_ceil(element);
                let kind = self.kind;
                format!(
                    "if the index is right, map({kind}: {variable}[{begin}:{needed}]) covers it"
                )
            }
            None => format!(
                "if the index is right, the section {} must be {excess} bytes longer",
                self.name
            ),
        })
    }
}

/// A note `text by construct`, at the construct's place.
fn by(text: String, construct: Option<&Note>) -> Note {
    match construct {
        Some(construct) => Note {
            text: format!("{text} by {}", construct.text),
            location: construct.location.clone(),
        },
        None => Note {
            text,
            location: None,
        },
    }
}

/// The mapping that an item makes.
pub fn of_item(item: &MapItem, device: u64) -> KnownMapping {
    KnownMapping {
        device: device..device.saturating_add(item.size),
        host: item.begin..item.begin.saturating_add(item.size),
        name: item.name.expression().into_owned(),
        kind: item.kind,
        mapped: findings::current_origin(),
        unmapped: None,
    }
}

#[cfg(test)]
mod tests {
    use findings::Severity;

    use super::*;

    fn known(name: &str, kind: MapType) -> KnownMapping {
        KnownMapping {
            device: 0x1000..0x1028,
            host: 0x90..0xb8,
            name: name.into(),
            kind,
            mapped: Some(Note {
                text: "target enter data".into(),
                location: None,
            }),
            unmapped: None,
        }
    }

    fn finding(kind: Kind) -> Finding {
        Finding {
            size: 4,
            ..Finding::new(kind, Severity::Error, "")
        }
    }

    #[test]
    fn relations() {
        let range = 0x1000..0x1028;
        assert_eq!(relation(&range, 0x1004), Some(Relation::Inside(4)));
        assert_eq!(relation(&range, 0x1028), Some(Relation::Behind(0)));
        assert_eq!(relation(&range, 0xffc), Some(Relation::Before(4)));
        assert_eq!(relation(&range, 0x1000_0000), None);
    }

    #[test]
    fn the_clause_that_covers_an_access() {
        let known = known("x[0:10]", MapType::TO);
        let memory = finding(Kind::Memory);
        assert_eq!(
            known.hint(&memory, Relation::Behind(0)).unwrap(),
            "if the index is right, map(to: x[0:11]) covers it"
        );
        assert_eq!(
            known.notes(Relation::Behind(0))[0].text,
            "just past the end of 'x[0:10]' (40 bytes at 0x1000, on the host at 0x90), which is mapped `to` \
             by target enter data"
        );
        assert_eq!(known.hint(&memory, Relation::Before(4)), None);
    }

    #[test]
    fn a_length_that_is_no_number() {
        let memory = finding(Kind::Memory);
        for name in ["p[0:n]", "p[0:0]", "p[0:7]"] {
            let hint = known(name, MapType::TO).hint(&memory, Relation::Behind(4));
            assert!(
                hint.unwrap()
                    .ends_with(&format!("{name} must be 8 bytes longer"))
            );
        }
    }

    #[test]
    fn a_name_without_section_gives_no_clause() {
        let memory = finding(Kind::Memory);
        for name in ["", "x", "x[0]"] {
            let known = known(name, MapType::TO);
            assert_eq!(known.hint(&memory, Relation::Behind(0)), None, "{name}");
        }
    }

    #[test]
    fn the_map_type_that_brings_values() {
        let init = finding(Kind::Init);
        let hint = known("y", MapType::FROM).hint(&init, Relation::Inside(0));
        assert!(hint.unwrap().ends_with("map(tofrom: y)"));
        let hint = known("y", MapType::TO).hint(&init, Relation::Inside(0));
        assert_eq!(hint, None);
    }
}
