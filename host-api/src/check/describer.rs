//! What the runtime knows about the address of a finding.

use findings::{Describer, Finding, Note};

use crate::check::mappings::{at_device_address, at_host_address};

/// Describes device addresses by the mappings that are there and were there.
pub struct OfMappings;

impl Describer for OfMappings {
    fn describe(&self, finding: &Finding) -> (Vec<Note>, Option<String>) {
        let Some(address) = finding.address else {
            return (Vec::new(), None);
        };
        if let Some((known, relation)) = at_device_address(address) {
            return (known.notes(relation), known.hint(finding, relation));
        }
        match at_host_address(address) {
            Some(known) => untranslated(address, &known.title_with_addresses()),
            None => (Vec::new(), None),
        }
    }
}

/// A kernel used a pointer to the host.
fn untranslated(address: u64, title: &str) -> (Vec<Note>, Option<String>) {
    let note = Note {
        text: format!("{address:#x} is an address of the host, in its copy of {title}"),
        location: None,
    };
    let hint = "the pointer was never attached: map the object that has it together with what it points at, \
                as in map(to: s, s.p[0:n])";
    (vec![note], Some(hint.into()))
}
