//! What a launch did wrong, and how it is reported.

use std::sync::Arc;

use findings::{Finding, Kind, Note, Severity};
use plugin_api::SourceLocation;
use vgpu_abi::AccessKind;

use super::launch::{Access, LaunchedCode};
use super::race::{Cause, Conflict};
use super::transfer::Accessor;

/// How an address relates to allocations, and what is known about the one it has to do with.
type Place = Option<(String, Vec<Note>)>;

/// What OpenMP and CUDA ask of barriers.
const TOGETHER: &str =
    "every thread of the team must come to the same barriers and worksharing loops";

/// A race, and what to do.
const UNORDERED: &str = "race: {access} that nothing orders with another access";
const ORDER: &str = "use a barrier, an atomic operation, a reduction or a critical region";
/// What to do about a race of an explicit task.
const TASKS: &str =
    "wait for the task first: `taskwait`, `taskgroup` or `depend`; or use an atomic operation";

/// Lanes communicate without a barrier.
const EXCHANGE: &str = "race: {access} by which lanes of a warp exchange a value through volatile memory without a barrier";
const SYNCWARP: &str =
    "`__syncwarp()` between the write and the read: `volatile` does not order lanes";

/// Only locks order it.
const EXCLUSION: &str =
    "race: {access} that only a critical region or a lock orders with another team's access";
const ONE_TEAM: &str = "a critical region or a lock excludes threads of one team only: use an atomic operation or a \
                        reduction";

/// What orders copies and kernels.
pub const WAIT: &str = "wait for the other one first: `taskwait` or `depend` in OpenMP; an event, or a synchronisation of \
                        its stream or queue";

/// Something that a thread did.
pub struct Observation {
    /// Its block, by its index in the grid.
    pub block: u64,
    /// The thread.
    pub thread: u16,
    /// The access.
    pub access: Access,
    /// What is wrong with it.
    pub what: What,
}

/// What is wrong with an access.
pub enum What {
    /// It has bytes that are in no allocation.
    Inaccessible(Place),
    /// It names a variable and is outside of it.
    Outside {
        /// From the variable's first byte.
        offset: i64,
        /// The variable's bytes.
        extent: u64,
        /// The site of its declaration; 0 if nothing is known of it.
        declaration: u32,
    },
    /// Its address is no multiple of what an instruction of the hardware needs.
    Misaligned {
        /// Bytes.
        alignment: u32,
    },
    /// It is at an operation of its warp whose mask names lanes that have ended.
    AbsentMembers {
        /// How many.
        count: u32,
        /// The thread of the first.
        first: u16,
    },
    /// It frees what is no block of the heap.
    NoBlock(Place),
    /// It gives back a lock that nobody holds.
    NotHeld,
    /// It reads what was never written.
    Unwritten(Place),
    /// It reads what the host has changed on its side.
    Outdated,
    /// So many threads of its block have ended and never come to its barrier.
    Ended(u32),
    /// The thread is at one barrier while another one of its team is at another.
    OtherBarrier {
        /// Where the other one is.
        site: u32,
        /// Who that is.
        thread: u16,
    },
    /// Another one races with it.
    Race {
        /// The other one.
        conflict: Conflict,
        /// The code that made it.
        past: Accessor,
        /// Whether that was another launch.
        elsewhere: bool,
        /// Who has allocated the memory.
        origins: Vec<Note>,
    },
}

