//! Who shares a loop: the threads of a team, the teams of a league, all threads.

use core::num::NonZero;

use super::static_schedule::{DISTRIBUTE, DISTRIBUTE_CHUNKED};
use super::warp_chunks::Threads;
use crate::arch;
use crate::team::nest::Nest;

/// One of `count` that share a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number.
    pub id: u32,
    /// How many there are.
    pub count: NonZero<u32>,
}

impl Member {
    /// Number `id` of `count`, which is not 0.
    #[inline(always)]
    pub fn new(id: u32, count: u32) -> Member {
        // SAFETY: a team has a thread, a league has a team.
        let count = unsafe { NonZero::new_unchecked(count) };
        Member { id, count }
    }

    /// The calling thread in its team.
    #[inline(always)]
    pub fn thread() -> Member {
        let nest = Nest::load_inline();
        Member::new(nest.thread_num(), nest.team_size())
    }

    /// The calling thread's team in the league.
    #[inline(always)]
    pub fn team() -> Member {
        Member::new(arch::block_id(), arch::block_count())
    }

    /// The calling thread in the league. Of more threads than 32 bits count, some get no part.
    #[inline(always)]
    pub fn of_all_threads() -> Option<Member> {
        let (team, thread) = (Member::team(), Member::thread());
        let teams = team.count.get().min(u32::MAX / thread.count);
        let threads = thread.count.get();
        (team.id < teams).then(|| Member::new(team.id * threads + thread.id, teams * threads))
    }

    #[inline(always)]
    pub(super) fn of_schedule(schedule: i32) -> Member {
        match schedule {
            DISTRIBUTE | DISTRIBUTE_CHUNKED => Member::team(),
            _ => Member::thread(),
        }
    }
}

/// The threads of the team.
#[inline(always)]
pub fn team_threads() -> Threads {
    let thread = Member::thread();
    Threads {
        number: thread.id.into(),
        in_team: thread.id,
        team: thread.count.get(),
        all: thread.count.get().into(),
    }
}

/// The threads of all teams.
#[inline(always)]
pub fn all_threads() -> Threads {
    let (team, thread) = (Member::team(), Member::thread());
    let threads = u64::from(thread.count.get());
    Threads {
        number: u64::from(team.id) * threads + u64::from(thread.id),
        in_team: thread.id,
        team: thread.count.get(),
        all: u64::from(team.count.get()) * threads,
    }
}
