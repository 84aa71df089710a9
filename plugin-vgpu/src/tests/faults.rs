//! Kernels that fault.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::*;
use crate::abi::*;
use crate::deadlock::ranges;
use crate::endless_wait::EndlessWait;
use crate::fault::{Cause, FaultLocation};

kernel!(trap, cx, who: u32, {
    vgpu_barrier(cx, 1, 0, 0);
    if tid(cx) == *who {
        vgpu_trap(cx, 42);
    }
    vgpu_barrier(cx, 2, 0, 0);
});

#[test]
fn traps_name_thread_and_site() {
    let raised = launch(trap, 1, 100, &77_u32).unwrap_err();
    assert_eq!(
        (raised.thread, raised.cause, raised.place),
        (77, Cause::Trap(String::new()), FaultLocation::Site(42))
    );
}

kernel!(assertion, cx, _data: u32, {
    vgpu_assert_fail(cx, 7, c"x > 0".as_ptr(), c"a.c".as_ptr(), 12, c"f".as_ptr());
});

#[test]
fn assertions_say_what_they_asserted() {
    let raised = launch(assertion, 1, 1, &0_u32).unwrap_err();
    assert_eq!(
        raised.cause,
        Cause::Assertion {
            condition: "x > 0".to_owned(),
            location: Box::new(plugin_api::SourceLocation {
                file: "a.c".to_owned(),
                line: 12,
                column: 0,
                function: "f".to_owned(),
            }),
        }
    );
}

kernel!(runtime_trap, cx, _data: u32, {
    let (reason, runtime) = (c"abort() was called", c"omptarget device runtime");
    vgpu_assert_fail(cx, 7, reason.as_ptr(), runtime.as_ptr(), 0, c"".as_ptr());
});

#[test]
fn traps_of_the_device_runtime_give_their_reason() {
    let raised = launch(runtime_trap, 1, 1, &0_u32).unwrap_err();
    assert_eq!(raised.cause, Cause::Trap("abort() was called".to_owned()));
}

kernel!(runtime_trap_with_number, cx, _data: u32, {
    let (reason, number) = (c"out of device heap", c"omptarget device runtime: bytes wanted");
    vgpu_assert_fail(cx, 7, reason.as_ptr(), number.as_ptr(), 48, c"".as_ptr());
});

#[test]
fn traps_of_the_device_runtime_name_their_number() {
    let raised = launch(runtime_trap_with_number, 1, 1, &0_u32).unwrap_err();
    let says = "out of device heap (bytes wanted: 48)";
    assert_eq!(raised.cause, Cause::Trap(says.to_owned()));
}

kernel!(checked_access, cx, _data: u32, {
    vgpu_wild_access(cx, 3, 0x1234, 1);
});

kernel!(unmapped_access, cx, address: u64, {
    if tid(cx) == 3 {
        (*address as *mut u32).write_volatile(1);
    }
});

#[test]
fn wild_accesses_name_the_address() {
    let raised = launch(checked_access, 1, 1, &0_u32).unwrap_err();
    assert_eq!(
        raised.cause,
        Cause::WildAccess {
            address: 0x1234,
            write: true
        }
    );
    let inside_the_window = 0x3000_0000_1000_u64;
    let raised = launch(unmapped_access, 1, 32, &inside_the_window).unwrap_err();
    assert_eq!(
        raised.cause,
        Cause::WildAccess {
            address: inside_the_window,
            write: true
        }
    );
    assert_eq!(raised.thread, 3);
}

kernel!(before_shared_memory, cx, writes: bool, {
    let word = ((*cx).shared_base as *mut u32).sub(1);
    assert_eq!(word.read_volatile(), 0);
    if *writes {
        word.write_volatile(1);
    }
});