impl Observation {
    /// The finding to report; `code` is what the launch ran.
    pub fn finding(self, code: &LaunchedCode) -> Finding {
        let Access {
            site,
            kind,
            size,
            address,
            ..
        } = self.access;
        let verb = verb(kind);
        // Threads that have ended are not waited for (CUDA C++ Programming Guide, "Synchronization Functions").
        // Volatile accesses are relaxed atomic ones (PTX ISA, "Memory Consistency Model"): their values may be old
        // only.
        let severity = match &self.what {
            What::AbsentMembers { .. } | What::Outdated => Severity::Warning,
            What::Race { conflict, .. } if conflict.cause != Cause::Nothing => Severity::Warning,
            _ => Severity::Error,
        };
        let mut thread = code.thread(self.block, self.thread).to_string();
        if matches!(&self.what, What::Race { conflict, .. } if code.is_task(conflict.present)) {
            thread += ", in an explicit task";
        }
        let (check, what, notes, hint) = match self.what {
            What::Inaccessible(place) => {
                let (place, notes) = place.unwrap_or_else(unknown);
                (
                    Kind::Memory,
                    format!("{verb} of {size} bytes, {place}"),
                    notes,
                    None,
                )
            }
            What::Outside {
                offset,
                extent,
                declaration,
            } => {
                let variable = code.variable(declaration);
                let place = outside(offset, extent, variable.as_ref().map(|(name, _)| &**name));
                let notes = variable.and_then(declared).into_iter().collect();
                (
                    Kind::Memory,
                    format!("{verb} of {size} bytes, {place}"),
                    notes,
                    None,
                )
            }
            What::Misaligned { alignment } => {
                let what = format!(
                    "{verb} of {size} bytes at an address that is no multiple of {alignment}"
                );
                let hint = "a pointer to a larger type must lie where an object of that type may lie: an NVIDIA GPU \
                            stops at such an access";
                (Kind::Memory, what, Vec::new(), Some(hint.to_owned()))
            }
            What::NoBlock(place) => {
                let (place, notes) = place.unwrap_or_else(unknown);
                (
                    Kind::Memory,
                    format!("free of what is no block of the heap, {place}"),
                    notes,
                    None,
                )
            }
            What::NotHeld => {
                let hint = "only who has set a lock may unset it: omp_set_lock, or omp_test_lock that gave 1";
                let what = "a lock is unset that nobody holds".to_owned();
                (Kind::Sync, what, Vec::new(), Some(hint.to_owned()))
            }
            What::Unwritten(_) if kind.has(AccessKind::PRIVATE) => {
                let variable = code.variable(self.access.value as u32);
                let of = variable.as_ref().map_or_else(
                    || "a local variable".to_owned(),
                    |(name, _)| format!("the local variable '{name}'"),
                );
                let what = format!("read of {size} bytes of {of} that were never written");
                let notes = variable.and_then(declared).into_iter().collect();
                let hint = "initialise it where it is declared";
                (Kind::Init, what, notes, Some(hint.to_owned()))
            }
            What::Outdated => {
                let what = format!(
                    "read of {size} bytes that the host has changed since they were copied to the device"
                );
                let hint =
                    "`target update to(…)` after the change brings the new value to the device";
                (Kind::Init, what, Vec::new(), Some(hint.to_owned()))
            }
            What::Unwritten(place) => {
                let what = format!("read of {size} bytes that were never written on the device");
                let hint = "initialise the memory in a kernel, or map it `to` the device";
                (Kind::Init, what, noted(place), Some(hint.to_owned()))
            }
            What::AbsentMembers { count, first } => {
                let first = code.thread(self.block, first);
                let what = match count {
                    1 => "the mask of an operation of a warp names a lane that has ended".into(),
                    _ => format!(
                        "the mask of an operation of a warp names {count} lanes that have ended"
                    ),
                };
                let note = Note {
                    text: format!("the first of them is {first}"),
                    location: None,
                };
                let hint = "name the lanes that come there: those of `__ballot_sync(mask, condition)` before the branch";
                (Kind::Sync, what, vec![note], Some(hint.to_owned()))
            }
            What::Ended(count) => {
                let what = match count {
                    1 => "a barrier that a thread of the team never comes to: it has ended".into(),
                    _ => format!(
                        "a barrier that {count} threads of the team never come to: they have ended"
                    ),
                };
                (Kind::Sync, what, Vec::new(), Some(TOGETHER.to_owned()))
            }
            What::OtherBarrier { site, thread } => {
                let other = code.thread(self.block, thread);
                let note = Note {
                    text: format!("{other} is at the barrier"),
                    location: code.location(site),
                };
                let what = "threads of a team are at different barriers".to_owned();
                (Kind::Sync, what, vec![note], Some(TOGETHER.to_owned()))
            }
            What::Race {
                conflict,
                past,
                elsewhere,
                origins,
            } => {
                let is_past =
                    matches!(&past, Accessor::Kernel(code) if code.is_task(conflict.thread));
                let tasks = is_past || code.is_task(conflict.present);
                let mut notes = vec![other(&conflict, &past, Some(&code.kernel))];
                notes.extend(origins);
                let (what, hint) = match (conflict.cause, elsewhere) {
                    (Cause::Exchange, _) => (EXCHANGE, SYNCWARP),
                    (Cause::Exclusion, _) => (EXCLUSION, ONE_TEAM),
                    (Cause::Nothing, true) => (UNORDERED, WAIT),
                    (Cause::Nothing, false) if tasks => (UNORDERED, TASKS),
                    (Cause::Nothing, false) => (UNORDERED, ORDER),
                };
                let what = what.replace("{access}", &format!("{verb} of {size} bytes"));
                (Kind::Race, what, notes, Some(hint.to_owned()))
            }
        };
        Finding {
            kind: check,
            severity,
            what,
            kernel: Some(code.kernel.to_string()),
            thread: Some(thread),
            location: code.location(site),
            address: (address != 0).then_some(address),
            size,
            notes,
            hint,
        }
    }
}

