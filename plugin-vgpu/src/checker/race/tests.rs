//! Two threads and a word, in the ways in which programs order them.

use vgpu_abi::TaskEvent;

use super::*;

const READ: AccessKind = AccessKind::READ;
const WRITE: AccessKind = AccessKind::WRITE;
const UPDATE: AccessKind = AccessKind(READ.0 | WRITE.0 | AccessKind::ATOMIC.0);

const NO_SHARED: Span = Span { start: 0, len: 0 };

fn access(site: u32, kind: AccessKind, address: u64, size: u64) -> Access {
    Access {
        site,
        kind,
        size,
        address,
        value: 7,
    }
}

struct Program(Races);

impl Program {
    fn new() -> Program {
        let mut races = Races::default();
        let launch = races.launches.lock().begin(10, Begun::now());
        races.begin_block((launch, 0), 64, 1, NO_SHARED);
        Program(races)
    }

    fn block(&mut self, block: u64) {
        self.0.begin_block((0, block), 64, 1, NO_SHARED);
    }

    fn races(&mut self, thread: u16, kind: AccessKind, address: u64) -> bool {
        !self
            .0
            .access(thread, &access(1, kind, address, 4))
            .is_empty()
    }

    /// A barrier of the first threads of the block.
    fn barrier(&mut self, threads: u64, live: u32) {
        let all = ThreadSet::lanes(0, threads);
        self.0.order.arrive(Meeting::Barrier(0), &all, true);
        for thread in (0..64).filter(|it| threads >> it & 1 != 0) {
            self.0.order.leave(Meeting::Barrier(0), thread, live);
        }
    }
}

#[test]
fn unordered_accesses_race_unless_both_read() {
    let mut program = Program::new();
    assert!(!program.races(0, READ, 64) && !program.races(1, READ, 64));
    assert!(program.races(1, WRITE, 64) && program.races(0, READ, 64));
    assert!(!program.races(2, WRITE, 128) && !program.races(2, READ, 128));
    assert!(program.races(3, WRITE, 128));
}

#[test]
fn a_barrier_orders() {
    let mut program = Program::new();
    assert!(!program.races(0, WRITE, 64));
    program.barrier(0b11, 2);
    assert!(!program.races(1, READ, 64) && !program.races(0, READ, 64));
    assert!(program.races(0, WRITE, 64));
    program.barrier(0b11, 2);
    assert!(!program.races(0, WRITE, 64));
}

#[test]
fn a_barrier_of_some_orders_these() {
    let mut program = Program::new();
    assert!(!program.races(0, WRITE, 64) && !program.races(3, WRITE, 72));
    program.barrier(0b11, 4);
    assert!(!program.races(1, WRITE, 64));
    assert!(program.races(1, WRITE, 72) && program.races(2, WRITE, 64));
}

#[test]
fn atomics_race_with_other_accesses_only() {
    let mut program = Program::new();
    assert!(!program.races(0, UPDATE, 64) && !program.races(1, UPDATE, 64));
    program.block(1);
    assert!(!program.races(0, UPDATE, 64));
    assert!(program.races(1, READ, 64));
}

#[test]
fn a_lock_orders_blocks_and_threads() {
    let acquire = UPDATE.and(AccessKind::ACQUIRE);
    let release = WRITE.and(AccessKind::ATOMIC).and(AccessKind::RELEASE);
    let mut program = Program::new();
    for block in 0..3 {
        program.block(block);
        for thread in 0..3 {
            assert!(!program.races(thread, acquire, 4));
            assert!(!program.races(thread, READ, 64) && !program.races(thread, WRITE, 64));
            assert!(!program.races(thread, release, 4));
        }
    }
    assert!(program.races(5, READ, 64));
}

#[test]
fn fences_make_relaxed_atomics_order() {
    let fence = AccessKind::ACQUIRE.and(AccessKind::RELEASE);
    let (store, load) = (WRITE.and(AccessKind::ATOMIC), READ.and(AccessKind::ATOMIC));
    for fenced in [true, false] {
        let mut program = Program::new();
        assert!(!program.races(0, WRITE, 64));
        if fenced {
            program.0.order.fence(0, fence);
        }
        assert!(!program.races(0, store, 4));
        program.block(1);
        assert!(!program.races(7, load, 4));
        program.0.order.fence(7, fence);
        assert_eq!(program.races(7, READ, 64), !fenced);
    }
}

