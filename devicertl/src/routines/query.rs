//! The `omp_*` routines that ask or set, and the hardware ids clang asks for.

use core::ffi::c_void;

use crate::Ident;
use crate::arch;
use crate::team::icv::{Icvs, SUPPORTED_ACTIVE_LEVELS};
use crate::team::nest::Nest;
use crate::team::roles;

/// `DeviceEnvironmentTy`: what the host tells all kernels of an image (docs/abi.md).
#[repr(C)]
#[derive(Debug)]
pub struct DeviceEnvironment {
    debug_kind: u32,
    devices: u32,
    device: u32,
    dynamic_memory: u32,
    clock_frequency: u64,
    indirect_calls: u64,
    indirect_call_count: u64,
    hardware_parallelism: u64,
}

/// The host may write it after loading.
#[unsafe(no_mangle)]
pub static mut __omp_rtl_device_environment: DeviceEnvironment = DeviceEnvironment {
    debug_kind: 0,
    devices: 1,
    device: 0,
    dynamic_memory: 0,
    // What most AMD GPUs have.
    clock_frequency: 100_000_000,
    indirect_calls: 0,
    indirect_call_count: 0,
    hardware_parallelism: 0,
};

/// Seconds between two ticks of the device's clock.
fn tick() -> f64 {
    let frequency = arch::TICKS_PER_SECOND.unwrap_or_else(|| environment().clock_frequency);
    1.0 / frequency as f64
}

fn environment() -> DeviceEnvironment {
    // SAFETY: only the host writes it, before the kernel runs. Volatile, because the optimiser does not
    // see the host and would fold the initial value.
    unsafe { (&raw const __omp_rtl_device_environment).read_volatile() }
}

/// `i32 (ident_t *)`: the hardware thread number; clang passes it on as "global thread number" (`getThreadID`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_global_thread_num(_location: *const Ident) -> i32 {
    arch::thread_id() as i32
}

