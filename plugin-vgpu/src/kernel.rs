//! A kernel of a loaded image. It checks launches and reports faults.

use std::sync::Arc;
use std::time::Duration;

use plugin_api::{
    Error, FaultKind, Kernel, KernelFault, KernelInfo, Launch, LaunchBound, Parameter, Result,
    SourceLocation, Stage, ThreadId, Waiting,
};
use vgpu_abi::artifact::KernelEntry;

use crate::block::MAX_THREADS;
use crate::block_ranges::index_in;
use crate::checker::{LaunchChecks, LaunchedCode};
use crate::deadlock;
use crate::dispatch::Dispatch;
use crate::engine::{Engine, Form};
use crate::fault::{Cause, FaultLocation};
use crate::form_choice::Way;
use crate::grid::{Grid, GridFault, GridRun};
use crate::grid_workspace::Workspace;
use crate::host_access;
use crate::kernel_groups::KernelGroup;
use crate::later::Later;
use crate::module::Code;
use crate::runnable::Runnable;
use crate::schedule::Schedule;
use crate::sm::MAX_SHARED;

/// How long lanes in lockstep wait for a lane of their warp that spins on memory. Hardware would wait for ever.
/// That lane may wait for another block, whose CPU thread may not get to run for a while. A program in which a
/// lane waits for another lane of its warp continues after this time.
const LOCKSTEP_TIMEOUT: Duration = Duration::from_secs(20);

/// A kernel.
pub struct VirtualKernel {
    info: KernelInfo,
    refusal: Option<String>,
    /// Its forms for blocks of short rows, with the rows' lengths ([`vgpu_abi::artifact::ShortRows`]).
    short_rows: Vec<(u32, VirtualKernel)>,
    state: State,
}

/// Whether there is code to run.
enum State {
    /// There is.
    Loaded(Runnable),
    /// It is compiled when it is needed.
    Later(Arc<Later>),
}

/// What runs the blocks of a launch.
struct Suited<'a> {
    runnable: &'a Runnable,
    /// If it has only the form in which the kernel starts: the kernel.
    starts: Option<Arc<Later>>,
    /// The shape in which it is given them.
    block: [u32; 3],
    /// Its static shared memory in bytes.
    static_shared: u32,
}

impl VirtualKernel {
    /// The kernel `entry` describes, to be called `name` in messages. Its code is in `code` or, if it is in a group,
    /// compiled when it is needed.
    pub fn new(
        code: Arc<Code>,
        name: &str,
        entry: KernelEntry,
        group: Option<Arc<KernelGroup>>,
    ) -> Result<VirtualKernel> {
        let info = KernelInfo {
            name: name.to_owned(),
            parameters: entry.parameters.iter().copied().map(parameter).collect(),
            max_threads: entry.max_threads.clamp(1, MAX_THREADS),
            bound: match entry.block {
                Some(block) => LaunchBound::Exactly(block),
                None if entry.max_threads < MAX_THREADS => LaunchBound::AtMost(entry.max_threads),
                None => LaunchBound::None,
            },
            warp_size: code.warp_kind.size,
            default_threads: code.default_threads,
            static_shared: entry.static_shared,
        };
        let refusal = entry.refusal.clone();
        let state = match group {
            Some(group) => {
                let start = entry.start.filter(|_| starts(&code));
                let patience = start.map(|it| Duration::from_micros(it.patience.into()));
                let later = Later::new(group, entry.name, name.to_owned(), patience);
                State::Later(Arc::new(later))
            }
            None => State::Loaded(Runnable::new(code, &entry, name)?),
        };
        Ok(VirtualKernel {
            info,
            refusal,
            short_rows: Vec::new(),
            state,
        })
    }

    /// It, with forms for blocks whose rows are so long.
    pub fn with_short_rows(mut self, forms: Vec<(u32, VirtualKernel)>) -> VirtualKernel {
        self.short_rows = forms;
        self
    }

    /// What is needed to run so many threads of it. Compiles and loads it, if that has not happened yet, and adds that
    /// to `stages`.
    fn runnable(&self, threads: u64, stages: &mut Vec<Stage>) -> Result<&Runnable> {
        match &self.state {
            State::Loaded(runnable) => Ok(runnable),
            State::Later(later) => later.runnable(threads, stages),
        }
    }

