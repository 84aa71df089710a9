//! Kernel dispatch packets: checks them, and runs their kernels.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use fake_driver::handle;
use plugin_api::Launch;

use crate::agent::{Agent, KERNARG};
use crate::agent_calls::{GROUP_SEGMENT, MOST_WORK_ITEMS};
use crate::arguments;
use crate::call::tell;
use crate::executable::Kernel;
use crate::fault;
use crate::memory::{InUse, memory};
use crate::packet::Dispatch;
use crate::processor::Refusal;
use crate::queue::Queue;
use crate::signal::{self, Completion};
use crate::status::Failure;

/// A packet that was checked.
pub struct Prepared {
    kernel: Arc<Kernel>,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    words: Vec<u64>,
    arguments: Arguments,
}

/// The arguments in memory, which must stay as they are while the kernel runs.
struct Arguments {
    address: u64,
    bytes: Vec<u8>,
    in_use: Option<InUse>,
}

/// Checks a packet.
pub fn prepare(agent: &Agent, packet: &Dispatch) -> Result<Prepared, Refusal> {
    let kernel = handle::get::<Kernel>(packet.object).map_err(|_| {
        let why = format!("{:#x} is no kernel object", packet.object);
        (Failure::ERROR_INVALID_CODE_OBJECT, why)
    })?;
    let named = |(failure, why): Refusal| (failure, format!("{}: {why}", kernel.name));
    check_sizes(&kernel, agent, packet).map_err(named)?;
    let arguments = read_arguments(&kernel, agent, packet).map_err(|why| named(malformed(why)))?;
    let words = arguments::words(&kernel.metadata, &arguments.bytes);
    arguments::check_hidden(&kernel.metadata, &arguments.bytes, packet)
        .map_err(|why| named(malformed(why)))?;
    Ok(Prepared {
        grid: std::array::from_fn(|at| packet.grid[at] / packet.workgroup[at]),
        block: packet.workgroup,
        dynamic_shared: packet.group - kernel.metadata.group_size,
        words,
        arguments,
        kernel,
    })
}

fn malformed(why: String) -> Refusal {
    (Failure::ERROR_INVALID_PACKET_FORMAT, why)
}

fn check_sizes(kernel: &Kernel, agent: &Agent, packet: &Dispatch) -> Result<(), Refusal> {
    let metadata = &kernel.metadata;
    if kernel.agent != agent.number {
        return Err(malformed(format!(
            "it was loaded for agent {}",
            kernel.agent
        )));
    }
    let items = packet
        .workgroup
        .iter()
        .map(|&items| u64::from(items))
        .product::<u64>();
    let most = MOST_WORK_ITEMS.min(metadata.max_work_items);
    if items > most.into() {
        let why = format!("a work-group of {items} work-items, at most {most}");
        return Err((Failure::ERROR_INVALID_ARGUMENT, why));
    }
    let group = metadata.group_size;
    if packet.group < group || packet.group > GROUP_SEGMENT {
        let why = format!(
            "a group segment of {} bytes, from {group} to {GROUP_SEGMENT}",
            packet.group
        );
        return Err((Failure::ERROR_INVALID_ALLOCATION, why));
    }
    let private = metadata.private_size;
    if packet.private < private {
        return Err(malformed(format!(
            "a private segment of {} bytes, at least {private}",
            packet.private
        )));
    }
    if metadata.dynamic_stack && packet.private == private {
        return Err(malformed(format!(
            "no private segment beyond {private} bytes for its dynamic stack"
        )));
    }
    Ok(())
}

fn read_arguments(kernel: &Kernel, agent: &Agent, packet: &Dispatch) -> Result<Arguments, String> {
    let (size, align) = (
        kernel.metadata.kernarg_size,
        kernel.metadata.kernarg_align.max(16),
    );
    let address = packet.arguments;
    if size == 0 {
        return Ok(Arguments {
            address,
            bytes: Vec::new(),
            in_use: None,
        });
    }
    if !address.is_multiple_of(align.into()) {
        return Err(format!("arguments at {address:#x}, not aligned to {align}"));
    }
    let flags = memory()
        .enclosing(address, size.into())
        .map(|block| block.flags);
    if flags.is_some_and(|flags| flags & KERNARG == 0) {
        return Err(format!(
            "arguments at {address:#x}, which no kernarg pool has given"
        ));
    }
    let in_use = memory().used_by(address, size.into(), agent.number);
    let in_use = in_use.map_err(|why| format!("arguments: {why}"))?;
    // SAFETY: the block has that many bytes and stays allocated as long as it is in use.
    let bytes = unsafe { read(address, size as usize) };
    Ok(Arguments {
        address,
        bytes,
        in_use: Some(in_use),
    })
}

/// # Safety
/// The bytes are readable.
unsafe fn read(address: u64, size: usize) -> Vec<u8> {
    // SAFETY: the caller's contract.
    unsafe { std::slice::from_raw_parts(address as *const u8, size) }.to_vec()
}

impl Arguments {
    fn check_unchanged(self, kernel: &str) {
        let now = match &self.in_use {
            // SAFETY: the block is in use.
            Some(_) => unsafe { read(self.address, self.bytes.len()) },
            None => Vec::new(),
        };
        if now != self.bytes {
            tell(&format!("{kernel}: its arguments changed while it ran"));
        }
    }
}

/// Runs the kernel on a thread of its own.
pub fn start(queue: &Arc<Queue>, index: u64, prepared: Prepared, completion: Option<Completion>) {
    queue.running.fetch_add(1, Ordering::AcqRel);
    prepared.kernel.running.fetch_add(1, Ordering::AcqRel);
    let own = queue.clone();
    let run = move || finish(&own, index, prepared, completion);
    let thread = std::thread::Builder::new().name("fake HSA kernel".into());
    if let Err(error) = thread.spawn(run) {
        queue.refuse(index, (Failure::ERROR_OUT_OF_RESOURCES, error.to_string()));
    }
}

fn finish(queue: &Queue, index: u64, prepared: Prepared, completion: Option<Completion>) {
    let outcome = run(queue, &prepared);
    let kernel = prepared.kernel;
    prepared.arguments.check_unchanged(&kernel.name);
    kernel.running.fetch_sub(1, Ordering::AcqRel);
    let ended = || {
        queue.running.fetch_sub(1, Ordering::AcqRel);
    };
    match (outcome, completion) {
        (Ok(()), Some(completion)) => completion.complete(ended),
        (Ok(()), None) => signal::change(ended),
        // Its signal keeps its value for ever, and nothing after it runs.
        (Err(fault), _) => {
            fault::report(queue, index, &kernel.name, fault);
            signal::change(ended);
        }
    }
}

fn run(queue: &Queue, prepared: &Prepared) -> Result<(), fault::Cause> {
    if let Some(address) = arguments::inaccessible(&prepared.words, queue.agent.number) {
        return Err(fault::Cause::Inaccessible(address));
    }
    let launch = Launch {
        grid: prepared.grid,
        block: prepared.block,
        dynamic_shared: prepared.dynamic_shared,
        cooperative: false,
        args: &prepared.words,
    };
    prepared
        .kernel
        .code
        .launch(&launch)
        .map_err(fault::Cause::Error)
}
