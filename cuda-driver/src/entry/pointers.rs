//! What is known about an address.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cudart::allocations::Allocation;
use cudart::error::{Code, Result};
use cudart::runtime::runtime;
use plugin_api::MemoryKind;

use crate::contexts;
use crate::status::answer;

/// The attributes (`CUpointer_attribute`).
const CONTEXT: c_int = 1;
const MEMORY_TYPE: c_int = 2;
const DEVICE_POINTER: c_int = 3;
const HOST_POINTER: c_int = 4;
const SYNC_MEMOPS: c_int = 6;
const BUFFER_ID: c_int = 7;
const IS_MANAGED: c_int = 8;
const DEVICE_ORDINAL: c_int = 9;
const RANGE_START: c_int = 11;
const RANGE_SIZE: c_int = 12;
const MAPPED: c_int = 13;
const ACCESS_FLAGS: c_int = 16;
const POOL: c_int = 17;
/// Shared with other processes, of other makers' devices, compressed: nothing is.
const NEVER: [c_int; 4] = [10, 14, 15, 21];

/// A value and how many bytes of it count.
type Value = (u64, usize);

fn value(found: &Allocation, address: u64, attribute: c_int) -> Result<Value> {
    let on_host = found.kind != MemoryKind::Device;
    Ok(match attribute {
        CONTEXT => (context_of(found)? as u64, 8),
        // `CU_MEMORYTYPE_HOST` and `…_DEVICE`, which managed memory counts as.
        MEMORY_TYPE => (if found.kind == MemoryKind::Host { 1 } else { 2 }, 4),
        DEVICE_POINTER => (address, 8),
        HOST_POINTER if on_host => (address, 8),
        SYNC_MEMOPS => (0, 4),
        BUFFER_ID => (found.begin, 8),
        IS_MANAGED => (u64::from(found.kind == MemoryKind::Shared), 4),
        DEVICE_ORDINAL => (found.device as u64, 4),
        RANGE_START => (found.begin, 8),
        RANGE_SIZE => (found.size, 8),
        MAPPED => (1, 4),
        // `CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE`.
        ACCESS_FLAGS => (3, 4),
        POOL => (pool_of(found.begin), 8),
        _ if NEVER.contains(&attribute) => (0, 4),
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// The handle of the context that memory goes with.
fn context_of(found: &Allocation) -> Result<usize> {
    let all = contexts::all();
    let context = all.iter().find(|context| context.id == found.context);
    Ok(contexts::handle(context.ok_or(Code::INVALID_VALUE)?))
}

/// The handle of the pool that memory came from; 0 if from none.
fn pool_of(begin: u64) -> u64 {
    let pool = runtime().pooled.pool(begin);
    let handle = pool.and_then(|pool| runtime().pools.find(|other| Arc::ptr_eq(other, &pool)));
    handle.unwrap_or(0) as u64
}

/// # Safety
/// The address is valid for so many bytes.
unsafe fn give(data: *mut c_void, (value, bytes): Value) {
    let value = value.to_le_bytes();
    // SAFETY: caller.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), data.cast(), bytes) };
}

/// One attribute of an address.
///
/// # Safety
/// The address for the result is null or valid for the attribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttribute(
    data: *mut c_void,
    attribute: c_int,
    address: u64,
) -> i32 {
    let ask = || {
        contexts::started()?;
        if data.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let found = runtime().find(address).ok_or(Code::INVALID_VALUE)?;
        // SAFETY: caller.
        unsafe { give(data, value(&found, address, attribute)?) };
        Ok(())
    };
    answer(ask())
}

/// Several attributes. What does not hold of an address is zero.
///
/// # Safety
/// Both arrays have so many elements, and each address is valid for its attribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttributes(
    count: u32,
    attributes: *const c_int,
    data: *mut *mut c_void,
    address: u64,
) -> i32 {
    let ask = || {
        contexts::started()?;
        if attributes.is_null() || data.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let found = runtime().find(address);
        for index in 0..count as usize {
            // SAFETY: caller.
            let (attribute, place) = unsafe { (*attributes.add(index), *data.add(index)) };
            if place.is_null() {
                return Err(Code::INVALID_VALUE);
            }
            let known = found.map(|found| value(&found, address, attribute));
            let known = match known {
                Some(known) => known.or_else(|_| absent(attribute))?,
                None => absent(attribute)?,
            };
            // SAFETY: caller.
            unsafe { give(place, known) };
        }
        Ok(())
    };
    answer(ask())
}

/// What an attribute is of an address that is in no allocation.
fn absent(attribute: c_int) -> Result<Value> {
    Ok(match attribute {
        CONTEXT | DEVICE_POINTER | HOST_POINTER | BUFFER_ID | RANGE_START | RANGE_SIZE | POOL => {
            (0, 8)
        }
        // `CU_DEVICE_INVALID`.
        DEVICE_ORDINAL => (-2i64 as u64, 4),
        MEMORY_TYPE | SYNC_MEMOPS | IS_MANAGED | MAPPED | ACCESS_FLAGS => (0, 4),
        _ if NEVER.contains(&attribute) => (0, 4),
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// Advice on copies of memory: they are synchronous as far as a program can see.
///
/// # Safety
/// The address of the value is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerSetAttribute(
    value: *const c_void,
    attribute: c_int,
    address: u64,
) -> i32 {
    let set = || {
        contexts::started()?;
        let found = runtime().find(address);
        match found.is_some() && !value.is_null() && attribute == SYNC_MEMOPS {
            true => Ok(()),
            false => Err(Code::INVALID_VALUE),
        }
    };
    answer(set())
}
