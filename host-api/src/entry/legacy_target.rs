//! `__tgt_target_mapper` and related entry points: target regions in the form of clang 14 and older, without an
//! arguments structure. Their kernels take no launch environment.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use crate::abi::Ident;
use crate::entry::raw_items::RawItems;
use crate::entry::target::execute;
use crate::host_library::{Dependences, wait_for};
use crate::launch::kernel_launch::LaunchRequest;

thread_local! {
    /// The trip count that clang 13 and older push before a region.
    static PUSHED_TRIP_COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Keeps the trip count of the region this thread launches next.
pub extern "C" fn __kmpc_push_target_tripcount_mapper(
    _location: *const Ident,
    _device: i64,
    trips: u64,
) {
    PUSHED_TRIP_COUNT.set(trips);
}

/// Keeps the trip count of the region this thread launches next.
pub extern "C" fn __kmpc_push_target_tripcount(_device: i64, trips: u64) {
    PUSHED_TRIP_COUNT.set(trips);
}

fn request(teams: i32, threads: i32) -> LaunchRequest {
    let positive = |count: i32| u32::try_from(count).unwrap_or(0);
    LaunchRequest {
        teams: [positive(teams), 0, 0],
        threads: [positive(threads), 0, 0],
        trip_count: PUSHED_TRIP_COUNT.replace(0),
        ..LaunchRequest::default()
    }
}

/// `target` of clang 12 to 14.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target_mapper(
    location: *const Ident,
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    names: *const *mut c_void,
    mappers: *const *mut c_void,
) -> i32 {
    let raw = RawItems {
        count: items,
        bases,
        begins,
        sizes,
        types,
        names,
        mappers,
    };
    // SAFETY: caller.
    unsafe { execute(location, device, region, raw, request(1, 0), false) }
}

/// `target` of clang 11 and older.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target(
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
) -> i32 {
    let (location, names, mappers) = (ptr::null(), ptr::null(), ptr::null());
    // SAFETY: caller.
    unsafe {
        __tgt_target_mapper(
            location, device, region, items, bases, begins, sizes, types, names, mappers,
        )
    }
}

/// `target nowait` of clang 12 to 14.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target_nowait_mapper(
    location: *const Ident,
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    names: *const *mut c_void,
    mappers: *const *mut c_void,
    count: i32,
    list: *const c_void,
    noalias_count: i32,
    noalias_list: *const c_void,
) -> i32 {
    wait_for(Dependences {
        count,
        list,
        noalias_count,
        noalias_list,
    });
    // SAFETY: caller.
    unsafe {
        __tgt_target_mapper(
            location, device, region, items, bases, begins, sizes, types, names, mappers,
        )
    }
}

/// `target nowait` of clang 11 and older.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target_nowait(
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    count: i32,
    list: *const c_void,
    noalias_count: i32,
    noalias_list: *const c_void,
) -> i32 {
    wait_for(Dependences {
        count,
        list,
        noalias_count,
        noalias_list,
    });
    // SAFETY: caller.
    unsafe { __tgt_target(device, region, items, bases, begins, sizes, types) }
}

/// `target teams` of clang 12 to 14.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target_teams_mapper(
    location: *const Ident,
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    names: *const *mut c_void,
    mappers: *const *mut c_void,
    teams: i32,
    threads: i32,
) -> i32 {
    let raw = RawItems {
        count: items,
        bases,
        begins,
        sizes,
        types,
        names,
        mappers,
    };
    // SAFETY: caller.
    unsafe {
        execute(
            location,
            device,
            region,
            raw,
            request(teams, threads),
            false,
        )
    }
}

/// `target teams` of clang 11 and older.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target_teams(
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    teams: i32,
    threads: i32,
) -> i32 {
    let (location, names, mappers) = (ptr::null(), ptr::null(), ptr::null());
    // SAFETY: caller.
    unsafe {
        __tgt_target_teams_mapper(
            location, device, region, items, bases, begins, sizes, types, names, mappers, teams,
            threads,
        )
    }
}

/// `target teams nowait` of clang 12 to 14.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target_teams_nowait_mapper(
    location: *const Ident,
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    names: *const *mut c_void,
    mappers: *const *mut c_void,
    teams: i32,
    threads: i32,
    count: i32,
    list: *const c_void,
    noalias_count: i32,
    noalias_list: *const c_void,
) -> i32 {
    wait_for(Dependences {
        count,
        list,
        noalias_count,
        noalias_list,
    });
    // SAFETY: caller.
    unsafe {
        __tgt_target_teams_mapper(
            location, device, region, items, bases, begins, sizes, types, names, mappers, teams,
            threads,
        )
    }
}

/// `target teams nowait` of clang 11 and older.
///
/// # Safety
/// Called by code clang generated: the arrays have `items` elements.
pub unsafe extern "C" fn __tgt_target_teams_nowait(
    device: i64,
    region: *const c_void,
    items: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    teams: i32,
    threads: i32,
    count: i32,
    list: *const c_void,
    noalias_count: i32,
    noalias_list: *const c_void,
) -> i32 {
    wait_for(Dependences {
        count,
        list,
        noalias_count,
        noalias_list,
    });
    // SAFETY: caller.
    unsafe {
        __tgt_target_teams(
            device, region, items, bases, begins, sizes, types, teams, threads,
        )
    }
}