fn verb(kind: AccessKind) -> &'static str {
    let (read, write) = (kind.has(AccessKind::READ), kind.has(AccessKind::WRITE));
    match (read && write, write) {
        (true, _) => "atomic update",
        (_, true) => "write",
        (_, false) => "read",
    }
}

fn unknown() -> (String, Vec<Note>) {
    ("outside of every allocation".to_owned(), Vec::new())
}

fn outside(offset: i64, extent: u64, name: Option<&str>) -> String {
    let variable = match name {
        Some(name) => format!("'{name}' ({extent} bytes)"),
        None => format!("a variable of {extent} bytes"),
    };
    match offset {
        before if before < 0 => format!("{} bytes before {variable}", -before),
        inside if (inside as u64) < extent => {
            format!("{inside} bytes into {variable}, and beyond its end")
        }
        past => {
            let past = past as u64 - extent;
            format!("{past} bytes past the end of {variable}")
        }
    }
}

/// Where a variable is declared.
fn declared((name, location): (String, Option<SourceLocation>)) -> Option<Note> {
    location.is_some().then(|| Note {
        text: format!("'{name}' is declared"),
        location: location.map(|place| SourceLocation {
            function: String::new(),
            ..place
        }),
    })
}

fn noted(place: Place) -> Vec<Note> {
    place.map_or(Vec::new(), |(_, notes)| notes)
}

/// The other access of a race. `kernel` makes the present one.
pub fn other(conflict: &Conflict, past: &Accessor, kernel: Option<&Arc<str>>) -> Note {
    let past = match past {
        Accessor::Kernel(code) => code,
        Accessor::Transfer(transfer) => {
            let (text, location) = transfer.note();
            let text = format!("the other access: {text}");
            return Note { text, location };
        }
    };
    let verb = match (
        conflict.write,
        conflict.atomic && conflict.cause != Cause::Exchange,
    ) {
        (true, false) => "write",
        (true, true) => "atomic write",
        (false, true) => "atomic read",
        (false, false) => "read",
    };
    let thread = past.name(conflict.block, conflict.thread);
    let kernel = match kernel == Some(&past.kernel) {
        true => String::new(),
        false => format!(" of kernel {}", past.kernel),
    };
    Note {
        text: format!("the other access: {verb} by {thread}{kernel}"),
        location: past.location(conflict.site),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_variables() {
        assert_eq!(
            outside(-4, 40, None),
            "4 bytes before a variable of 40 bytes"
        );
        assert_eq!(
            outside(40, 40, Some("tile")),
            "0 bytes past the end of 'tile' (40 bytes)"
        );
        assert_eq!(
            outside(38, 40, None),
            "38 bytes into a variable of 40 bytes, and beyond its end"
        );
    }

    #[test]
    fn accesses_are_named() {
        assert_eq!(
            verb(AccessKind::READ.and(AccessKind::WRITE)),
            "atomic update"
        );
        assert_eq!(verb(AccessKind::WRITE), "write");
        assert_eq!(verb(AccessKind::READ.and(AccessKind::ATOMIC)), "read");
    }
}
