//! Copies and fills by the host and by streams, which race with kernels and with each other.

use findings::{DeviceWork, Finding, Finished, Kind, Note, Severity, current_origin, is_exclusive};
use plugin_api::SourceLocation;
use vgpu_abi::AccessKind;

use super::Checker;
use super::launch::LaunchedCode;
use super::observation;
use super::race::{Begun, Passed, Races, TransferRace};
use crate::arena::Span;
use crate::host_access::host_shared;

/// Copies of so many bytes are one access, which does not race with atomic ones: programs read counters so.
const WORD: u64 = 8;

/// What accesses device memory.
#[derive(Clone)]
pub enum Accessor {
    /// A kernel.
    Kernel(LaunchedCode),
    /// A copy or a fill.
    Transfer(Transfer),
}

/// A copy or a fill.
#[derive(Clone)]
pub struct Transfer {
    /// What it does.
    what: &'static str,
    /// Who wants it.
    origin: Option<Note>,
}

impl Transfer {
    /// What it does, and who wants it.
    pub fn note(&self) -> (String, Option<SourceLocation>) {
        match &self.origin {
            Some(origin) => (
                format!("{} by {}", self.what, origin.text),
                origin.location.clone(),
            ),
            None => (self.what.to_owned(), None),
        }
    }
}

/// A copy or a fill that goes on, where races are looked for.
#[derive(Default)]
pub struct InFlight {
    work: Option<DeviceWork>,
    /// All memory between which it copies.
    spans: Vec<Span>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some(work) = self.work.filter(|work| !Begun::end(*work)) {
            for &span in &self.spans {
                host_shared::copy_ended(work, span);
            }
        }
    }
}

impl Checker {
    /// The calling thread begins a copy or a fill. It is compared with what kernels do by who has the multiprocessor.
    pub fn transfer(
        &self,
        what: &'static str,
        parts: impl Iterator<Item = (AccessKind, Span)>,
    ) -> InFlight {
        let Some(races) = self.races.as_ref().filter(|_| !is_exclusive()) else {
            return InFlight::default();
        };
        let origin = current_origin();
        let mut launches = self.launches.lock();
        let begun = Begun::now();
        let work = begun.work;
        let launch = races.launches().begin(1, begun);
        launches.push(Accessor::Transfer(Transfer { what, origin }));
        drop(launches);
        let mut spans = Vec::new();
        for (kind, span) in parts {
            spans.push(span);
            let is_word = span.len <= WORD && span.start % span.len.max(1) == 0;
            let kind = match is_word {
                true => kind.and(AccessKind::ATOMIC),
                false => kind,
            };
            races.pass(Passed { launch, kind, span });
        }
        InFlight {
            work: Some(work),
            spans,
        }
    }

    /// The host's own code accesses memory that is the host's, too, when it knows this much. Gives its work, which is
    /// compared as a copy is.
    pub fn accessed_by_host(
        &self,
        address: u64,
        kind: AccessKind,
        location: Option<SourceLocation>,
        known: Finished,
    ) -> Option<DeviceWork> {
        let races = self.races.as_ref()?;
        let mut work = DeviceWork::new_stream();
        work.begin_next();
        let origin = Note {
            text: "the host's own code".to_owned(),
            location,
        };
        let mut launches = self.launches.lock();
        let launch = races.launches().begin(1, Begun { work, known });
        launches.push(Accessor::Transfer(Transfer {
            what: if kind.has(AccessKind::WRITE) {
                "write"
            } else {
                "read"
            },
            origin: Some(origin),
        }));
        drop(launches);
        let (kind, len) = (kind.and(AccessKind::ATOMIC), 1);
        let span = Span {
            start: address,
            len,
        };
        races.pass(Passed { launch, kind, span });
        Some(work)
    }

    /// Looks at what is about to be copied to the host. Of buffers that are longer than what kernels put into them, of
    /// rows and of structures with gaps, some bytes were never written: only where none of an allocation was, nobody
    /// can mean that.
    pub fn copied_to_host(&self, Span { start, len }: Span) {
        let written = self.shadow.written;
        if !self.checks.init || len == 0 || written.has_any(start, len) {
            return;
        }
        // Variables of images are no allocations. They have their values from the image.
        let allocation = self.known.lock().memory.around(start);
        let is_fresh = |whole: Span| !written.has_any(whole.start, whole.len);
        if !allocation.is_some_and(is_fresh) {
            return;
        }
        findings::report(Finding {
            location: current_origin().and_then(|origin| origin.location),
            address: Some(start),
            size: len,
            notes: self.origins(start).unwrap_or_default(),
            hint: Some(
                "no kernel and no copy has written there: the host gets whatever the memory held"
                    .to_owned(),
            ),
            ..Finding::new(
                Kind::Init,
                Severity::Error,
                format!(
                    "copy of {len} bytes to the host, none of which was ever written on the device"
                ),
            )
        });
        // What is reported once is not reported again.
        self.shadow.written.set(start, len);
    }

    /// Compares the copies that have not been compared yet.
    ///
    /// # Safety
    /// The caller has the device's one multiprocessor.
    pub unsafe fn compare_transfers(&self) {
        if let Some(races) = &self.races {
            // SAFETY: the caller's contract.
            let _all: &mut Races = unsafe { races.on_multiprocessor() };
        }
    }

    /// Reports the races of copies that were found.
    pub fn report_transfers(&self) {
        let Some(races) = &self.races else {
            return;
        };
        for race in races.take_transfer_races() {
            if self.is_comparable(race.address, true) {
                findings::report(self.race_of_transfer(&race));
            }
        }
    }

    fn race_of_transfer(&self, race: &TransferRace) -> Finding {
        let launches = self.launches.lock();
        let accessor = |launch: u32| launches[launch as usize].clone();
        let (own, past) = (
            accessor(race.transfer.launch),
            accessor(race.conflict.launch),
        );
        drop(launches);
        let (what, location) = match own {
            Accessor::Transfer(transfer) => transfer.note(),
            Accessor::Kernel(code) => (code.kernel.to_string(), None),
        };
        let bytes = race.transfer.span.len;
        let mut notes = vec![observation::other(&race.conflict, &past, None)];
        notes.extend(self.origins(race.address).into_iter().flatten());
        let size = match bytes {
            1 => String::new(),
            _ => format!(" of {bytes} bytes"),
        };
        let what = format!("race: {what}{size}, which nothing orders with another access");
        Finding {
            location,
            address: Some(race.address),
            size: bytes,
            notes,
            hint: Some(observation::WAIT.to_owned()),
            ..Finding::new(Kind::Race, Severity::Error, what)
        }
    }
}
