//! Kernel launches, and functions of the host as commands.

use std::ffi::c_void;

use plugin_api::Launch;

use crate::codes::{Code, Result};
use crate::device::MAX_ITEMS;
use crate::entry::prepared::{Prepared, Repeatable};
use crate::entry::{answer, same_context, submit};
use crate::handle::{Raw, Ref, get, get_all};
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::queue::Queue;

/// `CL_COMMAND_NDRANGE_KERNEL`.
pub const KERNEL: u32 = 0x11f0;
/// `CL_COMMAND_TASK`.
const TASK: u32 = 0x11f1;
/// `CL_COMMAND_NATIVE_KERNEL`.
const NATIVE: u32 = 0x11f2;

/// The size of work-groups that is aimed at if the program leaves it open: the larger the fewer are begun.
const USUAL_GROUP: usize = 1024;
/// The same for index spaces with fewer than `MANY` such groups, so that there are some for every multiprocessor.
const SMALL_GROUP: usize = 256;
/// See `SMALL_GROUP`.
const MANY: usize = 64;

/// Up to three numbers; `otherwise` for those that are not given.
///
/// # Safety
/// `numbers` has `count` numbers or is null.
unsafe fn three(numbers: *const usize, count: u32, otherwise: usize) -> [usize; 3] {
    let mut all = [otherwise; 3];
    if !numbers.is_null() {
        for (index, number) in all.iter_mut().take(count as usize).enumerate() {
            // SAFETY: caller.
            *number = unsafe { *numbers.add(index) };
        }
    }
    all
}

/// A work-group's size for an index space, if the program leaves it open: a divisor of the space's in each dimension.
/// Whole warps are fast, so the first dimension gets what it can of the usual size.
fn usual_group(global: [usize; 3], most: usize) -> [usize; 3] {
    let items = global
        .iter()
        .fold(1usize, |all, size| all.saturating_mul(*size));
    let usual = match items / USUAL_GROUP {
        MANY.. => USUAL_GROUP,
        _ => SMALL_GROUP,
    };
    let mut left = most.min(usual);
    let mut group = [1; 3];
    for (dimension, size) in global.into_iter().enumerate() {
        let limit = left.min(MAX_ITEMS[dimension]);
        let divides = |candidate: &usize| size.is_multiple_of(*candidate);
        group[dimension] = (1..=limit).rev().find(divides).unwrap_or(1);
        left /= group[dimension];
    }
    group
}

/// An index space, checked.
struct Space {
    offset: [usize; 3],
    grid: [u32; 3],
    group: [u32; 3],
}

fn space(
    queue: &Ref<Queue>,
    kernel: &Ref<Kernel>,
    offset: [usize; 3],
    global: [usize; 3],
    local: Option<[usize; 3]>,
) -> Result<Space> {
    let device = &queue.device;
    let info = kernel.on(device)?.info();
    let most = device.max_group().min(info.max_threads as usize);
    let required = kernel.manifest.required_size;
    let required = required.map(|size| size.map(|size| size as usize));
    if required.is_some() && local.is_some() && local != required {
        return Err(Code::INVALID_WORK_GROUP_SIZE);
    }
    let group = match local.or(required) {
        Some(group) => group,
        None => usual_group(global, most),
    };
    if group.contains(&0) {
        return Err(Code::INVALID_WORK_GROUP_SIZE);
    }
    if group
        .iter()
        .zip(MAX_ITEMS)
        .any(|(size, limit)| *size > limit)
    {
        return Err(Code::INVALID_WORK_ITEM_SIZE);
    }
    if group.iter().product::<usize>() > most {
        return Err(Code::INVALID_WORK_GROUP_SIZE);
    }
    let mut grid = [0; 3];
    for dimension in 0..3 {
        if !global[dimension].is_multiple_of(group[dimension]) {
            return Err(Code::INVALID_WORK_GROUP_SIZE);
        }
        if offset[dimension].checked_add(global[dimension]).is_none() {
            return Err(Code::INVALID_GLOBAL_OFFSET);
        }
        let count = u32::try_from(global[dimension] / group[dimension]);
        let limit = device.info().max_blocks[dimension];
        grid[dimension] = count
            .ok()
            .filter(|count| *count <= limit)
            .ok_or(Code::OUT_OF_RESOURCES)?;
    }
    Ok(Space {
        offset,
        grid,
        group: group.map(|size| size as u32),
    })
}

