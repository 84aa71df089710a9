//! Faults of kernels are findings, too.

use plugin_api::{FaultKind, KernelFault};

use crate::checks::wanted;
use crate::finding::{Finding, Kind, Note, Severity};
use crate::report::record;

/// Keeps the finding that a kernel's fault is, if the process asked for its kind of check. The front end reports the
/// fault as an error. `misuse`: a barrier, or an operation of the warp, was used against its rules.
pub fn record_fault(fault: &KernelFault, misuse: bool) {
    let (Some(finding), Ok(wanted)) = (finding(fault, misuse), wanted()) else {
        return;
    };
    if wanted.has(finding.kind) {
        record(finding);
    }
}

/// Deliberate traps and arithmetic are no business of the checker.
fn finding(fault: &KernelFault, misuse: bool) -> Option<Finding> {
    let (kind, address) = match fault.kind {
        FaultKind::WildAccess { address, .. } => (Kind::Memory, Some(address)),
        FaultKind::WildPage { .. } | FaultKind::IllegalAddress | FaultKind::StackOverflow => {
            (Kind::Memory, None)
        }
        FaultKind::Deadlock => (Kind::Sync, None),
        // Threads that wait on memory for longer than they may.
        FaultKind::Other(_) if misuse || !fault.waiting.is_empty() => (Kind::Sync, None),
        FaultKind::Trap { .. } | FaultKind::Arithmetic | FaultKind::Other(_) => return None,
    };
    let waiting = fault.waiting.iter().map(|group| Note {
        text: format!("waiting at {}: threads {}", group.at, group.threads),
        location: group.location.clone(),
    });
    Some(Finding {
        kernel: Some(fault.kernel.clone()),
        thread: fault.thread.map(|thread| thread.to_string()),
        location: fault.location.clone(),
        address,
        notes: waiting.collect(),
        ..Finding::new(kind, Severity::Error, fault.kind.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(kind: FaultKind) -> KernelFault {
        KernelFault {
            kernel: "k".into(),
            kind,
            thread: None,
            location: None,
            waiting: Vec::new(),
        }
    }

    #[test]
    fn faults_have_kinds() {
        let wild = FaultKind::WildAccess {
            address: 16,
            write: true,
        };
        let found = finding(&fault(wild), false).unwrap();
        assert_eq!((found.kind, found.address), (Kind::Memory, Some(16)));
        assert!(found.what.starts_with("store to 0x10"), "{}", found.what);
        let found = finding(&fault(FaultKind::Deadlock), false).unwrap();
        assert_eq!(found.kind, Kind::Sync);
        assert_eq!(finding(&fault(FaultKind::Arithmetic), false), None);
        let other = fault(FaultKind::Other("a warp has diverged".into()));
        assert_eq!(finding(&other, false), None);
        assert_eq!(finding(&other, true).unwrap().kind, Kind::Sync);
    }
}
