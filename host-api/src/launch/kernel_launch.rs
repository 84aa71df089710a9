//! A target region on a device: map, launch, unmap.

use plugin_api::{DeviceInfo, Launch, Stream};
use smallvec::SmallVec;

use crate::check;
use crate::construct::data_begin::data_begin;
use crate::construct::data_end::data_end;
use crate::construct::device_work::{DeviceWork, OnCompletion, kernel_error};
use crate::device::omp_device::OmpDevice;
use crate::device::regions::Region;
use crate::environment::Environment;
use crate::launch::kernel_arguments::KernelArguments;
use crate::launch::shape::{Cut, KernelFacts, Shape, Wanted, shape};
use crate::mapping::map_item::MapItem;
use crate::ompt;
use crate::report::error::{Error, Result, warn};
use crate::report::info::{self, Info};
use crate::trace::{self, Kind};

/// Multiprocessors that a region has teams for while races are looked for, at least.
const LEAST_CHECKED: u32 = 4;

/// The launch clauses of a construct.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchRequest {
    /// `num_teams` per dimension, 0: none.
    pub teams: [u32; 3],
    /// `thread_limit` per dimension, 0: none.
    pub threads: [u32; 3],
    /// Iterations of the distributed loop, 0: unknown.
    pub trip_count: u64,
    /// `ompx_dyn_cgroup_mem`, bytes.
    pub dynamic_shared: u32,
    /// Whether the kernel takes the launch environment as its first parameter even without an environment of its own.
    pub takes_launch_environment: bool,
}

/// Queues the region: map its data, launch its kernel, unmap its data.
///
/// # Safety
/// As [`data_begin`], [`data_end`] and [`KernelArguments::collect`] require of the items.
pub unsafe fn run(
    work: &mut DeviceWork<'_>,
    environment: &Environment,
    region: &Region,
    items: &[MapItem],
    request: &LaunchRequest,
) -> Result<()> {
    // In front of the items stands the environment of the launch.
    let parameter = |number: usize| KernelArguments::literal(items, number.checked_sub(1)?);
    let shape = shape_of(work.device, environment, region, request, parameter)?;
    // SAFETY: forwarded from the caller.
    unsafe { data_begin(work, items)? };
    // SAFETY: forwarded from the caller.
    let arguments = unsafe { KernelArguments::collect(work, items)? };
    launch(work, environment, region, &arguments, request, &shape)?;
    // SAFETY: forwarded from the caller.
    unsafe { data_end(work, items) }
}

/// Queues a kernel without data mapping on `stream`: the stream of a construct or of an interop object. `words` are its
/// parameters.
pub fn enqueue_kernel(
    device: &OmpDevice,
    stream: &dyn Stream,
    environment: &Environment,
    region: &Region,
    request: &LaunchRequest,
    words: &[u64],
) -> Result<()> {
    let parameter = |number: usize| words.get(number).copied();
    let shape = shape_of(device, environment, region, request, parameter)?;
    start(device, stream, environment, region, words, request, &shape)
}

fn shape_of(
    device: &OmpDevice,
    environment: &Environment,
    region: &Region,
    request: &LaunchRequest,
    parameter: impl Fn(usize) -> Option<u64>,
) -> Result<Shape> {
    let wanted = Wanted {
        teams: request.teams,
        threads: request.threads,
        trip_count: request.trip_count,
        default_teams: environment.num_teams,
        default_threads: environment.teams_thread_limit,
        min_threads_for_low_trip_count: environment.min_threads_for_low_trip_count,
    };
    let info = device.device.info();
    let kernel = region.kernel.info();
    let facts = KernelFacts {
        max_threads: kernel.max_threads,
        warp_size: kernel.warp_size,
        default_threads: kernel.default_threads,
        device_runtime: region.device_runtime,
        resident_blocks: &|threads| {
            region
                .kernel
                .resident_blocks(threads, dynamic_shared(environment, request))
        },
    };
    let bounds = region.environment.of_launch(parameter);
    // While races are looked for, teams come one after the other, as if there were one multiprocessor. Races between
    // teams are to be found all the same.
    let several = check::wanted().race.then(|| DeviceInfo {
        multiprocessors: info.multiprocessors.max(LEAST_CHECKED),
        ..info.clone()
    });
    let info = several.as_ref().unwrap_or(info);
    let shape = shape(&wanted, &bounds, info, facts).map_err(|why| Error::Launch {
        kernel: region.name.clone(),
        why: why.to_string(),
    })?;
    if let Some(cut) = shape.cut {
        report_cut(device, region, cut);
    }
    Ok(shape)
}

