//! What the runtime knows about the address of a finding.

use findings::{Describer, Finding, Kind, Note};

use crate::check::known_mapping::Relation;
use crate::check::mappings::{at_device_address, at_host_address};
use crate::check::{routine_memory, variables};
use crate::host_memory::is_host_memory;

/// Describes device addresses by the mappings that are there and were there.
pub struct OfMappings;

impl Describer for OfMappings {
    fn describe(&self, finding: &Finding) -> (Vec<Note>, Option<String>) {
        let Some(address) = finding.address else {
            return (Vec::new(), None);
        };
        if let Some((note, name)) = variables::at_device_address(address) {
            // What is out of date was copied, or not, by an update.
            let is_outdated = finding.kind == Kind::Init;
            let hint = is_outdated.then(|| {
                format!("`target update to({name})` brings the host's value to the device")
            });
            return (vec![note], hint);
        }
        // What races may be shared memory, which no mapping is near to.
        let is_near = |relation: Relation| finding.kind != Kind::Race || relation.distance() == 0;
        let found = at_device_address(address);
        if let Some((known, relation)) = found.filter(|(_, relation)| is_near(*relation)) {
            let mut notes = known.notes(relation);
            // Who freed the memory has unmapped it, and the device knows that, too.
            notes.retain(|note| *note != known.unmapped_by() || !is_told(finding, note));
            return (notes, known.hint(finding, relation));
        }
        if let Some(note) = routine_memory::origin_of(address) {
            // The device knows it, too, where it checks kernels.
            let notes = (!is_told(finding, &note)).then_some(note);
            return (notes.into_iter().collect(), None);
        }
        let is_fault = finding.size == 0;
        match at_host_address(address) {
            Some(known) => untranslated(format!("in its copy of {}", known.title_with_addresses())),
            // The device's own memory lies in the same process: only where a kernel failed it is not that.
            None if is_fault && is_host_memory(address) => {
                untranslated("which is not mapped".into())
            }
            None => (Vec::new(), None),
        }
    }
}

/// Whether a finding has a note with this one's place.
fn is_told(finding: &Finding, note: &Note) -> bool {
    let mut known = finding.notes.iter();
    note.location.is_some() && known.any(|other| other.location == note.location)
}

/// A kernel used a pointer to the host.
fn untranslated(place: String) -> (Vec<Note>, Option<String>) {
    let note = Note {
        text: format!("this is an address of the host, {place}"),
        location: None,
    };
    let hint = "the pointer was never attached: map the object that has it together with what it points at, \
                as in map(to: s, s.p[0:n])";
    (vec![note], Some(hint.into()))
}