    /// What runs a launch, and the shape in which it is given the blocks. Compilations are added to `stages`.
    fn suited(&self, launch: &Launch<'_>, stages: &mut Vec<Stage>) -> Result<Suited<'_>> {
        let threads = product(launch.grid).saturating_mul(product(launch.block));
        let [columns, rows, planes] = launch.block;
        // Each plane is a line. Where there are several, each has whole warps, so that no warp has parts of two.
        let line = [columns.saturating_mul(rows), planes, 1];
        for (length, form) in &self.short_rows {
            let whole = line[0].is_multiple_of(form.info.warp_size);
            if *length == columns && whole {
                let runnable = form.runnable(threads, stages)?;
                if runnable.forms.why_not_warps(line).is_none() {
                    return Ok(Suited {
                        runnable,
                        starts: None,
                        block: line,
                        static_shared: form.info.static_shared,
                    });
                }
            }
        }
        let runnable = self.runnable(threads, stages)?;
        let starts = match &self.state {
            State::Later(later) if later.is_start(runnable) => Some(later.clone()),
            _ => None,
        };
        Ok(Suited {
            runnable,
            starts,
            block: launch.block,
            static_shared: self.info.static_shared,
        })
    }

    fn check(&self, launch: &Launch<'_>) -> std::result::Result<(), String> {
        if let Some(why) = &self.refusal {
            return Err(why.clone());
        }
        let threads = product(launch.block);
        let shared = u64::from(launch.dynamic_shared) + u64::from(self.info.static_shared);
        let [x, y, z] = launch.grid;
        if product(launch.grid) == 0 || threads == 0 {
            return Err(format!(
                "a grid of {:?} blocks of {:?} threads has no thread",
                launch.grid, launch.block
            ));
        }
        if x > i32::MAX as u32 || y > 65_535 || z > 65_535 {
            return Err(format!(
                "{x} x {y} x {z} blocks; the limit is 2147483647 x 65535 x 65535"
            ));
        }
        if threads > u64::from(self.info.max_threads) {
            let limit = self.info.max_threads;
            let whose = if limit < MAX_THREADS {
                "this kernel's launch bound"
            } else {
                "the device's limit"
            };
            return Err(format!("{threads} threads per block; {whose} is {limit}"));
        }
        if let LaunchBound::Exactly([x, y, z]) = self.info.bound
            && launch.block != [x, y, z]
        {
            let [a, b, c] = launch.block;
            return Err(format!(
                "blocks of {a} x {b} x {c} threads; this kernel's have {x} x {y} x {z}"
            ));
        }
        if shared > u64::from(MAX_SHARED) {
            return Err(format!(
                "{shared} bytes of shared memory per block; the device has {MAX_SHARED}"
            ));
        }
        let words: usize = self.info.parameters.iter().map(|each| each.words()).sum();
        if launch.args.len() < words {
            return Err(format!(
                "{} arguments of 8 bytes; the kernel takes {words}",
                launch.args.len(),
            ));
        }
        Ok(())
    }

    /// The code of a launch, for the checker's reports.
    fn launched(&self, code: &Code, launch: &Launch<'_>) -> LaunchedCode {
        LaunchedCode {
            kernel: self.info.name.as_str().into(),
            sites: code.sites.clone(),
            grid: launch.grid,
            block: launch.block,
        }
    }

    fn report(&self, code: &Code, fault: GridFault, launch: &Launch<'_>) -> KernelFault {
        let raised = fault.raised;
        let location = code.location(raised.place);
        let (kind, asserted) = kind(raised.cause);
        let waiting = raised.waiting.iter().map(|group| Waiting {
            at: group.at.clone(),
            threads: deadlock::ranges(&group.threads),
            location: code.location(FaultLocation::Site(group.site)),
        });
        KernelFault {
            kernel: self.info.name.clone(),
            kind,
            thread: Some(ThreadId {
                block: fault.block,
                grid: launch.grid,
                thread: index_in(launch.block, raised.thread.into()),
                last: index_in(
                    launch.block,
                    (raised.thread + raised.thread_count - 1).into(),
                ),
                block_size: launch.block,
            }),
            location: location.or(asserted),
            waiting: waiting.collect(),
        }
    }
}

impl Kernel for VirtualKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// A multiprocessor is a CPU, which runs one block at a time.
    fn resident_blocks(&self, _threads: u32, _dynamic_shared: u32) -> Option<u32> {
        Some(1)
    }

    fn prepare(&self, launch: &Launch<'_>) -> Result<Vec<Stage>> {
        let mut stages = Vec::new();
        if self.refusal.is_none() {
            self.suited(launch, &mut stages)?;
        }
        Ok(stages)
    }

