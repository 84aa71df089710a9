//! The packet processor: a thread per queue, which takes packets in order. Kernels run on threads of their own, so that
//! a packet without the barrier bit does not wait for the kernels before it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fake_driver::handle::Handle;

use crate::dispatch;
use crate::packet::{Content, Packet, Raw};
use crate::queue::Queue;
use crate::signal::{self, Completion, Signal, Waiter};
use crate::status::Failure;

/// How long the doorbell may be ahead of a packet's header: another producer has reserved the packet before.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_micros(50);

/// Why a packet cannot be processed.
pub type Refusal = (Failure, String);

fn malformed(why: String) -> Refusal {
    (Failure::ERROR_INVALID_PACKET_FORMAT, why)
}

/// Processes packets until the queue is destroyed or fails.
pub fn run(queue: &Arc<Queue>) {
    let ended = || queue.closing.load(Ordering::Acquire) || queue.inactive.load(Ordering::Acquire);
    for index in 0.. {
        let rung = || queue.doorbell.value() >= index as i64;
        signal::wait_until(None, || ended() || rung());
        if ended() {
            break;
        }
        let outcome = released(queue, index, &ended).and_then(|raw| match raw {
            Some(raw) => process(queue, index, &raw, &ended),
            None => Ok(()),
        });
        if let Err(refusal) = outcome {
            queue.refuse(index, refusal);
        }
    }
    signal::wait_until(None, || queue.running.load(Ordering::Acquire) == 0);
}

/// Checks the doorbell and waits for the packet's header. `None` when the queue has ended.
fn released(queue: &Queue, index: u64, ended: &impl Fn() -> bool) -> Result<Option<Raw>, Refusal> {
    let last = queue.doorbell.value() as u64;
    if last >= queue.write.load(Ordering::Acquire) {
        return Err(malformed(format!(
            "the doorbell says {last}, which nobody has reserved"
        )));
    }
    if last >= index + queue.size() {
        let size = queue.size();
        return Err(malformed(format!(
            "the doorbell says {last}: {size} packets, unread, are overwritten"
        )));
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(raw) = queue.packet(index) {
            return Ok(Some(raw));
        }
        if ended() {
            return Ok(None);
        }
        if Instant::now() > deadline {
            return Err(malformed(format!(
                "the doorbell says {last}, but this header is INVALID"
            )));
        }
        std::thread::sleep(PAUSE);
    }
}

fn process(
    queue: &Arc<Queue>,
    index: u64,
    raw: &Raw,
    ended: &impl Fn() -> bool,
) -> Result<(), Refusal> {
    let packet = Packet::parse(raw).map_err(malformed)?;
    let completion = signal::get_if_any(packet.completion)
        .map_err(|_| malformed("its completion signal does not exist".into()))?
        .map(Completion::new);
    if packet.barrier {
        let idle = || queue.running.load(Ordering::Acquire) == 0;
        signal::wait_until(None, || idle() || queue.closing.load(Ordering::Acquire));
        // A kernel before it may have failed.
        if ended() {
            return Ok(());
        }
    }
    match packet.content {
        Content::Dispatch(packet) => {
            let prepared = dispatch::prepare(&queue.agent, &packet)?;
            queue.consume(index);
            dispatch::start(queue, index, prepared, completion);
            return Ok(());
        }
        Content::BarrierAnd(dependences) => {
            let waiters = waiters(&dependences)?;
            let done = || waiters.iter().all(|waiter| waiter.value() == 0);
            signal::wait_until(None, || ended() || done());
        }
        Content::BarrierOr(dependences) => {
            let waiters = waiters(&dependences)?;
            let done = || waiters.is_empty() || waiters.iter().any(|waiter| waiter.value() == 0);
            signal::wait_until(None, || ended() || done());
        }
    }
    if !ended() {
        queue.consume(index);
        if let Some(completion) = completion {
            completion.complete(|| ());
        }
    }
    Ok(())
}

fn waiters(dependences: &[Handle]) -> Result<Vec<Waiter>, Refusal> {
    let signals = dependences.iter().filter(|&&raw| raw != 0);
    signals
        .map(|&raw| {
            let signal: Arc<Signal> = signal::get(raw)
                .map_err(|_| malformed("a signal that it depends on does not exist".into()))?;
            Ok(Waiter::new(signal))
        })
        .collect()
}
