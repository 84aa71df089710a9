//! The entry points of LLVM's tool for recorded kernels, llvm-omp-kernel-replay (docs/abi.md, section 13). They reserve
//! memory on a device, fill it with the recorded content and launch a kernel on it.

use std::ffi::c_void;
use std::path::Path;

use crate::abi::Ident;
use crate::construct::context::Construct;
use crate::device::omp_device::{OmpDevice, Target};
use crate::device::program;
use crate::entry::ident;
use crate::launch::kernel_launch::{self, LaunchRequest};
use crate::ompt;
use crate::report::error::{Error, Result};
use crate::report::source_location::SourceIdent;
use crate::runtime::{Runtime, runtime};

const SUCCESS: i32 = 0;
const FAIL: i32 = -1;

/// More arguments than any kernel has: parameters take at most 32764 bytes (PTX ISA, "Kernel Function Parameters").
const MOST_ARGUMENTS: i32 = 4096;

/// Makes a device record, or reserves `memory` bytes of it for replays, if possible at `address`. Writes to `offset`
/// how far pointers into that memory must be lowered, because the memory lies elsewhere. Reports errors and then
/// returns -1.
///
/// # Safety
/// `offset` is null or writable.
pub unsafe extern "C" fn __tgt_activate_record_replay(
    number: i64,
    memory: u64,
    address: *mut c_void,
    record: bool,
    save_output: bool,
    offset: *mut u64,
) -> i32 {
    let construct = Construct::new("activation of record and replay", SourceIdent::default());
    let runtime = runtime();
    let outcome = match record {
        // A recording always has the memory before and after, so `save_output` has no effect. There are no pointers to
        // move yet.
        true => runtime.begin_recording(number, memory).map(|()| 0),
        false => device(runtime, number).and_then(|device| {
            let (wanted, plugin) = (address as u64, &*device.device);
            device
                .replay_memory
                .reserve(plugin, memory, wanted, save_output)
        }),
    };
    answer(
        &construct,
        number,
        outcome.map(|moved| {
            if !offset.is_null() {
                // SAFETY: caller.
                unsafe { offset.write(moved) };
            }
        }),
    )
}

/// Replays a kernel: fills the reserved memory of the device with `memory`, launches the region with these arguments
/// and this shape, and waits. Reports errors and then returns -1.
///
/// # Safety
/// `memory` is null or readable for `memory_size` bytes. `arguments` and `offsets` are null or readable for `count`
/// words. `location` is null or an `ident_t`.
pub unsafe extern "C" fn __tgt_target_kernel_replay(
    location: *const Ident,
    number: i64,
    region: *const c_void,
    memory: *const c_void,
    memory_size: i64,
    arguments: *const u64,
    offsets: *const i64,
    count: i32,
    teams: i32,
    thread_limit: i32,
    trip_count: u64,
) -> i32 {
    // SAFETY: caller.
    let construct =
        Construct::new("kernel replay", unsafe { ident::read(location) }).of_region(region as u64);
    // SAFETY: caller.
    let given = unsafe {
        content(memory.cast(), memory_size).and_then(|content| {
            let words = words(arguments, offsets, count)?;
            let request = request(teams, thread_limit, trip_count)?;
            Ok((content, words, request))
        })
    };
    let outcome = given.and_then(|(content, words, request)| {
        let device = device(runtime(), number)?;
        replay(&construct, device, region as u64, content, &words, &request)
    });
    answer(&construct, number, outcome)
}

fn replay(
    construct: &Construct,
    device: &'static OmpDevice,
    region: u64,
    content: &[u8],
    words: &[u64],
    request: &LaunchRequest,
) -> Result<()> {
    let runtime = runtime();
    let region = device
        .program
        .region(region)
        .ok_or_else(|| program::missing_region(&*device.device, &runtime.registry, region))?;
    let reserved = device.replay_memory.in_use();
    let Some(memory) = reserved.as_ref() else {
        return Err(Error::Routine(
            "a kernel is replayed only after __tgt_activate_record_replay has reserved memory for it \
             on the device"
                .into(),
        ));
    };
    let _span = construct.span(runtime, device.number);
    let _event = ompt::region(ompt::Construct::Target, false, device.number);
    memory.fill(&*device.device, content)?;
    construct.execute(device, false, |work| {
        let environment = &runtime.environment;
        kernel_launch::enqueue_kernel(device, work.stream(), environment, &region, request, words)
    })?;
    if !memory.save_output {
        return Ok(());
    }
    let after = memory.content(&*device.device, content.len())?;
    save(&region.name, &after)
}

