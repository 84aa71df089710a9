//! What a launch does, and what is wrong with it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use findings::Note;
use parking_lot::Mutex;
use plugin_api::{SourceLocation, ThreadId};
use vgpu_abi::artifact::Site;
use vgpu_abi::{AccessKind, TaskEvent};

use super::observation::{Observation, What};
use super::race::{Announced, Begun, Conflict, Meeting, Races, ThreadSet};
use super::transfer::Accessor;
use super::{Checker, Wrong};
use crate::arena::Span;
use crate::block_ranges::index_in;
use crate::host_access::host_shared;
use crate::{fault, window};

/// Most observations of a launch.
const MOST: usize = 64;

/// The code that a launch runs, for reports that name it later.
#[derive(Clone)]
pub struct LaunchedCode {
    /// The kernel's symbol.
    pub kernel: Arc<str>,
    /// The source locations of its image.
    pub sites: Arc<[Site]>,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

impl LaunchedCode {
    /// The name of the variable that is declared at a site, and the place of its declaration, as far as they are known.
    pub fn variable(&self, site: u32) -> Option<(String, Option<SourceLocation>)> {
        let name = &self.sites.get(site as usize)?.function;
        (site != 0 && !name.is_empty()).then(|| (name.clone(), self.location(site)))
    }

    /// The source location of a site, if it is known.
    pub fn location(&self, site: u32) -> Option<SourceLocation> {
        fault::location_of(&self.sites, site)
    }

    /// File and line of a site, if they are known.
    fn line(&self, site: u32) -> Option<(&str, u32)> {
        let site = self.sites.get(site as usize)?;
        (site.line != 0).then_some((site.file.as_str(), site.line))
    }

    /// Threads of a block.
    pub fn threads(&self) -> u16 {
        self.block.iter().product::<u32>() as u16
    }

    /// Whether the checks have such a number for an explicit task of a block, and not for a thread.
    pub fn is_task(&self, who: u16) -> bool {
        who >= self.threads()
    }

    /// The name of a thread, or of the team whose explicit task it is.
    pub fn name(&self, block: u64, who: u16) -> String {
        match self.is_task(who) {
            true => format!("an explicit task of team {block}"),
            false => self.thread(block, who).to_string(),
        }
    }

    /// The name of a thread.
    pub fn thread(&self, block: u64, thread: u16) -> ThreadId {
        let thread = index_in(self.block, thread.into());
        ThreadId {
            block: index_in(self.grid, block),
            grid: self.grid,
            thread,
            last: thread,
            block_size: self.block,
        }
    }
}

/// The checks of a launch that runs.
pub struct LaunchChecks {
    pub(super) checker: Arc<Checker>,
    code: LaunchedCode,
    /// Its number.
    pub(super) number: u32,
    /// Lanes of a warp that need no barrier between them; 1 if they do.
    pub(super) lockstep: u16,
    found: Mutex<Found>,
    /// Who has come to which barrier of which multiprocessor.
    barriers: Mutex<HashMap<(u32, u32), Waiting>>,
}

/// Those who wait at a barrier.
struct Waiting {
    threads: ThreadSet,
    /// Where the first of them waits.
    site: u32,
    thread: u16,
}

#[derive(Default)]
struct Found {
    /// What was found where: the kinds, and the sites.
    seen: HashSet<(u8, u32, u32)>,
    observations: Vec<Observation>,
}

/// An access of a thread.
#[derive(Clone, Copy)]
pub struct Access {
    /// Index into the image's sites.
    pub site: u32,
    /// How it uses the memory.
    pub kind: AccessKind,
    /// Bytes.
    pub size: u64,
    /// The first one.
    pub address: u64,
    /// What it writes, if its kind says that this is known.
    pub value: u64,
}

impl Access {
    /// The element with a byte of the access, if it has several.
    fn element(self, byte: u64) -> Access {
        let Some(size) = self.kind.element() else {
            return self;
        };
        let before = byte.wrapping_sub(self.address) / size * size;
        Access {
            address: self.address.wrapping_add(before),
            size,
            ..self
        }
    }

