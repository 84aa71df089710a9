//! `__tgt_target_kernel`: target regions. The result 0 means that the region ran on a device. With any other result the
//! program runs the region's host version.

use std::ffi::c_void;

use bitflags::bitflags;

use crate::abi::{Ident, KernelArguments};
use crate::check::variables;
use crate::construct::context::Construct;
use crate::device::offload_policy::OffloadPolicy;
use crate::device::omp_device::{OmpDevice, Target};
use crate::device::program;
use crate::entry::ident;
use crate::entry::raw_items::RawItems;
use crate::host_library::{Dependences, wait_for};
use crate::launch::kernel_launch::{self, LaunchRequest};
use crate::ompt;
use crate::report::error::Error;
use crate::report::info;
use crate::runtime::{Runtime, runtime};

/// The region ran on a device.
const ON_DEVICE: i32 = 0;
/// The program must run the region on the host.
const ON_HOST: i32 = -1;

bitflags! {
    /// The flags of [`KernelArguments`].
    #[derive(Clone, Copy)]
    struct KernelFlags: u64 {
        /// The construct has `nowait`. It runs inside the task that clang made for it.
        const NOWAIT = 1;
        /// Flags without effect in this library.
        const _ = !0;
    }
}

/// First version of the arguments whose kernels take the launch environment.
const FIRST_WITH_LAUNCH_ENVIRONMENT: u32 = 3;

/// Runs a region on the target of its `device` clause.
///
/// # Safety
/// The arguments are those of an entry point called by code clang generated.
pub(crate) unsafe fn execute(
    location: *const Ident,
    number: i64,
    region_id: *const c_void,
    raw: RawItems,
    request: LaunchRequest,
    nowait: bool,
) -> i32 {
    let runtime = runtime();
    // SAFETY: caller.
    let construct =
        Construct::new("target", unsafe { ident::read(location) }).of_region(region_id as u64);
    let device = match construct.target(runtime, number) {
        Target::Device(device) => device,
        Target::Host => return ON_HOST,
    };
    let Some(region) = device.program.region(region_id as u64) else {
        return unknown_region(runtime, &construct, device, region_id, nowait);
    };
    // SAFETY: caller.
    let items = unsafe { raw.items() };
    construct.report_items(runtime, device.number, &items);
    let _origin = construct.origin(runtime);
    let _span = construct.span(runtime, device.number);
    let _event = ompt::region(ompt::Construct::Target, nowait, device.number);
    variables::check(device.number, &*device.device);
    // SAFETY: the program is valid as far as its own memory goes (caller).
    let outcome = construct.execute(device, nowait, |work| unsafe {
        kernel_launch::run(work, &runtime.environment, &region, &items, &request)
    });
    if let Err(error) = outcome {
        construct.fail(&error, runtime, device.number as i64);
    }
    construct.report_table(runtime, device);
    ON_DEVICE
}

/// Handles a region that the device does not have. It runs on the host, unless `OMP_TARGET_OFFLOAD` forbids that. If
/// its program is gone and did not wait for the task of the region, the region is abandoned.
fn unknown_region(
    runtime: &Runtime,
    construct: &Construct,
    device: &OmpDevice,
    id: *const c_void,
    nowait: bool,
) -> i32 {
    let error = program::missing_region(&*device.device, &runtime.registry, id as u64);
    let gone = matches!(error, Error::UnknownRegion { .. }) && runtime.registry.has_shrunk();
    if nowait && gone {
        info::debug(format_args!("abandoned: {error}"));
        return ON_DEVICE;
    }
    if runtime.policy == OffloadPolicy::Mandatory {
        construct.fail(&error, runtime, device.number as i64);
    }
    runtime.warn_host_fallback(&error, &construct.location(runtime));
    ON_HOST
}

/// `target`, `target teams`, `target parallel` and all they combine with, with `nowait` or without.
///
/// # Safety
/// Called by code clang generated.
pub unsafe extern "C" fn __tgt_target_kernel(
    location: *const Ident,
    device: i64,
    teams: i32,
    threads: i32,
    region: *const c_void,
    arguments: *const KernelArguments,
) -> i32 {
    // SAFETY: clang passes its arguments structure; version 1 ends before `flags`.
    let (version, raw, trip_count) = unsafe {
        let head = &raw const *arguments;
        let raw = RawItems {
            count: (*head).count as i32,
            bases: (*head).bases,
            begins: (*head).begins,
            sizes: (*head).sizes,
            types: (*head).types,
            names: (*head).names,
            mappers: (*head).mappers,
        };
        ((*head).version, raw, (*head).trip_count)
    };
    let (mut team_counts, mut thread_counts, mut dynamic_shared) =
        ([teams as u32, 0, 0], [threads as u32, 0, 0], 0);
    let mut nowait = false;
    if version >= 2 {
        // SAFETY: from version 2 on, the structure is complete.
        let whole = unsafe { &*arguments };
        (team_counts, thread_counts, dynamic_shared) =
            (whole.num_teams, whole.thread_limit, whole.dynamic_shared);
        nowait = KernelFlags::from_bits_retain(whole.flags).contains(KernelFlags::NOWAIT);
    }
    let request = LaunchRequest {
        teams: team_counts.map(without_clause_is_zero),
        threads: thread_counts.map(without_clause_is_zero),
        trip_count,
        dynamic_shared,
        takes_launch_environment: version >= FIRST_WITH_LAUNCH_ENVIRONMENT,
    };
    // A region without `teams` has one team.
    let request = LaunchRequest {
        teams: if teams == -1 {
            [1, 1, 1]
        } else {
            request.teams
        },
        ..request
    };
    // SAFETY: caller.
    unsafe { execute(location, device, region, raw, request, nowait) }
}

/// -1 means that the clause is absent.
fn without_clause_is_zero(count: u32) -> u32 {
    if count == u32::MAX { 0 } else { count }
}

/// `target nowait` of older clangs, which pass the dependences of their task.
///
/// # Safety
/// As [`__tgt_target_kernel`]; the dependence lists are libomp's.
pub unsafe extern "C" fn __tgt_target_kernel_nowait(
    location: *const Ident,
    device: i64,
    teams: i32,
    threads: i32,
    region: *const c_void,
    arguments: *const KernelArguments,
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
    unsafe { __tgt_target_kernel(location, device, teams, threads, region, arguments) }
}
