//! Compiles a large image's kernels when they are asked for (`vgpu --by-group`).
//!
//! The process does for the whole image what precedes warp forms. If the image is large enough (`vgpu::groups`), the
//! process stays. It has the module in memory, and makes a copy of itself for each request. So requests may come at the
//! same time, and each copy may change its module.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use anyhow::Result;
use codegen::requests::{self, Request, Wanted};
use vgpu_abi::artifact::Artifact;

use super::ahead::Ahead;
use super::emit;
use super::groups::{self, Groups, Share};
use super::unit::Unit;
use crate::child::{Child, Children};

/// How long the process waits for a further request. It holds a hundred megabytes or more, and a program that has asked
/// for nothing for so long has likely launched all kernels that it will launch.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most processes that have compiled something and wait for a request. Each holds tens of megabytes.
const MOST_WAITING: usize = 8;

/// The first answer goes to `answer`: the whole image, or what its kernels share. In the latter case this takes
/// requests from `client` until it has gone, or has asked for nothing for long.
pub fn run(
    mut unit: Unit,
    client: OwnedFd,
    answer: impl FnOnce(&Artifact) -> Result<()>,
) -> Result<()> {
    let Some(groups) = groups::divide(&unit) else {
        return answer(&compile(&mut unit)?);
    };
    groups.connect(&unit.module);
    // SAFETY: the compiler process has one thread.
    let Ok(base) = (unsafe { Child::start(|| share(&mut unit, &groups, Share::Base)) }) else {
        // The system allows no more processes, or has no memory for them.
        return answer(&compile(&mut unit)?);
    };
    let mut base = Artifact::decode(&base.answer()?)?;
    let later = unit.kernels.iter().map(|kernel| {
        let mut entry = emit::entry(kernel);
        let group = groups.of(&kernel.name);
        entry.start = group.and_then(|group| groups.start(group));
        entry.group = group.map(|number| number as u32);
        entry
    });
    base.manifest.kernels = later.collect();
    answer(&base)?;
    requests::announce(client.as_fd())?;
    attend(&mut unit, &groups, &client)
}

fn compile(unit: &mut Unit) -> Result<Artifact> {
    super::finish(unit)?;
    emit::run(unit)
}

/// Compiles a share of the image. It can be done once.
fn share(unit: &mut Unit, groups: &Groups, share: Share) -> Result<Vec<u8>> {
    groups.keep(unit, share)?;
    Ok(compile(unit)?.encode())
}

/// Answers requests.
fn attend(unit: &mut Unit, groups: &Groups, client: &OwnedFd) -> Result<()> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let mut attendant = Attendant {
        unit,
        groups,
        ahead: Ahead::new(groups.count(), cpus),
        waiting: Vec::new(),
        children: Children::default(),
    };
    loop {
        let is_ready = requests::wait(client, PATIENCE)?;
        if is_ready {
            match requests::receive(client.as_fd())? {
                None => return Ok(()),
                Some(request) => attendant.answer(request),
            }
        } else {
            attendant.end_waiting(0);
        }
        let nothing_runs = attendant.children.none_is_left();
        if !is_ready && nothing_runs {
            return Ok(());
        }
    }
}

/// Who answers requests.
struct Attendant<'a> {
    unit: &'a mut Unit,
    groups: &'a Groups,
    ahead: Ahead,
    /// The processes that compile what has not been asked for, oldest first.
    waiting: Vec<Waiting>,
    /// All processes.
    children: Children,
}

/// A process that compiles a group and then waits for the request.
struct Waiting {
    group: usize,
    socket: OwnedFd,
    process: libc::pid_t,
}

impl Attendant<'_> {
    /// Begins to compile what is wanted. Without an answer, the client sees that something has failed.
    fn answer(&mut self, request: Request) {
        let wanted = match Wanted::of(request.number) {
            Wanted::Group(number) => Share::Group(number as usize),
            Wanted::Start(number) => Share::Start(number as usize),
        };
        match wanted {
            _ if !self.groups.has(wanted) => eprintln!("error: there is no {wanted:?}"),
            Share::Group(group) => self.answer_about(group, request),
            Share::Start(_) | Share::Base => {
                self.start(wanted, File::from(request.file), Some(1));
            }
        }
    }

    /// Begins to compile a group, and those that may be asked for next.
    fn answer_about(&mut self, group: usize, request: Request) {
        if !self.pass_on(group, &request) {
            self.start(Share::Group(group), File::from(request.file), None);
        }
        for next in self.ahead.asked(group) {
            if self.waiting.iter().all(|it| it.group != next) {
                self.start_ahead(next);
            }
        }
    }

    /// Passes a request on to the process that has begun with it, if there is one. It ends when it has answered.
    fn pass_on(&mut self, group: usize, request: &Request) -> bool {
        let Some(place) = self.waiting.iter().position(|it| it.group == group) else {
            return false;
        };
        let begun = self.waiting.remove(place);
        requests::send(begun.socket.as_fd(), request.number, request.file.as_fd()).is_ok()
    }

    /// Starts a process that compiles a share in so many parts and answers. Gives its number.
    fn start(
        &mut self,
        wanted: Share,
        answer: impl Write,
        parts: Option<usize>,
    ) -> Option<libc::pid_t> {
        let job = || {
            self.unit.options.parts = parts.or(self.unit.options.parts);
            share(self.unit, self.groups, wanted)
        };
        // SAFETY: the compiler process has one thread.
        let begun = unsafe { self.children.start(answer, job) };
        begun
            .inspect_err(|error| eprintln!("error: starting a process: {error}"))
            .ok()
    }

    /// Starts a process that answers when it gets the request.
    fn start_ahead(&mut self, group: usize) {
        let Ok((socket, other)) = requests::sockets() else {
            return;
        };
        // The other CPUs have other groups to compile.
        let begun = self.start(Share::Group(group), OnRequest::At(other), Some(1));
        self.waiting.extend(begun.map(|process| Waiting {
            group,
            socket,
            process,
        }));
        self.end_waiting(MOST_WAITING);
    }

    /// Ends those that have waited longest, but for so many.
    fn end_waiting(&mut self, most: usize) {
        let ended = self.waiting.len().saturating_sub(most);
        let ended = self.waiting.drain(..ended);
        ended.for_each(|it| self.children.end(it.process));
    }
}

/// The file that a request brings, when something is written there.
enum OnRequest {
    /// There has been no request at this socket.
    At(OwnedFd),
    /// There has.
    Is(File),
}

impl Write for OnRequest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OnRequest::Is(file) => file.write(bytes),
            OnRequest::At(socket) => {
                let request = requests::receive(socket.as_fd())?;
                let request = request.ok_or(io::ErrorKind::BrokenPipe)?;
                *self = OnRequest::Is(File::from(request.file));
                self.write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