    /// A place of the code, where no memory is accessed.
    pub fn none(site: u32) -> Access {
        Access {
            site,
            kind: AccessKind(0),
            size: 0,
            address: 0,
            value: 0,
        }
    }
}

/// A variable that an access names.
#[derive(Clone, Copy)]
pub struct Variable {
    /// Its address.
    pub start: u64,
    /// Its bytes.
    pub extent: u64,
    /// The site of its declaration; 0 if nothing is known of it.
    pub declaration: u32,
}

/// The thread that accesses memory.
#[derive(Clone, Copy)]
pub struct Actor {
    /// Index of its block in the grid.
    pub block: [u32; 3],
    /// Its linear index in the block.
    pub thread: u16,
}

impl LaunchChecks {
    /// The checks of a launch of `code` that begins now.
    pub fn begin(checker: &Arc<Checker>, code: LaunchedCode, lockstep: u16) -> LaunchChecks {
        let blocks = code.grid.iter().map(|&count| u64::from(count)).product();
        let mut launches = checker.launches.lock();
        let number = match &checker.races {
            Some(races) => races.launches().begin(blocks, Begun::now()),
            None => 0,
        };
        if checker.races.is_some() {
            launches.push(Accessor::Kernel(code.clone()));
        }
        drop(launches);
        LaunchChecks {
            checker: checker.clone(),
            code,
            number,
            lockstep,
            found: Mutex::default(),
            barriers: Mutex::default(),
        }
    }

    /// The launch has ended: reports what was wrong.
    pub fn end(&self) {
        if let Some(races) = &self.checker.races {
            let work = races.launches().work(self.number);
            if let Some(work) = work.filter(|work| !Begun::end(*work)) {
                host_shared::kernel_ended(work);
            }
        }
        let found = std::mem::take(&mut *self.found.lock());
        self.barriers.lock().clear();
        for observation in found.observations {
            findings::report(observation.finding(&self.code));
        }
    }

    /// A block begins, whose shared memory is `shared`. `resized`: the block before it on the multiprocessor had
    /// more of it, or less.
    pub fn begin_block(&self, sm: u32, block: [u32; 3], shared: Span, resized: bool) {
        if self.checker.checks.sync {
            self.barriers.lock().retain(|(on, _), _| *on != sm);
        }
        self.checker.begin_block(shared, resized);
        if let Some(races) = self.races() {
            let number = (self.number, self.index(block));
            races.begin_block(number, self.code.threads(), self.lockstep, shared);
        }
    }

    /// An access of one thread.
    pub fn access(&self, actor: Actor, access: Access) {
        if access.size == 0 || !window::contains(access.address) {
            return;
        }
        let checker = &*self.checker;
        if access.kind.has(AccessKind::FRESH) {
            return checker.begin_local(access.address, access.size);
        }
        if access.kind.has(AccessKind::LOCK) {
            return self.lock(actor, access);
        }
        if access.kind.has(AccessKind::ORDER) {
            if access.kind.has(AccessKind::WRITE) {
                checker.written(access.address, access.size);
            }
            return self.race(actor, access);
        }
        match checker.check(access.kind, access.address, access.size) {
            Some(Wrong::Inaccessible(byte)) => {
                if checker.checks.memory {
                    self.observe(actor, access.element(byte), 0, || {
                        What::Inaccessible(checker.describe(byte))
                    });
                }
                return;
            }
            Some(Wrong::Unwritten) => {
                let outdated = checker.is_outdated(access.address, access.size);
                self.observe(actor, access, 0, || match outdated {
                    true => What::Outdated,
                    false => What::Unwritten(checker.describe(access.address)),
                });
            }
            None => {}
        }
        self.race(actor, access);
    }

    /// A thread uses a lock. The device runtime's locks are words that are 0 while nobody holds them.
    fn lock(&self, actor: Actor, access: Access) {
        if let Some(races) = self.races() {
            races.order.is_lock(access.address);
        }
        if self.checker.checks.sync && access.kind.has(AccessKind::RELEASE) {
            // SAFETY: the thread is about to store to this word. If it cannot, that is its fault, here as there.
            let word = unsafe { AtomicU32::from_ptr(access.address as *mut u32) };
            if word.load(Ordering::Relaxed) == 0 {
                self.observe(actor, access, 0, || What::NotHeld);
            }
        }
    }

    /// An access of one thread that names a variable.
    pub fn outside(&self, actor: Actor, access: Access, variable: Variable) {
        if access.kind.has(AccessKind::ALIGNMENT) {
            let alignment = variable.declaration;
            return self.observe(actor, access, 0, || What::Misaligned { alignment });
        }
        let offset = access.address.wrapping_sub(variable.start);
        let room = variable.extent.wrapping_sub(access.size);
        if offset > room && self.checker.checks.memory {
            self.observe(actor, access, 0, || What::Outside {
                offset: offset as i64,
                extent: variable.extent,
                declaration: variable.declaration,
            });
        }
    }

