//! Tests of the engine as kernels see it. Test kernels are Rust functions that call the engine as compiled code
//! does.

mod barriers;
mod contention;
mod faults;
mod instructions;
mod launches;
mod pieces;
mod regions;
mod reserve;
mod short_launches;
mod warp_form;
mod warps;
mod waves;

use std::sync::Arc;
use std::time::Duration;

use vgpu_abi::{EntryFn, ThreadContext};

use crate::block::WarpKind;
use crate::config::Config;
use crate::engine::{Engine, Form};
use crate::fault::Raised;
use crate::grid::{Grid, GridRun};
use crate::heap::Heap;
use crate::machine::Machine;
use crate::schedule::{LaunchOrder, Schedule};

/// Declares a kernel whose only parameter points at its test's data.
macro_rules! kernel {
    ($vis:vis $name:ident, $cx:ident, $data:ident: $type:ty, $body:block) => {
        $vis unsafe extern "C" fn $name(cx: *mut vgpu_abi::ThreadContext, args: *const u64) {
            // SAFETY: tests pass a reference to the type that their kernel names, and outlive the launch.
            let ($cx, $data): (_, &$type) = (cx, unsafe { &*(*args as *const $type) });
            // SAFETY: the calls' contract is that `cx` is the thread's own.
            #[allow(unused_unsafe)]
            unsafe {
                $body
            }
        }
    };
}
pub(crate) use kernel;

unsafe extern "C" fn nothing(_: *mut ThreadContext, _: *const u64) {}

/// The warps of NVPTX code.
const NVPTX: WarpKind = WarpKind {
    size: 32,
    lockstep: false,
};

fn machine(multiprocessors: u32) -> Arc<Machine> {
    let config = Config {
        devices: 1,
        multiprocessors,
        memory: 1 << 20,
        heap: 1 << 20,
        timeout: None,
        count: false,
        through_ptx: false,
        engine: Engine::Fiber,
        schedule: Schedule::InOrder,
        checks: findings::Checks::NONE,
        cpu: None,
        runs_constructors: true,
    };
    Machine::new(&config, Arc::new(Heap::new(config.heap).unwrap()), None)
}

fn grid_run<T>(entry: EntryFn, blocks: u32, threads: u32, args: &[*const T; 1]) -> GridRun {
    GridRun {
        form: Form::Threads(entry),
        choice: None,
        starts: None,
        block_time: None,
        args: args.as_ptr().cast(),
        blocks: [blocks, 1, 1],
        threads: [threads, 1, 1],
        shared: 0,
        dynamic_shared: 0,
        dispatch: 0,
        warp_kind: NVPTX,
        order: LaunchOrder::IN_ORDER,
        lockstep_timeout: Duration::from_secs(20),
        timeout: Some(Duration::from_secs(20)),
        endless_wait: None,
        checks: None,
    }
}

/// Runs one grid on a machine of its own.
fn launch<T>(entry: EntryFn, blocks: u32, threads: u32, data: &T) -> Result<(), Raised> {
    launch_on(&machine(2), entry, blocks, threads, data)
}

fn launch_on<T>(
    machine: &Arc<Machine>,
    entry: EntryFn,
    blocks: u32,
    threads: u32,
    data: &T,
) -> Result<(), Raised> {
    // SAFETY: test kernels take one parameter, a reference to their data.
    match unsafe { Grid::launch(machine, grid_run(entry, blocks, threads, &[data])) }.unwrap() {
        None => Ok(()),
        Some(fault) => Err(fault.raised),
    }
}

/// Linear thread index in a one-dimensional block.
unsafe fn tid(cx: *mut ThreadContext) -> u32 {
    // SAFETY: the context is the thread's own.
    unsafe { (*cx).tid[0] }
}
