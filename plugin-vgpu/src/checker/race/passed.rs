//! Copies that take part in the comparison: each is a launch of one block with one thread.

use vgpu_abi::AccessKind;

use super::memory::pieces;
use super::releases::Moment;
use super::row::{Event, Threads};
use super::{Cause, Conflict, Races, look_closer};
use crate::arena::Span;

/// A copy's access to memory.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    /// Number of its launch.
    pub launch: u32,
    /// How it uses the memory.
    pub kind: AccessKind,
    /// Which memory.
    pub span: Span,
}

/// A copy that races with something before it.
#[derive(Clone, Copy, Debug)]
pub struct TransferRace {
    /// The copy.
    pub transfer: Passed,
    /// The other access.
    pub conflict: Conflict,
    /// An address that both access, or one near it.
    pub address: u64,
}

impl Races {
    /// A copy passes. Gives what it races with, once for each place in the code.
    pub fn pass(&mut self, transfer: &Passed) -> Vec<TransferRace> {
        let launches = self.launches.clone();
        let launches = launches.lock();
        let horizon = launches.horizon(transfer.launch, 0);
        let event = Event::new((horizon.block, 1), Threads::one(0), 0, transfer.kind, 0);
        let mut races: Vec<TransferRace> = Vec::new();
        let mut found = Vec::new();
        for (address, bytes) in pieces(transfer.span.start, transfer.span.len) {
            let row = event.of(bytes);
            let segment = self.memory.segment(address);
            let verdict = segment.compare(&row, &horizon);
            if verdict.suspect {
                let unordered = |_, past: Moment| {
                    let ordered = launches.orders(past.block, horizon.block);
                    (!ordered).then_some(Cause::Nothing)
                };
                look_closer(
                    (address, &row),
                    segment.suspects(&row, &horizon),
                    unordered,
                    &launches,
                    &mut found,
                );
            }
            if !verdict.known {
                segment.note(&row, &horizon);
            }
            for conflict in found.drain(..) {
                let is_same = |race: &TransferRace| {
                    let known = &race.conflict;
                    (known.launch, known.site) == (conflict.launch, conflict.site)
                };
                if !races.iter().any(is_same) {
                    races.push(TransferRace {
                        transfer: *transfer,
                        conflict,
                        address: address.max(transfer.span.start),
                    });
                }
            }
        }
        races
    }
}