#[test]
fn what_a_thread_acquired_others_know_after_a_barrier() {
    let release = WRITE.and(AccessKind::ATOMIC).and(AccessKind::RELEASE);
    let acquire = READ.and(AccessKind::ATOMIC).and(AccessKind::ACQUIRE);
    for everybody in [2, 9] {
        let mut program = Program::new();
        assert!(!program.races(0, WRITE, 64) && !program.races(0, release, 4));
        program.block(1);
        assert!(!program.races(0, acquire, 4));
        program.barrier(0b11, everybody);
        assert!(!program.races(1, READ, 64));
        assert_eq!(program.races(2, READ, 64), everybody == 9);
    }
}

#[test]
fn kernels_one_after_the_other_are_ordered() {
    let mut program = Program::new();
    assert!(!program.races(0, WRITE, 64));
    let launches = program.0.launches.clone();
    let concurrent = launches.lock().begin(1, Begun::now());
    let first = launches.lock().work(0).unwrap();
    Begun::end(first);
    let next = launches.lock().begin(1, Begun::now());
    program.0.begin_block((next, 0), 64, 1, NO_SHARED);
    assert!(!program.races(1, READ, 64));
    program.0.begin_block((concurrent, 0), 64, 1, NO_SHARED);
    assert!(program.races(1, WRITE, 64));
}

#[test]
fn lanes_in_lockstep_need_no_barrier() {
    let mut races = Races::default();
    let launch = races.launches.lock().begin(1, Begun::now());
    races.begin_block((launch, 0), 64, 64, NO_SHARED);
    assert!(races.access(0, &access(1, WRITE, 64, 4)).is_empty());
    assert!(races.access(63, &access(1, READ, 64, 4)).is_empty());
    assert!(!races.access(64, &access(1, READ, 64, 4)).is_empty());
}

#[test]
fn a_conflict_names_the_other_access() {
    let mut program = Program::new();
    program.block(7);
    assert!(!program.races(3, WRITE, 64));
    program.block(8);
    let [found] = program.0.access(5, &access(9, READ, 66, 1)) else {
        panic!("one conflict");
    };
    assert_eq!((found.launch, found.block, found.thread), (0, 7, 3));
    assert!(found.write && found.site == 1 && found.present == 5);
}

#[test]
fn writes_of_the_same_value_do_not_race() {
    let mut program = Program::new();
    let known = WRITE.and(AccessKind::VALUE);
    assert!(!program.races(0, known, 64) && !program.races(1, known, 64));
    assert!(program.races(2, WRITE, 64));
    assert!(!program.races(0, known, 72) && program.races(1, READ, 72));
}

#[test]
fn a_task_is_ordered_with_who_waits_for_it_only() {
    let nothing = Announced {
        task: 0,
        number: 0,
        depends: &[],
    };
    let mut program = Program::new();
    let says = |program: &mut Program, event| program.0.order.task(0, event, &nothing);
    assert!(!program.races(0, WRITE, 64));
    says(&mut program, TaskEvent::Begins);
    assert!(!program.races(0, WRITE, 64) && !program.races(0, WRITE, 128));
    says(&mut program, TaskEvent::Ends);
    assert!(program.races(0, READ, 64));
    says(&mut program, TaskEvent::Begins);
    assert!(program.races(0, WRITE, 128));
    says(&mut program, TaskEvent::Ends);
    says(&mut program, TaskEvent::Waits);
    assert!(!program.races(0, WRITE, 64) && !program.races(0, WRITE, 128));
    assert!(program.races(1, READ, 64));
    says(&mut program, TaskEvent::Begins);
    assert!(!program.races(0, WRITE, 192));
    says(&mut program, TaskEvent::Ends);
    program.barrier(0b11, 4);
    assert!(!program.races(1, WRITE, 192) && program.races(2, WRITE, 192));
}