    /// A thread was at an operation of its warp whose mask names these lanes, and they have ended. Lanes that have no
    /// thread do not count: masks of the last warp name them in all programs.
    pub fn named_absent(&self, actor: Actor, site: u32, named: u64) {
        let first = Actor {
            thread: actor.thread & !31,
            ..actor
        };
        let threads = u32::from(self.code.threads());
        let threads = threads.saturating_sub(first.thread.into()).min(32);
        let absent = named & ((1 << threads) - 1);
        if absent != 0 {
            let whose = first.lane(absent.trailing_zeros() as usize).thread;
            self.observe(actor, Access::none(site), 0, || What::AbsentMembers {
                count: absent.count_ones(),
                first: whose,
            });
        }
    }

    /// A fence of some threads.
    pub fn fence(&self, threads: impl Iterator<Item = u16>, kind: AccessKind) {
        if let Some(races) = self.races() {
            threads.for_each(|thread| races.order.fence(thread, kind));
        }
    }

    /// What a thread does with explicit tasks.
    pub fn task(&self, actor: Actor, event: TaskEvent, of: &Announced) {
        if let Some(races) = self.races() {
            if event == TaskEvent::BeginsInLoop {
                // It has the memory of the one before it.
                let (start, len) = (of.task, of.number);
                races.forget(Span { start, len });
            }
            races.order.task(actor.thread, event, of);
        }
    }

    /// Threads come to a meeting; see [`super::race::Order::arrive`].
    pub fn arrive(&self, meeting: Meeting, first: u16, lanes: u64, wait: bool) {
        if let Some(races) = self.races() {
            let threads = ThreadSet::lanes(first, lanes);
            races.order.arrive(meeting, &threads, wait);
        }
    }

    /// Threads go on after a meeting; `live` threads of the block have not ended.
    pub fn leave(&self, meeting: Meeting, thread: u16, live: u32) {
        if let Some(races) = self.races() {
            races.order.leave(meeting, thread, live);
        }
    }

    /// Lanes have waited for each other.
    pub fn meet(&self, first: u16, lanes: u64, live: u32) {
        if let Some(races) = self.races() {
            races.order.meet(&ThreadSet::lanes(first, lanes), live);
        }
    }

    /// A thread frees what is no block of the heap, or one that was freed.
    pub fn no_block(&self, actor: Actor, access: Access) {
        if self.checker.checks.memory {
            self.observe(actor, access, 0, || {
                What::NoBlock(self.checker.describe(access.address))
            });
        }
    }

    /// Threads come to a barrier, and wait there or go on.
    pub fn come_to_barrier(&self, sm: u32, actor: Actor, at: (u32, u32), lanes: u64, wait: bool) {
        self.arrive(Meeting::Barrier(at.1), actor.thread, lanes, wait);
        self.compare_barriers(sm, actor, at, lanes);
    }

    /// All threads of a block should come to the same barrier: OpenMP 5.2, §15.3.1.
    fn compare_barriers(&self, sm: u32, actor: Actor, (site, id): (u32, u32), lanes: u64) {
        if !self.checker.checks.sync || self.is_master(actor.thread) {
            return;
        }
        let Some(here) = self.code.line(site) else {
            return;
        };
        let mut barriers = self.barriers.lock();
        let waiting = barriers.entry((sm, id)).or_insert(Waiting {
            threads: ThreadSet::default(),
            site,
            thread: actor.thread,
        });
        waiting.threads.add(&ThreadSet::lanes(actor.thread, lanes));
        let other = (waiting.site, waiting.thread);
        drop(barriers);
        if other.0 != site && self.code.line(other.0).is_some_and(|there| there != here) {
            self.observe(actor, Access::none(site), other.0 + 1, || {
                What::OtherBarrier {
                    site: other.0,
                    thread: other.1,
                }
            });
        }
    }

    /// A thread goes on after a barrier, of the whole block if `count` is 0. The first one to do so ends what the
    /// others have come to. `live` threads of the block have not ended; the others never come.
    pub fn leave_barrier(&self, sm: u32, actor: Actor, (id, count): (u32, u32), live: u32) {
        self.leave(Meeting::Barrier(id), actor.thread, live);
        if !self.checker.checks.sync {
            return;
        }
        let mut barriers = self.barriers.lock();
        let here = barriers.entry((sm, id));
        let Entry::Occupied(waiting) = here else {
            return;
        };
        if !waiting.get().threads.has(actor.thread) {
            return;
        }
        let Waiting {
            site,
            thread,
            threads,
        } = waiting.remove();
        drop(barriers);
        let ended = u32::from(self.code.threads()).saturating_sub(live);
        // The reduction of a `teams` construct has a barrier, to which its master may come alone.
        let alone = self.is_openmp() && threads == ThreadSet::lanes(0, 1);
        if count == 0 && ended > 0 && !self.is_generic() && !alone {
            let actor = Actor { thread, ..actor };
            self.observe(actor, Access::none(site), 0, || What::Ended(ended));
        }
    }