/// Dynamic shared memory of a launch, bytes.
fn dynamic_shared(environment: &Environment, request: &LaunchRequest) -> u32 {
    let least = environment.shared_memory_size.unwrap_or(0);
    request.dynamic_shared.max(least)
}

/// Warns once that a team has fewer threads than `thread_limit`. OpenMP allows that, but a program may rely on the
/// number.
fn report_cut(device: &OmpDevice, region: &Region, cut: Cut) {
    if region
        .warned_of_cut
        .swap(true, std::sync::atomic::Ordering::Relaxed)
    {
        return;
    }
    let why = match cut.master {
        0 => String::new(),
        master => format!(" (its sequential code takes {master} threads of the block)"),
    };
    warn(&format_args!(
        "kernel {} asks for {} threads per team; device {} ({}) gives it {}{why}",
        region.name,
        cut.asked,
        device.number,
        device.name(),
        cut.given,
    ));
}

fn launch(
    work: &mut DeviceWork<'_>,
    environment: &Environment,
    region: &Region,
    arguments: &KernelArguments<'_>,
    request: &LaunchRequest,
    shape: &Shape,
) -> Result<()> {
    let reduction = reduction_buffer(work, region, shape.grid[0])?;
    let mut parameters = SmallVec::<[u64; 8]>::new();
    if request.takes_launch_environment || region.environment.present {
        parameters.push(
            reduction
                .as_ref()
                .map_or(0, |buffer| buffer.launch_environment().0),
        );
    }
    parameters.extend_from_slice(arguments.values());
    if let Some(buffer) = reduction {
        work.on_completion(OnCompletion::PutBack(buffer));
    }
    let (device, stream) = (work.device, work.stream());
    start(
        device,
        stream,
        environment,
        region,
        &parameters,
        request,
        shape,
    )
}

/// Queues the launch itself.
fn start(
    device: &OmpDevice,
    stream: &dyn Stream,
    environment: &Environment,
    region: &Region,
    words: &[u64],
    request: &LaunchRequest,
    shape: &Shape,
) -> Result<()> {
    let dynamic_shared = dynamic_shared(environment, request);
    info::log(
        Info::PLUGIN_KERNEL,
        device.number,
        format_args!(
            "launching kernel {} with {:?} blocks of {:?} threads in {:?} mode, trip count {}, {} parameters",
            region.name,
            shape.grid,
            shape.block,
            region.environment.mode,
            request.trip_count,
            words.len(),
        ),
    );
    let launch = Launch {
        grid: shape.grid,
        block: shape.block,
        dynamic_shared,
        cooperative: false,
        args: words,
    };
    if info::wants(Info::PLUGIN_KERNEL)
        && let Some(remark) = region.kernel.remark(&launch)
    {
        let name = &region.name;
        let text = format_args!("kernel {name} {remark}");
        info::log(Info::PLUGIN_KERNEL, device.number, text);
    }
    let stages = region.kernel.prepare(&launch);
    trace::stages(
        device.number,
        &stages.map_err(|source| kernel_error(device, source))?,
    );
    let name = || region.name.clone();
    let _event = ompt::submit(request.teams[0]);
    trace::queued(stream, Kind::Kernel, device.number, 0, name, |stream| {
        stream.launch(&region.kernel, &launch)
    })
    .map_err(|source| kernel_error(device, source))
}

/// Least number of records in the reduction buffer of a launch, unless the launch has fewer teams. The device runtime
/// relies on it where the compiler states no number (docs/abi.md, section 4).
const LAUNCH_RECORDS: u32 = 1024;

/// Most records of a buffer that has one for each team. The device runtime counts on it (devicertl:
/// `reduction/league.rs`).
const MOST_RECORDS: u32 = 1 << 30;

fn reduction_buffer(
    work: &DeviceWork<'_>,
    region: &Region,
    teams: u32,
) -> Result<Option<crate::device::reduction_buffer::ReductionBuffer>> {
    let environment = &region.environment;
    let records = if work.device.device.info().record_per_team {
        teams
    } else {
        environment
            .reduction_buffer_length
            .max(LAUNCH_RECORDS)
            .min(teams)
    };
    let size = u64::from(environment.reduction_data_size) * u64::from(records);
    if size == 0 {
        return Ok(None);
    }
    if records > MOST_RECORDS {
        return Err(Error::Launch {
            kernel: region.name.clone(),
            why: format!("{teams} teams reduce, and {MOST_RECORDS} are the most"),
        });
    }
    let device = work.device;
    device
        .reductions
        .take(&*device.device, work.stream(), size, region.device_runtime)
        .map(Some)
        .map_err(|source| Error::Item {
            what: "allocating device memory for",
            item: format!(
                "the cross-team reduction of kernel {} ({size} bytes)",
                region.name
            ),
            source,
        })
}
