//! Resources of devices, and contexts that have a part of them: *green contexts*. The resource of a virtual GPU is its
//! multiprocessors. They are counted, split and given out as on a GPU; which of them run a block is not bound to it, so
//! a part does not keep others from what it does not use (docs/decisions/0111-parts-of-a-device.md).

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::LazyLock;

use cudart::cuda_device::CudaDevice;
use cudart::entry::streams::cudaStreamCreateWithPriority;
use cudart::error::{Code, Result, without_trace};
use cudart::handles::Handles;
use cudart::runtime::runtime;
use parking_lot::Mutex;

use crate::contexts;
use crate::entry::contexts::{record_all, wait_all};
use crate::entry::{outcome, place};
use crate::status::answer;

/// `CUdevResource`. What it is of is kept in the bytes that are the driver's own.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    kind: c_int,
    /// The device's number and 1: 0 is no resource of ours.
    device: u32,
    /// The first multiprocessor.
    first: u32,
    own: [u32; 21],
    /// Multiprocessors.
    count: u32,
    rest: [u32; 11],
}

const _: () = assert!(size_of::<Resource>() == 144);

/// `CU_DEV_RESOURCE_TYPE_SM`.
const MULTIPROCESSORS: c_int = 1;

impl Resource {
    fn of(device: usize, first: u32, count: u32) -> Resource {
        Resource {
            kind: MULTIPROCESSORS,
            device: device as u32 + 1,
            first,
            own: [0; 21],
            count,
            rest: [0; 11],
        }
    }

    /// All multiprocessors of a device.
    fn whole(device: &CudaDevice) -> Resource {
        Resource::of(device.number, 0, device.raw.info().multiprocessors)
    }

    fn check(&self) -> Result<()> {
        let ours = self.device != 0 && self.count != 0;
        match (self.kind, ours) {
            (MULTIPROCESSORS, true) => Ok(()),
            (MULTIPROCESSORS, false) => Err(Code::INVALID_RESOURCE_CONFIGURATION),
            _ => Err(Code::INVALID_RESOURCE_TYPE),
        }
    }

    fn meets(&self, other: &Resource) -> bool {
        self.device == other.device
            && self.first < other.first + other.count
            && other.first < self.first + self.count
    }
}

/// A context with a part of a device.
#[derive(Clone)]
struct Part {
    /// Its context.
    context: usize,
    has: Vec<Resource>,
}

static DESCRIBED: LazyLock<Handles<Vec<Resource>>> = LazyLock::new(Handles::default);
static PARTS: LazyLock<Handles<Part>> = LazyLock::new(Handles::default);
/// The part of a context that has one.
static OF_CONTEXTS: LazyLock<Mutex<HashMap<usize, usize>>> = LazyLock::new(Mutex::default);

fn part(handle: *mut c_void) -> Result<Part> {
    contexts::started()?;
    PARTS.get(handle as usize).ok_or(Code::INVALID_HANDLE)
}

/// The part of a device that a context has, if it is not the whole.
pub fn of_context(context: usize) -> Option<usize> {
    OF_CONTEXTS.lock().get(&context).copied()
}

/// # Safety
/// The address is null or valid.
unsafe fn give(resource: *mut Resource, kind: c_int, found: Result<Resource>) -> i32 {
    let give = || {
        contexts::started()?;
        if kind != MULTIPROCESSORS {
            return Err(Code::INVALID_RESOURCE_TYPE);
        }
        // SAFETY: caller.
        *unsafe { place(resource)? } = found?;
        Ok(())
    };
    answer(give())
}

/// The multiprocessors of a device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetDevResource(
    number: c_int,
    resource: *mut Resource,
    kind: c_int,
) -> i32 {
    let device = runtime().device_numbered(number);
    // SAFETY: caller.
    unsafe { give(resource, kind, device.map(|device| Resource::whole(device))) }
}

/// Those of a context.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevResource(
    context: *mut c_void,
    resource: *mut Resource,
    kind: c_int,
) -> i32 {
    let found = || {
        let device = contexts::context(context as usize)?.device;
        match of_context(context as usize) {
            Some(handle) => together(&part(handle as *mut c_void)?),
            None => Ok(Resource::whole(&device)),
        }
    };
    // SAFETY: caller.
    unsafe { give(resource, kind, found()) }
}

/// Those of a context with a part.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxGetDevResource(
    handle: *mut c_void,
    resource: *mut Resource,
    kind: c_int,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        give(
            resource,
            kind,
            part(handle).and_then(|part| together(&part)),
        )
    }
}

/// A part's resource as one. Of several the count is the sum.
fn together(part: &Part) -> Result<Resource> {
    let mut whole = *part.has.first().ok_or(Code::INVALID_HANDLE)?;
    whole.count = part.has.iter().map(|each| each.count).sum();
    Ok(whole)
}

/// `CUdevSmResourceSplit_flags`: how the parts lie. All multiprocessors are alike.
const SPLIT_FLAGS: u32 = 1 | 2;