/// Writes the file that the tool compares with the recorded memory.
fn save(kernel: &str, content: &[u8]) -> Result<()> {
    let name = format!("{kernel}.replay.output");
    std::fs::write(Path::new(&name), content).map_err(|error| {
        Error::Routine(format!("the replayed memory is not saved: {name}: {error}"))
    })
}

/// The device with this number, with everything registered loaded. The host is an error.
fn device(runtime: &'static Runtime, number: i64) -> Result<&'static OmpDevice> {
    match runtime.target(number)? {
        Target::Device(device) => Ok(device),
        Target::Host if runtime.devices().is_empty() => Err(Error::Routine(format!(
            "kernels are replayed on devices only, but {}",
            runtime.why_no_device()
        ))),
        Target::Host => Err(Error::Routine(
            "kernels are replayed on devices only, not on the host".into(),
        )),
    }
}

/// # Safety
/// `memory` is null or readable for `size` bytes.
unsafe fn content<'a>(memory: *const u8, size: i64) -> Result<&'a [u8]> {
    match usize::try_from(size) {
        Ok(0) => Ok(&[]),
        // SAFETY: caller.
        Ok(size) if !memory.is_null() => Ok(unsafe { std::slice::from_raw_parts(memory, size) }),
        _ => Err(Error::Routine(format!(
            "{size} bytes of recorded memory at {memory:?} are not a valid range"
        ))),
    }
}

/// The words of the launch: each argument plus its offset.
///
/// # Safety
/// Both are null or readable for `count` words.
unsafe fn words(arguments: *const u64, offsets: *const i64, count: i32) -> Result<Vec<u64>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if !(0..=MOST_ARGUMENTS).contains(&count) || arguments.is_null() || offsets.is_null() {
        return Err(Error::Routine(format!(
            "{count} arguments at {arguments:?} with offsets at {offsets:?} are not valid"
        )));
    }
    let word = |index| {
        // SAFETY: caller; the index is below the count.
        let (argument, offset) = unsafe { (*arguments.add(index), *offsets.add(index)) };
        argument.wrapping_add_signed(offset)
    };
    Ok((0..count as usize).map(word).collect())
}

/// The shape asked for.
fn request(teams: i32, threads: i32, trip_count: u64) -> Result<LaunchRequest> {
    match (u32::try_from(teams), u32::try_from(threads)) {
        (Ok(teams), Ok(threads)) => Ok(LaunchRequest {
            teams: [teams, 0, 0],
            threads: [threads, 0, 0],
            trip_count,
            ..LaunchRequest::default()
        }),
        _ => Err(Error::Routine(format!(
            "{teams} teams of {threads} threads are not a valid launch"
        ))),
    }
}

fn answer(construct: &Construct, number: i64, outcome: Result<()>) -> i32 {
    match outcome {
        Ok(()) => SUCCESS,
        Err(error) => {
            eprintln!("{}", construct.report(&error, runtime(), number));
            FAIL
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    #[test]
    fn arguments_are_moved_by_their_offsets() {
        let (arguments, offsets) = ([100, 7, u64::MAX], [-4, 0, 1]);
        // SAFETY: three words each.
        let moved = unsafe { words(arguments.as_ptr(), offsets.as_ptr(), 3) };
        assert_eq!(moved.unwrap(), [96, 7, 0]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let (word, offset) = (1, 0);
        // SAFETY: the calls read only memory that is there.
        unsafe {
            assert!(words(null(), null(), 0).unwrap().is_empty());
            assert!(words(null(), &offset, 1).is_err());
            assert!(words(&word, null(), 1).is_err());
            assert!(words(&word, &offset, -1).is_err());
            assert!(words(&word, &offset, i32::MAX).is_err());
            assert!(content(null(), 0).unwrap().is_empty());
            assert!(content(null(), 1).is_err());
            assert!(content(&0, -1).is_err());
        }
        assert!(request(-1, 1, 0).is_err());
        assert!(request(1, -1, 0).is_err());
        assert_eq!(request(0, 0, 9).unwrap().trip_count, 9);
    }
}