/// The launch of a kernel, with the arguments that it has now. An index space is an offset, a global and a local size.
///
/// # Safety
/// The sizes have as many numbers as there are dimensions or are null.
pub unsafe fn launch(
    queue: Raw,
    kernel: Raw,
    number: u32,
    dimensions: u32,
    (offset, global, local): (*const usize, *const usize, *const usize),
) -> Result<Prepared<impl Repeatable>> {
    let queue = get::<Queue>(queue)?;
    let kernel = get::<Kernel>(kernel)?;
    same_context(&queue, &kernel.program.context)?;
    let loaded = kernel.on(&queue.device)?.clone();
    if !(1..=3).contains(&dimensions) {
        return Err(Code::INVALID_WORK_DIMENSION);
    }
    // SAFETY: caller.
    let offset = unsafe { three(offset, dimensions, 0) };
    // No sizes are those of an empty index space (OpenCL 2.1).
    let global = match global.is_null() {
        true => [0; 3],
        // SAFETY: caller.
        false => unsafe { three(global, dimensions, 1) },
    };
    // SAFETY: caller.
    let local = (!local.is_null()).then(|| unsafe { three(local, dimensions, 1) });
    let info = loaded.info();
    let words = kernel.words(&info.parameters, offset, dimensions)?;
    let context = queue.context.clone();
    if let Some(why) = loaded.refusal() {
        context.tell(&format!("kernel {} cannot run", info.name), why);
        return Err(Code::INVALID_KERNEL);
    }
    let is_empty = global.contains(&0);
    let space = match is_empty {
        false => space(&queue, &kernel, offset, global, local)?,
        true => Space {
            offset,
            grid: [0; 3],
            group: [0; 3],
        },
    };
    let local_memory = u64::from(info.static_shared) + u64::from(words.local);
    if local_memory > queue.device.local_memory() {
        return Err(Code::OUT_OF_RESOURCES);
    }
    debug_assert_eq!(space.offset, offset);
    let work = move || {
        // Arguments live as long as the command may run.
        let _kept = (&words.kept, &kernel);
        if is_empty {
            return Ok(());
        }
        let launch = Launch {
            grid: space.grid,
            block: space.group,
            dynamic_shared: words.local,
            cooperative: false,
            args: &words.words,
        };
        let ended = loaded.launch(&launch);
        ended.map_err(|error| context.failed("a kernel failed", &error))
    };
    Ok(Prepared {
        queue,
        number,
        work,
    })
}

/// Runs a kernel over an index space.
///
/// # Safety
/// The sizes have as many numbers as there are dimensions or are null; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueNDRangeKernel(
    queue: Raw,
    kernel: Raw,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    let launch = unsafe { launch(queue, kernel, KERNEL, dimensions, (offset, global, local)) };
    // SAFETY: caller.
    answer(launch.and_then(|launch| unsafe { launch.enqueue((count, list), event) }))
}

/// Runs a kernel with one work-item.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
pub unsafe extern "C" fn clEnqueueTask(
    queue: Raw,
    kernel: Raw,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let one = 1usize;
    // SAFETY: one dimension has one number.
    let launch = unsafe { launch(queue, kernel, TASK, 1, (std::ptr::null(), &one, &one)) };
    // SAFETY: caller.
    answer(launch.and_then(|launch| unsafe { launch.enqueue((count, list), event) }))
}

/// Calls a function of the host's as a command.
///
/// # Safety
/// `arguments` is readable for `size` bytes or null. The places of memory objects lie in it. The function may be called
/// with a copy.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueNativeKernel(
    queue: Raw,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    arguments: *mut c_void,
    size: usize,
    object_count: u32,
    objects: *const Raw,
    places: *const *const c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let run = || {
        let queue = get::<Queue>(queue)?;
        let function = function.ok_or(Code::INVALID_VALUE)?;
        if arguments.is_null() != (size == 0)
            || (arguments.is_null() && object_count > 0)
            || (object_count == 0) != objects.is_null()
            || (object_count == 0) != places.is_null()
        {
            return Err(Code::INVALID_VALUE);
        }
        let mut copy = vec![0u64; size.div_ceil(8)];
        // SAFETY: caller; the copy is at least as large.
        unsafe {
            std::ptr::copy_nonoverlapping(arguments.cast::<u8>(), copy.as_mut_ptr().cast(), size);
        }
        // SAFETY: caller.
        let memories = unsafe { get_all::<Memory>(object_count, objects) }?;
        for (index, memory) in memories.iter().enumerate() {
            // SAFETY: caller.
            let place = unsafe { *places.add(index) } as usize;
            let at = place.wrapping_sub(arguments as usize);
            if at.checked_add(8).is_none_or(|end| end > size) {
                return Err(Code::INVALID_VALUE);
            }
            let start = copy.as_mut_ptr().cast::<u8>();
            // SAFETY: the place and eight bytes more are within the copy.
            unsafe {
                start
                    .add(at)
                    .cast::<u64>()
                    .write_unaligned(memory.address.0)
            };
        }
        let work = Box::new(move || {
            let arguments = match size {
                0 => std::ptr::null_mut(),
                _ => copy.as_mut_ptr().cast(),
            };
            // SAFETY: caller.
            unsafe { function(arguments) };
            drop(memories);
            Ok(())
        });
        // SAFETY: caller.
        unsafe { submit(&queue, NATIVE, false, (count, list), event, work) }
    };
    answer(run())
}

#[cfg(test)]
mod tests {
    use super::usual_group;

    #[test]
    fn usual_groups_divide_the_index_space() {
        assert_eq!(usual_group([1 << 20, 1, 1], 1024), [1024, 1, 1]);
        assert_eq!(usual_group([1 << 14, 1, 1], 1024), [256, 1, 1]);
        assert_eq!(usual_group([100, 6, 1], 1024), [100, 2, 1]);
        assert_eq!(usual_group([7919, 7919, 1], 1024), [1, 1, 1]);
        assert_eq!(usual_group([8, 8, 8], 64), [8, 8, 1]);
    }
}