/// Splits multiprocessors into groups of so many. Without a place for the groups, tells how many there could be.
///
/// # Safety
/// The list has as many places as `groups` says, and the addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevSmResourceSplitByCount(
    list: *mut Resource,
    groups: *mut u32,
    input: *const Resource,
    remaining: *mut Resource,
    flags: u32,
    least: u32,
) -> i32 {
    let split = || {
        contexts::started()?;
        // SAFETY: caller.
        let (groups, input) = unsafe { (place(groups)?, input.as_ref()) };
        let input = input.ok_or(Code::INVALID_VALUE)?;
        input.check()?;
        let each = least.max(1);
        if flags & !SPLIT_FLAGS != 0 || each > input.count {
            return Err(Code::INVALID_RESOURCE_CONFIGURATION);
        }
        let possible = input.count / each;
        if list.is_null() {
            *groups = possible;
            return Ok(());
        }
        let count = (*groups).min(possible);
        let device = input.device as usize - 1;
        for index in 0..count {
            let group = Resource::of(device, input.first + index * each, each);
            // SAFETY: the list has more places (caller).
            unsafe { list.add(index as usize).write(group) };
        }
        // SAFETY: caller.
        if let Some(remaining) = unsafe { remaining.as_mut() } {
            let used = count * each;
            *remaining = Resource::of(device, input.first + used, input.count - used);
            if used == input.count {
                remaining.kind = 0;
            }
        }
        *groups = count;
        Ok(())
    };
    answer(split())
}

/// Describes what a context is to have: resources of one device, none of them twice.
///
/// # Safety
/// The list has so many resources, and the address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevResourceGenerateDesc(
    described: *mut *mut c_void,
    list: *const Resource,
    count: u32,
) -> i32 {
    let describe = || {
        contexts::started()?;
        if list.is_null() || count == 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let all = unsafe { std::slice::from_raw_parts(list, count as usize) };
        all.iter().try_for_each(Resource::check)?;
        let apart = |(index, each): (usize, &Resource)| {
            let others = &all[..index];
            each.device == all[0].device && !others.iter().any(|other| other.meets(each))
        };
        if !all.iter().enumerate().all(apart) {
            return Err(Code::INVALID_RESOURCE_CONFIGURATION);
        }
        // SAFETY: caller.
        *unsafe { place(described)? } = DESCRIBED.add(all.to_vec()) as *mut c_void;
        Ok(())
    };
    answer(describe())
}

/// Makes a context that has a part of a device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxCreate(
    made: *mut *mut c_void,
    described: *mut c_void,
    number: c_int,
    flags: u32,
) -> i32 {
    /// `CU_GREEN_CTX_DEFAULT_STREAM`, which is required.
    const DEFAULT_STREAM: u32 = 1;
    let make = || {
        contexts::started()?;
        let has = DESCRIBED
            .get(described as usize)
            .ok_or(Code::INVALID_HANDLE)?;
        let device = runtime().device_numbered(number)?;
        if flags != DEFAULT_STREAM || has[0].device as usize - 1 != device.number {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let place = unsafe { place(made)? };
        let context = contexts::make(number, 0)?;
        let handle = PARTS.add(Part { context, has });
        OF_CONTEXTS.lock().insert(context, handle);
        *place = handle as *mut c_void;
        Ok(())
    };
    answer(make())
}

/// Destroys one, with all that belongs to it.
#[unsafe(no_mangle)]
pub extern "C" fn cuGreenCtxDestroy(handle: *mut c_void) -> i32 {
    let destroy = || {
        let part = part(handle)?;
        PARTS.remove(handle as usize);
        OF_CONTEXTS.lock().remove(&part.context);
        contexts::destroy(part.context)
    };
    answer(destroy())
}

/// A part's context, which can be made current.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxFromGreenCtx(context: *mut *mut c_void, handle: *mut c_void) -> i32 {
    let ask = || {
        // SAFETY: caller.
        *unsafe { place(context)? } = part(handle)?.context as *mut c_void;
        Ok(())
    };
    answer(ask())
}

/// Has an event happen when all work that a part has now is done.
#[unsafe(no_mangle)]
pub extern "C" fn cuGreenCtxRecordEvent(handle: *mut c_void, event: *mut c_void) -> i32 {
    let device = part(handle).and_then(|part| Ok(contexts::context(part.context)?.device));
    answer(device.and_then(|device| record_all(&device, event)))
}

/// Has all later work of a part wait for an event.
#[unsafe(no_mangle)]
pub extern "C" fn cuGreenCtxWaitEvent(handle: *mut c_void, event: *mut c_void) -> i32 {
    let device = part(handle).and_then(|part| Ok(contexts::context(part.context)?.device));
    answer(device.and_then(|device| wait_all(&device, event)))
}

/// The part that a stream is of; null: of a whole device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetGreenCtx(stream: *mut c_void, found: *mut *mut c_void) -> i32 {
    let ask = || {
        contexts::current()?;
        let own = runtime().stream(stream as usize)?;
        let part = of_context(contexts::handle(&own.device));
        // SAFETY: caller.
        *unsafe { place(found)? } = part.unwrap_or(0) as *mut c_void;
        Ok(())
    };
    answer(ask())
}

/// Makes a stream of a part.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxStreamCreate(
    stream: *mut *mut c_void,
    handle: *mut c_void,
    flags: u32,
    priority: c_int,
) -> i32 {
    /// `CU_STREAM_NON_BLOCKING`, which is required.
    const NON_BLOCKING: u32 = 1;
    let make = || {
        let part = part(handle)?;
        if flags != NON_BLOCKING {
            return Err(Code::INVALID_VALUE);
        }
        let device = contexts::context(part.context)?.device;
        let before = runtime().set_context(Some(device));
        // SAFETY: caller.
        let made = outcome(without_trace(|| unsafe {
            cudaStreamCreateWithPriority(stream, flags, priority)
        }));
        runtime().set_context(before);
        made
    };
    answer(make())
}
