//! The queue of state buffers under many threads.

use core::ffi::c_void;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

use crate::memory::state_queue::{PLACES, Queue, Taken};

fn make() -> *mut c_void {
    Box::into_raw(Box::new(AtomicU32::new(0))).cast()
}

fn release(buffer: *mut c_void) {
    // SAFETY: `make` made it.
    drop(unsafe { Box::from_raw(buffer.cast::<AtomicU32>()) });
}

/// Takes all buffers out and frees them.
fn empty(queue: &Queue) -> usize {
    let mut buffers = Vec::new();
    while let Some(taken) = queue.take(core::ptr::null_mut) {
        buffers.push(taken);
    }
    for taken in &buffers {
        release(taken.buffer);
    }
    buffers.len()
}

#[test]
fn a_drained_queue_gives_what_the_heap_gives() {
    let queue = Queue::EMPTY;
    let taken: Vec<Taken> = (0..PLACES + 8)
        .map(|_| queue.take(make).expect("memory"))
        .collect();
    let places: BTreeSet<u32> = taken.iter().filter_map(|taken| taken.place).collect();
    assert_eq!(places.len(), PLACES);
    assert!(taken[PLACES..].iter().all(|taken| taken.place.is_none()));
    assert!(queue.take(core::ptr::null_mut).is_none(), "out of memory");
    let released = AtomicUsize::new(0);
    for taken in taken {
        queue.put_back(taken, |buffer| {
            released.fetch_add(1, SeqCst);
            release(buffer);
        });
    }
    assert_eq!(released.into_inner(), 8);
    assert_eq!(empty(&queue), PLACES);
}

#[test]
fn a_place_whose_buffer_could_not_be_made_is_free_again() {
    let queue = Queue::EMPTY;
    assert!(queue.take(core::ptr::null_mut).is_none());
    let taken = queue.take(make).expect("memory");
    assert_eq!(taken.place, Some(0));
    queue.put_back(taken, release);
    assert_eq!(empty(&queue), 1);
}

/// More threads than places: no buffer is ever in two hands, and what one user wrote the next one sees.
#[test]
fn buffers_have_one_user_at_a_time() {
    const THREADS: u32 = 48;
    const ROUNDS: u32 = 2000;
    let queue = Queue::EMPTY;
    let fresh = AtomicU32::new(0);
    let gone = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for round in 0..ROUNDS {
                    let taken = queue
                        .take(|| {
                            fresh.fetch_add(1, SeqCst);
                            make()
                        })
                        .expect("memory");
                    // SAFETY: the buffer is this thread's until it is put back: plain accesses.
                    let uses = unsafe { &mut *taken.buffer.cast::<u32>() };
                    *uses += 1;
                    if round % 16 == 0 {
                        std::thread::yield_now();
                    }
                    let uses = *uses;
                    queue.put_back(taken, |buffer| {
                        *gone.lock().unwrap() += uses;
                        release(buffer);
                    });
                }
            });
        }
    });
    let mut uses = *gone.lock().unwrap();
    while let Some(taken) = queue.take(core::ptr::null_mut) {
        // SAFETY: as above.
        uses += unsafe { *taken.buffer.cast::<u32>() };
        release(taken.buffer);
    }
    assert_eq!(uses, THREADS * ROUNDS);
}