#[test]
fn the_page_before_shared_memory_can_only_be_read() {
    launch(before_shared_memory, 1, 1, &false).unwrap();
    let raised = launch(before_shared_memory, 1, 1, &true).unwrap_err();
    assert!(matches!(
        raised.cause,
        Cause::WildAccess { write: true, .. }
    ));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_cpu_does_not_name_an_address_that_is_not_canonical() {
    let raised = launch(unmapped_access, 1, 32, &0x8000_0000_0000_0000_u64).unwrap_err();
    assert!(matches!(raised.cause, Cause::Other(what) if what.contains("non-canonical")));
}

kernel!(divide, _cx, divisor: u32, {
    instructions::divide(*divisor);
});

#[test]
fn division_by_zero() {
    let raised = launch(divide, 1, 1, &0_u32).unwrap_err();
    assert_eq!(raised.cause, Cause::Arithmetic);
    launch(divide, 1, 1, &1_u32).unwrap();
}

#[expect(unconditional_recursion, reason = "the test overflows the stack")]
#[inline(never)]
fn recurse(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 16]);
    recurse(depth + 1) + frame[3]
}

kernel!(overflow, cx, _data: u32, {
    if tid(cx) == 5 {
        std::hint::black_box(recurse(0));
    }
});

#[test]
fn stack_overflow_is_told_from_other_accesses() {
    let raised = launch(overflow, 1, 32, &0_u32).unwrap_err();
    assert_eq!((raised.thread, raised.cause), (5, Cause::StackOverflow));
}

kernel!(illegal, _cx, _data: u32, {
    instructions::illegal();
});

#[test]
fn illegal_instructions() {
    let raised = launch(illegal, 1, 1, &0_u32).unwrap_err();
    assert_eq!(raised.cause, Cause::Other("illegal instruction".to_owned()));
}

kernel!(stuck, cx, _data: u32, {
    let t = tid(cx);
    match t {
        0..32 => vgpu_barrier(cx, 11, 1, 64),
        32..40 => vgpu_syncwarp(cx, 12, 0x0001_ffff),
        40..48 => return,
        _ => vgpu_barrier(cx, 13, 2, 0),
    }
});

#[test]
fn deadlocks_say_who_waits_where() {
    let raised = launch(stuck, 1, 96, &0_u32).unwrap_err();
    assert_eq!(
        (raised.thread, &raised.cause, raised.place),
        (0, &Cause::Deadlock, FaultLocation::Site(11))
    );
    let groups: Vec<_> = raised
        .waiting
        .iter()
        .map(|group| (group.at.as_str(), group.site, ranges(&group.threads)))
        .collect();
    assert_eq!(
        groups,
        [
            ("barrier 1 (32 of 64 arrived)", 11, "0-31".to_owned()),
            ("bar.warp.sync mask 0x0001ffff", 12, "32-39".to_owned()),
            ("barrier 2 (56 of 96 arrived)", 13, "48-95".to_owned()),
        ]
    );
}

kernel!(stuck_warp, cx, _data: u32, {
    let t = tid(cx);
    if t.is_multiple_of(2) {
        vgpu_syncwarp(cx, 1, u32::MAX.into());
    } else {
        vgpu_vote(cx, 2, u32::MAX.into(), 1, 0);
    }
});

#[test]
fn warps_can_deadlock() {
    let raised = launch(stuck_warp, 1, 8, &0_u32).unwrap_err();
    let groups: Vec<_> = raised
        .waiting
        .iter()
        .map(|group| (group.at.as_str(), ranges(&group.threads)))
        .collect();
    assert_eq!(
        groups,
        [
            ("bar.warp.sync mask 0xffffffff", "0, 2, 4, 6".to_owned()),
            ("vote.sync mask 0xffffffff", "1, 3, 5, 7".to_owned()),
        ]
    );
}

kernel!(spin_for_ever, cx, _data: u32, {
    loop {
        vgpu_spin(cx, 9);
    }
});

