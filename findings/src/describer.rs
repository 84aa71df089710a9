//! Front ends that know what lies at a device address.

use parking_lot::RwLock;

use crate::finding::{Finding, Note};

/// A front end that knows what lies at a device address. For OpenMP: the mapping that the address is in, beside or was
/// in, its name, map type and place in the source.
pub trait Describer: Send + Sync {
    /// What it knows about a finding: notes, and what the user can do. It must not wait for a lock, because the thread
    /// that reports may hold it: what is locked is not described.
    fn describe(&self, finding: &Finding) -> (Vec<Note>, Option<String>);
}

static DESCRIBERS: RwLock<Vec<Box<dyn Describer>>> = RwLock::new(Vec::new());

/// Asks `describer` about every later finding.
pub fn describe_with(describer: Box<dyn Describer>) {
    DESCRIBERS.write().push(describer);
}

/// The finding with what the front ends know. Their hints name the program's variables and go before the finder's.
pub(crate) fn described(mut finding: Finding) -> Finding {
    let Some(describers) = DESCRIBERS.try_read() else {
        return finding;
    };
    for describer in describers.iter() {
        let (notes, hint) = describer.describe(&finding);
        finding.notes.extend(notes);
        finding.hint = hint.or(finding.hint.take());
    }
    finding
}