    fn remark(&self, launch: &Launch<'_>) -> Option<String> {
        // The launch tells why it cannot be run.
        let suited = self.suited(launch, &mut Vec::new()).ok()?;
        if let Some(later) = suited.starts {
            let patience = later.patience()?;
            return Some(format!(
                "starts thread by thread: its warp form is compiled when it has run for {} ms",
                patience.as_millis()
            ));
        }
        let runnable = suited.runnable;
        if !runnable.code.gpu.config.engine.wants_warp_forms() {
            return None;
        }
        let how = match runnable.forms.why_not_warps(suited.block) {
            None if runnable.chooses(runnable.forms.choose(suited.block, true))
                && runnable.choice.preferred() == Way::Threads =>
            {
                "runs thread by thread: that has been faster than warp by warp".to_owned()
            }
            None => "runs warp by warp".to_owned(),
            Some(why) => format!("runs thread by thread: {why}"),
        };
        Some(match runnable.block_time.contention.is_found() {
            true => format!("{how}; on one CPU, as blocks on several wait for the same memory"),
            false => how,
        })
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        self.check(launch).map_err(|why| Error::InvalidLaunch {
            kernel: self.info.name.clone(),
            why,
        })?;
        let suited = self.suited(launch, &mut Vec::new())?;
        let runnable = suited.runnable;
        let code = &*runnable.code;
        let gpu = &code.gpu;
        let _opened = host_access::open()?;
        let shared = launch.dynamic_shared + suited.static_shared;
        let warp_kind = code.warp_kind;
        let dispatch = match warp_kind.lockstep {
            true => Some(Dispatch::new(&gpu.memory, launch, shared)?),
            false => None,
        };
        let workspace = match code.grid_workspace {
            true => Some(Workspace::new(&gpu.memory)?),
            false => None,
        };
        let record = dispatch.as_ref().map(Dispatch::address);
        let record = record.or(workspace.as_ref().map(Workspace::address));
        let order = gpu.config.schedule.of_launch(gpu.next_launch());
        let one_by_one = gpu.checker.is_none() && !order.is_random();
        let form = runnable.forms.choose(suited.block, one_by_one);
        let checks = gpu.checker.as_ref().map(|checker| {
            let lockstep = if warp_kind.lockstep {
                warp_kind.size
            } else {
                1
            };
            Arc::new(LaunchChecks::begin(
                checker,
                self.launched(code, launch),
                lockstep as u16,
            ))
        });
        let run = GridRun {
            form,
            choice: runnable.chooses(form).then(|| runnable.choice.clone()),
            starts: suited.starts.clone(),
            block_time: (never_waits_for_blocks(form) && !launch.cooperative)
                .then(|| runnable.block_time.clone()),
            args: launch.args.as_ptr(),
            blocks: launch.grid,
            threads: suited.block,
            shared,
            dynamic_shared: launch.dynamic_shared,
            dispatch: record.unwrap_or(0),
            warp_kind,
            order,
            lockstep_timeout: LOCKSTEP_TIMEOUT,
            timeout: gpu.config.timeout,
            endless_wait: gpu
                .config
                .timeout
                .is_none()
                .then(|| runnable.endless_wait.clone()),
            checks: checks.clone(),
        };
        // SAFETY: the entry stays loaded as long as the kernel lives. The rest was checked.
        let ended = unsafe { Grid::launch(&gpu.machine, run) };
        if let Some(checks) = checks {
            checks.end();
        }
        match ended? {
            None => Ok(()),
            Some(fault) => {
                let misuse = matches!(fault.raised.cause, Cause::Misuse(_));
                let starts = suited.starts.as_ref();
                let code = starts.and_then(|it| it.code_of(fault.form)).unwrap_or(code);
                let fault = self.report(code, fault, launch);
                findings::record_fault(&fault, misuse);
                Err(Error::Fault(Box::new(fault)))
            }
        }
    }
}

/// Whether kernels may start in another form: their threads may run one by one, and the best form is not ordered.
fn starts(code: &Code) -> bool {
    let gpu = &code.gpu;
    let auto = gpu.config.engine == Engine::Auto;
    auto && gpu.checker.is_none() && gpu.config.schedule == Schedule::InOrder
}

/// Whether blocks of this form wait for nothing but their own threads.
fn never_waits_for_blocks(form: Form) -> bool {
    matches!(
        form,
        Form::Subgroups { .. } | Form::OneByOne(_) | Form::Regions { .. }
    )
}

fn parameter(parameter: vgpu_abi::artifact::Parameter) -> Parameter {
    Parameter {
        offset: parameter.offset,
        size: parameter.size,
    }
}

/// The kind of fault for the user, and the location that the cause brings along.
fn kind(cause: Cause) -> (FaultKind, Option<SourceLocation>) {
    let kind = match cause {
        Cause::Assertion {
            condition,
            location,
        } => {
            let message = format!("assertion `{condition}` failed");
            return (FaultKind::Trap { message }, Some(*location));
        }
        Cause::Trap(message) => FaultKind::Trap { message },
        Cause::WildAccess { address, write } => FaultKind::WildAccess { address, write },
        Cause::Arithmetic => FaultKind::Arithmetic,
        Cause::StackOverflow => FaultKind::StackOverflow,
        Cause::Deadlock => FaultKind::Deadlock,
        Cause::NoProgress(time) => FaultKind::Other(format!(
            "no progress for {} s (OMPTARGET_VGPU_TIMEOUT): threads wait on memory",
            time.as_secs_f64()
        )),
        Cause::Misuse(what) | Cause::Other(what) => FaultKind::Other(what),
    };
    (kind, None)
}

fn product(dimensions: [u32; 3]) -> u64 {
    dimensions
        .iter()
        .map(|&count| u64::from(count))
        .fold(1, u64::saturating_mul)
}