macro_rules! queries {
    ($($(#[$doc:meta])* $name:ident() -> $type:ty $value:block)*) => {
        $($(#[$doc])* #[unsafe(no_mangle)] pub extern "C" fn $name() -> $type $value)*
    };
}

queries! {
    /// `u32 ()`: number of the thread in its block (clang: `CGOpenMPRuntimeGPU::getGPUThreadID`; schedules of
    /// `distribute parallel for`, reductions).
    __kmpc_get_hardware_thread_id_in_block() -> u32 { arch::thread_id() }
    /// `u32 ()`: threads of the block (clang: `CGOpenMPRuntimeGPU::getGPUNumThreads`); openmp-opt folds calls by this
    /// name.
    __kmpc_get_hardware_num_threads_in_block() -> u32 { arch::block_threads() }
    /// `u32 ()`: blocks of the grid; openmp-opt folds calls by this name.
    __kmpc_get_hardware_num_blocks() -> u32 { arch::block_count() }
    /// `u32 ()`: lanes of a warp (clang: `OpenMPIRBuilder::getGPUWarpSize`, for reductions; openmp-opt's state
    /// machine).
    __kmpc_get_warp_size() -> u32 { arch::warp_size() }

    /// `omp_get_thread_num` (OpenMP 5.2, §18.2.4).
    omp_get_thread_num() -> i32 { Nest::load_inline().thread_num() as i32 }
    /// `omp_get_num_threads` (OpenMP 5.2, §18.2.2).
    omp_get_num_threads() -> i32 { Nest::load_inline().team_size() as i32 }
    /// `omp_get_max_threads` (OpenMP 5.2, §18.2.3): what a region without `num_threads` would get at most.
    omp_get_max_threads() -> i32 {
        let (workers, wanted) = (roles::workers() as i32, Icvs::current().num_threads);
        if wanted > 0 { wanted.min(workers) } else { workers }
    }
    /// `omp_get_num_procs` (OpenMP 5.2, §18.7.1): one processor per thread the team can have.
    omp_get_num_procs() -> i32 { roles::workers() as i32 }
    /// `omp_in_parallel` (OpenMP 5.2, §18.2.5).
    omp_in_parallel() -> i32 { Nest::load_inline().is_parallel().into() }
    /// `omp_get_level` (OpenMP 5.2, §18.2.17).
    omp_get_level() -> i32 { Nest::load_inline().level() as i32 }
    /// `omp_get_active_level` (OpenMP 5.2, §18.2.20).
    omp_get_active_level() -> i32 { Nest::load_inline().is_parallel().into() }
    /// `omp_get_dynamic` (OpenMP 5.2, §18.2.7).
    omp_get_dynamic() -> i32 { Icvs::current().dynamic }
    /// `omp_get_nested` (OpenMP 5.2, §18.2.10).
    omp_get_nested() -> i32 { (Icvs::current().max_active_levels > 1).into() }
    /// `omp_get_max_active_levels` (OpenMP 5.2, §18.2.16).
    omp_get_max_active_levels() -> i32 { Icvs::current().max_active_levels }
    /// `omp_get_supported_active_levels` (OpenMP 5.2, §18.2.14).
    omp_get_supported_active_levels() -> i32 { SUPPORTED_ACTIVE_LEVELS }
    /// `omp_get_thread_limit` (OpenMP 5.2, §18.2.13).
    omp_get_thread_limit() -> i32 { roles::workers() as i32 }
    /// `omp_get_cancellation` (OpenMP 5.2, §18.2.8): not supported on the device.
    omp_get_cancellation() -> i32 { 0 }
    /// `omp_get_max_task_priority` (OpenMP 5.2, §18.5.1).
    omp_get_max_task_priority() -> i32 { 0 }

    /// `omp_get_num_teams` (OpenMP 5.2, §18.4.1).
    omp_get_num_teams() -> i32 { arch::block_count() as i32 }
    /// `omp_get_team_num` (OpenMP 5.2, §18.4.2).
    omp_get_team_num() -> i32 { arch::block_id() as i32 }
    /// `omp_get_max_teams` (OpenMP 5.2, §18.4.4): no limit was set.
    omp_get_max_teams() -> i32 { 0 }
    /// `omp_get_teams_thread_limit` (OpenMP 5.2, §18.4.6): no limit was set.
    omp_get_teams_thread_limit() -> i32 { 0 }

    /// `omp_is_initial_device` (OpenMP 5.2, §18.7.6).
    omp_is_initial_device() -> i32 { 0 }
    /// `omp_get_num_devices` (OpenMP 5.2, §18.7.4).
    omp_get_num_devices() -> i32 { environment().devices as i32 }
    /// `omp_get_device_num` (OpenMP 5.2, §18.7.5).
    omp_get_device_num() -> i32 { environment().device as i32 }
    /// `omp_get_default_device` (OpenMP 5.2, §18.7.3): the one the code runs on.
    omp_get_default_device() -> i32 { environment().device as i32 }
    /// `omp_get_initial_device` (OpenMP 5.2, §18.7.7): the host's number follows the devices'.
    omp_get_initial_device() -> i32 { environment().devices as i32 }

    /// `omp_get_wtime` (OpenMP 5.2, §18.10.1).
    omp_get_wtime() -> f64 { arch::ticks() as f64 * tick() }
    /// `omp_get_wtick` (OpenMP 5.2, §18.10.2).
    omp_get_wtick() -> f64 { tick() }
}

/// `omp_get_ancestor_thread_num` (OpenMP 5.2, §18.2.18).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_ancestor_thread_num(level: i32) -> i32 {
    let nest = Nest::load();
    if level < 0 || level as u32 > nest.level() {
        -1
    } else if nest.is_active() && level as u32 == nest.active_base() {
        arch::thread_id() as i32
    } else {
        0
    }
}

/// `omp_get_team_size` (OpenMP 5.2, §18.2.19).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_team_size(level: i32) -> i32 {
    let nest = Nest::load();
    if level < 0 || level as u32 > nest.level() {
        -1
    } else if nest.is_active() && level as u32 == nest.active_base() {
        nest.active_team_size() as i32
    } else {
        1
    }
}

/// `omp_set_num_threads` (OpenMP 5.2, §18.2.1).
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_num_threads(threads: i32) {
    if threads > 0 {
        Icvs::change(|icvs| icvs.num_threads = threads);
    }
}

/// `omp_set_dynamic` (OpenMP 5.2, §18.2.6).
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_dynamic(dynamic: i32) {
    Icvs::change(|icvs| icvs.dynamic = (dynamic != 0).into());
}

/// `omp_set_nested` (OpenMP 5.2, §18.2.9).
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_nested(_nested: i32) {
    // One active level is all there is; `omp_get_nested` keeps saying so (OpenMP 5.2, §18.2.9).
}

/// `omp_set_max_active_levels` (OpenMP 5.2, §18.2.15).
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_max_active_levels(levels: i32) {
    if levels >= 0 {
        Icvs::change(|icvs| icvs.max_active_levels = levels.min(SUPPORTED_ACTIVE_LEVELS));
    }
}

/// `omp_set_schedule` (OpenMP 5.2, §18.2.11).
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_schedule(schedule: i32, chunk: i32) {
    Icvs::change(|icvs| (icvs.schedule, icvs.chunk) = (schedule, chunk.max(0)));
}

/// `omp_get_schedule` (OpenMP 5.2, §18.2.12).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_schedule(schedule: &mut i32, chunk: &mut i32) {
    let icvs = Icvs::current();
    (*schedule, *chunk) = (icvs.schedule, icvs.chunk);
}

/// `omp_set_default_device` (OpenMP 5.2, §18.7.2): a kernel cannot launch on another device.
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_default_device(_device: i32) {}

/// `omp_set_num_teams` (OpenMP 5.2, §18.4.3): a kernel cannot start a league.
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_num_teams(_teams: i32) {}

/// `omp_set_teams_thread_limit` (OpenMP 5.2, §18.4.5).
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_teams_thread_limit(_limit: i32) {}

/// One entry of the host's table of functions callable through host addresses.
#[repr(C)]
struct IndirectCall {
    host: *const c_void,
    device: *const c_void,
}

/// `void *(void *host)`: the device function of a host function pointer (`declare target indirect`: OpenMP 5.2,
/// §7.8.3), or the device's table of virtual functions of the host's. A pointer that the table does not have is a
/// device pointer already. Programs, flang's `IndirectCallLookupPass` and our passes call it
/// (`codegen-llvm/src/device/host_pointers.rs`); clang 22 itself does not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __llvm_omp_indirect_call_lookup(host: *const c_void) -> *const c_void {
    let environment = environment();
    let table = environment.indirect_calls as *const IndirectCall;
    let (mut low, mut high) = (0, environment.indirect_call_count as usize);
    while low < high {
        let middle = low + (high - low) / 2;
        // SAFETY: the host's table, sorted by host address.
        let entry = unsafe { &*table.add(middle) };
        if entry.host == host {
            return entry.device;
        }
        if entry.host < host {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    host
}