    /// Whether the kernel is a target region, as clang names them.
    fn is_openmp(&self) -> bool {
        self.code.kernel.starts_with("__omp_offloading_")
    }

    /// Whether a thread is the master of a generic kernel, or in its warp: it comes to barriers at other places than
    /// the workers.
    fn is_master(&self, thread: u16) -> bool {
        self.is_generic() && u32::from(thread) / 32 == (self.code.block[1] - 1) / 32
    }

    /// Whether the kernel has a master's warp behind its workers: its block extends along y.
    fn is_generic(&self) -> bool {
        let [x, y, _] = self.code.block;
        x == 1 && y > 32
    }

    /// What a thread does at a place of the code, for later reports.
    pub fn place(&self, site: u32, what: &str) -> Note {
        Note {
            text: format!("`{what}` in kernel {}", self.code.kernel),
            location: self.code.location(site),
        }
    }

    /// What is known of the device's memory.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// The accesses, if races are looked for. The caller is the multiprocessor.
    #[expect(clippy::mut_from_ref)]
    fn races(&self) -> Option<&mut Races> {
        let races = self.checker.races.as_ref()?;
        // SAFETY: compiled code and the engine call from the multiprocessor's thread, of which there is one
        // (`Config::from_environment`). Every caller here uses the reference up before it calls anything else.
        Some(unsafe { races.on_multiprocessor() })
    }

    fn race(&self, actor: Actor, access: Access) {
        if let Some((races, access)) = self.compared(access) {
            for conflict in races.access(actor.thread, &access) {
                self.report_race(actor, access, conflict);
            }
        }
    }

    /// What is compared of an access. The device runtime's locks are atomic operations of its own. They order the
    /// program's accesses; its other accesses do not matter, and nobody else sees a thread's own variables.
    pub(super) fn compared(&self, access: Access) -> Option<(&mut Races, Access)> {
        if access.kind.has(AccessKind::PRIVATE) {
            return None;
        }
        let kind = match access.kind.has(AccessKind::FOREIGN) {
            true => access.kind.and(AccessKind::ORDER),
            false => access.kind,
        };
        let matters = !kind.has(AccessKind::ORDER) || kind.has(AccessKind::ATOMIC);
        let races = self.races().filter(|_| matters)?;
        Some((races, Access { kind, ..access }))
    }

    pub(super) fn report_race(&self, actor: Actor, access: Access, conflict: &Conflict) {
        let access = access.element(conflict.address);
        let address = access.address;
        let own = (self.number, self.index(actor.block));
        let several_teams = own != (conflict.launch, conflict.block);
        if !self.checker.is_comparable(address, several_teams) {
            return;
        }
        let past = self.checker.launches.lock()[conflict.launch as usize].clone();
        let thread = match self.code.is_task(conflict.present) {
            true => actor.thread,
            false => conflict.present,
        };
        let actor = Actor { thread, ..actor };
        self.observe(actor, access, conflict.site + 1, || What::Race {
            conflict: *conflict,
            past,
            elsewhere: self.number != conflict.launch,
            origins: self.checker.origins(address).unwrap_or_default(),
        });
    }

    /// Notes an observation, once for each kind and pair of places.
    fn observe(&self, actor: Actor, access: Access, other: u32, what: impl FnOnce() -> What) {
        let mut found = self.found.lock();
        let kind = access.kind.0 as u8 & 3;
        // Of a race, either side may come second.
        let (a, b) = match other {
            0 => (access.site, 0),
            other => (access.site.min(other - 1), access.site.max(other - 1) + 1),
        };
        let key = (if other == 0 { kind } else { 0 }, a, b);
        if found.observations.len() >= MOST || !found.seen.insert(key) {
            return;
        }
        let observation = Observation {
            block: self.index(actor.block),
            thread: actor.thread,
            access,
            what: what(),
        };
        found.observations.push(observation);
    }

    fn index(&self, [x, y, z]: [u32; 3]) -> u64 {
        let [width, height, _] = self.code.grid.map(u64::from);
        u64::from(x) + width * (u64::from(y) + height * u64::from(z))
    }
}

impl Actor {
    /// The thread so many lanes further on.
    pub fn lane(self, lane: usize) -> Actor {
        Actor {
            thread: self.thread + lane as u16,
            ..self
        }
    }
}
