//! The fault of a kernel that left a record.

use plugin_api::{FaultKind, KernelFault, ThreadId};

use crate::in_flight::LaunchInFlight;
use crate::trap_record::Trap;

/// The fault that follows from a trap and the launches that may have left its record.
pub fn fault_of_trap(trap: Trap, launches: &[LaunchInFlight]) -> KernelFault {
    // A launch of another shape cannot have left the record.
    let fits = |launch: &&LaunchInFlight| {
        contains(launch.grid, trap.block) && contains(launch.block, trap.thread)
    };
    let candidates: Vec<&LaunchInFlight> = launches.iter().filter(fits).collect();
    let shape = candidates.first().map(|first| (first.grid, first.block));
    let shape = shape.filter(|shape| {
        candidates
            .iter()
            .all(|other| (other.grid, other.block) == *shape)
    });
    KernelFault {
        kernel: kernel_names(candidates.iter().copied()),
        thread: shape.map(|(grid, block_size)| ThreadId {
            block: trap.block,
            grid,
            thread: trap.thread,
            last: trap.thread,
            block_size,
        }),
        kind: FaultKind::Trap {
            message: trap.message,
        },
        location: trap.location,
        waiting: Vec::new(),
    }
}

fn contains(size: [u32; 3], index: [u32; 3]) -> bool {
    size.iter().zip(index).all(|(size, index)| index < *size)
}

/// The names of the launches' kernels, without repetition: `a`, `a or b`.
pub fn kernel_names<'a>(launches: impl Iterator<Item = &'a LaunchInFlight>) -> String {
    let mut names: Vec<&str> = launches.map(|launch| &*launch.kernel).collect();
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => "unknown".into(),
        false => names.join(" or "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &str, teams: u32) -> LaunchInFlight {
        LaunchInFlight {
            kernel: kernel.into(),
            grid: [teams, 1, 1],
            block: [128, 1, 1],
        }
    }

    fn trap(block: u32) -> Trap {
        Trap {
            message: "assertion `ok` failed".into(),
            location: None,
            block: [block, 0, 0],
            thread: [5, 0, 0],
        }
    }

    #[test]
    fn the_record_says_which_kernel_it_was() {
        let launches = [launch("small", 2), launch("large", 64)];
        let fault = fault_of_trap(trap(17), &launches);
        assert_eq!(fault.kernel, "large");
        let text = fault.to_string();
        assert!(
            text.contains("trap: assertion `ok` failed")
                && text.contains("team 17, thread 5 of its block"),
            "{text}"
        );
        let either = fault_of_trap(trap(1), &launches);
        assert_eq!(
            (either.kernel.as_str(), either.thread),
            ("large or small", None)
        );
        assert_eq!(kernel_names([].iter()), "unknown");
    }
}