#[test]
fn blocks_without_progress_end_when_a_timeout_is_set() {
    let data = 0_u32;
    let args = [&raw const data];
    let mut run = grid_run(spin_for_ever, 1, 4, &args);
    run.timeout = Some(Duration::from_millis(20));
    // SAFETY: as in `launch`.
    let fault = unsafe { Grid::launch(&machine(1), run) }.unwrap().unwrap();
    assert_eq!(
        fault.raised.cause,
        Cause::NoProgress(Duration::from_millis(20))
    );
    assert_eq!(fault.raised.waiting[0].threads, [0, 1, 2, 3]);
}

kernel!(wait_for_flag, cx, flag: Arc<AtomicU32>, {
    while flag.load(Ordering::Relaxed) == 0 {
        vgpu_spin(cx, 9);
    }
});

/// The hint comes once, says who waits where, and does not end the block.
#[test]
fn blocks_without_progress_give_a_hint() {
    let flag = Arc::new(AtomicU32::new(0));
    let (hints, heard) = std::sync::mpsc::channel();
    let told = flag.clone();
    let hint = EndlessWait::new(Duration::from_millis(1), move |block, _, raised| {
        let threads = raised.waiting[0].threads.clone();
        hints.send((block, threads)).unwrap();
        told.store(1, Ordering::Relaxed);
    });
    let args = [&raw const flag];
    let mut run = grid_run(wait_for_flag, 1, 3, &args);
    run.timeout = None;
    run.endless_wait = Some(Arc::new(hint));
    // SAFETY: as in `launch`.
    assert!(unsafe { Grid::launch(&machine(1), run) }.unwrap().is_none());
    let all: Vec<_> = heard.try_iter().collect();
    assert_eq!(all, [([0; 3], vec![0, 1, 2])]);
}

struct Blocks {
    ran: AtomicU32,
    flag: AtomicU32,
}

kernel!(one_block_faults, cx, data: Blocks, {
    data.ran.fetch_add(1, Ordering::Relaxed);
    if (*cx).ctaid[0] == 3 {
        vgpu_trap(cx, 1);
    }
    // The others wait for something that never happens.
    while data.flag.load(Ordering::Relaxed) == 0 {
        vgpu_spin(cx, 2);
        if (*cx).ctaid[0] < 3 {
            break;
        }
    }
});

#[test]
fn a_fault_ends_the_launch_for_all_blocks() {
    let machine = machine(2);
    for _ in 0..20 {
        let data = Blocks {
            ran: AtomicU32::new(0),
            flag: AtomicU32::new(0),
        };
        let args = [&raw const data];
        // SAFETY: as in `launch`.
        let fault = unsafe { Grid::launch(&machine, grid_run(one_block_faults, 1000, 1, &args)) }
            .unwrap()
            .unwrap();
        assert_eq!(
            (fault.block, fault.raised.place),
            ([3, 0, 0], FaultLocation::Site(1))
        );
        assert!(data.ran.into_inner() < 10);
    }
}

#[test]
fn the_device_works_after_faults() {
    let machine = machine(1);
    for _ in 0..50 {
        launch_on(&machine, trap, 1, 64, &40_u32).unwrap_err();
        launch_on(&machine, stuck, 1, 96, &0_u32).unwrap_err();
        launch_on(&machine, overflow, 1, 32, &0_u32).unwrap_err();
        launch_on(&machine, unmapped_access, 1, 32, &8_u64).unwrap_err();
        launch_on(&machine, trap, 2, 64, &64_u32).unwrap();
    }
}

kernel!(ends_deep_inside, cx, data: Blocks, {
    data.ran.fetch_add(1, Ordering::Relaxed);
    if tid(cx).is_multiple_of(2) {
        vgpu_exit(cx);
    }
    vgpu_barrier(cx, 1, 0, 0);
    data.flag.fetch_add(1, Ordering::Relaxed);
});

#[test]
fn threads_may_end_inside_functions() {
    let data = Blocks {
        ran: AtomicU32::new(0),
        flag: AtomicU32::new(0),
    };
    launch(ends_deep_inside, 10, 100, &data).unwrap();
    assert_eq!((data.ran.into_inner(), data.flag.into_inner()), (1000, 500));
}
