//! Data sharing: references beyond the list, locals beyond the stack, nothing leaked.

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::{Kernel, parallel};
use crate::arch::soft::live_allocations;
use crate::fork_join::data_sharing::*;
use crate::fork_join::legacy_abi::*;
use crate::fork_join::parallel::__kmpc_parallel_51;

/// Tests here count heap allocations.
static HEAP: Mutex<()> = Mutex::new(());

static SUM: AtomicU64 = AtomicU64::new(0);

/// What clang's wrapper does, for any number of captured variables.
unsafe extern "C" fn sum_references(_level: u16, _thread: u32) {
    let mut list: *mut *mut c_void = null_mut();
    // SAFETY: called in a region with `*list[0]` references.
    unsafe {
        __kmpc_get_shared_variables(&mut list);
        let count = **list.cast::<*const u64>();
        let sum: u64 = (1..count as usize)
            .map(|i| **list.add(i).cast::<*const u64>())
            .sum();
        SUM.fetch_add(sum, SeqCst);
    }
}

#[test]
fn any_number_of_references_reaches_the_workers() {
    let _alone = HEAP.lock().unwrap();
    let before = live_allocations();
    for count in [1, 19, 20, 21, 64, 65, 80, 300] {
        SUM.store(0, SeqCst);
        Kernel::generic(40).run(|| {
            for _ in 0..2 {
                let mut values: Vec<u64> = (0..count).collect();
                values[0] = count;
                let mut arguments: Vec<*mut c_void> = values
                    .iter_mut()
                    .map(|value| (value as *mut u64).cast())
                    .collect();
                // SAFETY: in generic mode workers run the wrapper, with as many references as there are.
                unsafe {
                    __kmpc_parallel_51(
                        null(),
                        0,
                        1,
                        -1,
                        -1,
                        null(),
                        sum_references as *const c_void,
                        arguments.as_mut_ptr(),
                        count as usize,
                    );
                }
            }
        });
        assert_eq!(
            SUM.load(SeqCst),
            2 * 40 * (1..count).sum::<u64>(),
            "{count} references"
        );
    }
    assert_eq!(live_allocations(), before, "long lists are released");
}

/// Regions that run without a state machine get their variables as arguments.
#[test]
fn captured_variables_become_arguments() {
    unsafe extern "C" fn three(_: *mut i32, _: *mut i32, a: *mut u64, b: *mut u64, c: *mut u64) {
        // SAFETY: the test passes three numbers.
        SUM.fetch_add(unsafe { *a + 10 * *b + 100 * *c }, SeqCst);
    }
    let _alone = HEAP.lock().unwrap();
    SUM.store(0, SeqCst);
    Kernel::spmd(33).run(|| {
        let mut values = [1u64, 2, 3];
        let mut arguments = values
            .each_mut()
            .map(|value| (value as *mut u64).cast::<c_void>());
        // SAFETY: the region takes three arguments.
        unsafe {
            __kmpc_parallel_51(
                null(),
                0,
                1,
                -1,
                -1,
                three as *const c_void,
                null(),
                arguments.as_mut_ptr(),
                3,
            );
        }
    });
    assert_eq!(SUM.load(SeqCst), 33 * 321);
}

/// Fills and checks blocks so that overlapping ones are found.
fn use_stack(seed: u8, sizes: &[usize]) {
    let blocks: Vec<(*mut u8, usize, u8)> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| {
            let block = __kmpc_alloc_shared(size).cast::<u8>();
            assert!((block as usize).is_multiple_of(16));
            let fill = seed.wrapping_mul(31).wrapping_add(i as u8);
            // SAFETY: just allocated.
            unsafe { block.write_bytes(fill, size) };
            (block, size, fill)
        })
        .collect();
    for &(block, size, fill) in blocks.iter().rev() {
        // SAFETY: allocated above, with that size.
        unsafe {
            assert!(
                (0..size).all(|i| block.add(i).read() == fill),
                "blocks overlap"
            );
            __kmpc_free_shared(block.cast(), size);
        }
    }
}

#[test]
fn shared_locals_overflow_to_the_heap_and_come_back() {
    let _alone = HEAP.lock().unwrap();
    let before = live_allocations();
    for kernel in [
        Kernel::generic(64),
        Kernel::generic(33),
        Kernel::spmd(128),
        Kernel::spmd(500),
    ] {
        kernel.run(|| {
            use_stack(99, &[8, 16, 1000, 1, 3000, 40, 1000]);
            parallel(-1, || {
                let seed = crate::routines::query::omp_get_thread_num() as u8;
                for _ in 0..3 {
                    use_stack(seed, &[4, 16, 20, 500, 1]);
                }
                parallel(-1, || use_stack(seed, &[4, 4]));
            });
        });
    }
    assert_eq!(live_allocations(), before);
}

#[test]
fn the_stack_serves_again_after_frees_out_of_order() {
    let _alone = HEAP.lock().unwrap();
    let before = live_allocations();
    Kernel::generic(32).run(|| {
        for _ in 0..100 {
            let (a, b, c) = (
                __kmpc_alloc_shared(600),
                __kmpc_alloc_shared(600),
                __kmpc_alloc_shared(600),
            );
            assert_eq!(live_allocations(), before, "served from shared memory");
            // SAFETY: allocated above; the oldest first.
            unsafe {
                __kmpc_free_shared(a, 600);
                let d = __kmpc_alloc_shared(600);
                assert!(![b, c].contains(&d), "live blocks are not handed out");
                __kmpc_free_shared(b, 600);
                __kmpc_free_shared(d, 600);
                __kmpc_free_shared(c, 600);
            }
        }
    });
    assert_eq!(live_allocations(), before);
}

#[test]
fn sharing_lists_nest() {
    let _alone = HEAP.lock().unwrap();
    let before = live_allocations();
    Kernel::generic(8).run(|| {
        parallel(-1, || {
            let mut list = null_mut();
            // SAFETY: called as clang calls them.
            unsafe {
                __kmpc_begin_sharing_variables(&mut list, 30);
                *list.add(29) = 7 as *mut c_void;
                let mut seen = null_mut();
                __kmpc_get_shared_variables(&mut seen);
                assert_eq!((seen, *seen.add(29) as usize), (list, 7));
                __kmpc_end_sharing_variables();
            }
        });
    });
    assert_eq!(live_allocations(), before);
}

#[test]
fn all_threads_of_an_spmd_kernel_get_the_teams_one_variable() {
    let _alone = HEAP.lock().unwrap();
    let before = live_allocations();
    for threads in [1, 33, 64] {
        for size in [4, 1000, 5000] {
            let seen = Mutex::new(std::collections::BTreeSet::new());
            Kernel::spmd(threads).run(|| {
                let outer = __kmpc_alloc_shared(8);
                let variable = __kmpc_alloc_shared(size);
                seen.lock().unwrap().insert(variable as usize);
                parallel(-1, || use_stack(1, &[16]));
                // SAFETY: allocated above.
                unsafe {
                    __kmpc_free_shared(variable, size);
                    __kmpc_free_shared(outer, 8);
                }
            });
            assert_eq!(seen.into_inner().unwrap().len(), 1);
        }
    }
    assert_eq!(live_allocations(), before);
}
