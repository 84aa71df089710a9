//! Command queues, and events.

use std::sync::Arc;

use bitflags::bitflags;
use parking_lot::Mutex;

use crate::codes::Result;
use crate::completion::{Completion, QUEUED};
use crate::context::Context;
use crate::device::Device;
use crate::handle::{Ref, create};
use crate::kind;
use crate::scheduler::{self, Action};

bitflags! {
    /// `cl_command_queue_properties`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Properties: u64 {
        /// `CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE`.
        const OUT_OF_ORDER = 1;
        /// `CL_QUEUE_PROFILING_ENABLE`.
        const PROFILING = 2;
    }
}

/// A command queue.
pub struct Queue {
    /// Its context.
    pub context: Ref<Context>,
    /// Its device.
    pub device: Ref<Device>,
    /// Its properties.
    pub properties: Properties,
    /// What the program gave as properties, with the final zero; empty for none.
    pub list: Vec<u64>,
    order: Mutex<Order>,
}

kind!(Queue, INVALID_COMMAND_QUEUE);

/// What later commands may have to wait for.
#[derive(Default)]
struct Order {
    /// The commands since the last barrier; of a queue in order, the last alone.
    commands: Vec<Arc<Completion>>,
    barrier: Option<Arc<Completion>>,
    /// The number of commands at which those that have ended are dropped.
    prune_at: usize,
}

/// What a command waits for besides its wait list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// What the queue's order says.
    Command,
    /// Everything before it, unless it has a wait list.
    Marker,
    /// As a marker, and everything behind it waits for it.
    Barrier,
}

/// An event.
pub struct Event {
    /// Its context.
    pub context: Ref<Context>,
    /// The queue of its command; none for a user's event.
    pub queue: Option<Ref<Queue>>,
    /// `CL_COMMAND_…`.
    pub command: u32,
    /// How far its command is.
    pub completion: Arc<Completion>,
}

kind!(Event, INVALID_EVENT);

impl Queue {
    /// A queue without commands.
    pub fn new(
        context: Ref<Context>,
        device: Ref<Device>,
        properties: Properties,
        list: Vec<u64>,
    ) -> Queue {
        Queue {
            context,
            device,
            properties,
            list,
            order: Mutex::default(),
        }
    }

    fn is_in_order(&self) -> bool {
        !self.properties.contains(Properties::OUT_OF_ORDER)
    }

    /// Everything that has not ended, at least.
    pub fn outstanding(&self) -> Vec<Arc<Completion>> {
        let order = self.order.lock();
        order
            .commands
            .iter()
            .chain(&order.barrier)
            .cloned()
            .collect()
    }

    /// Puts a command behind what must come before it; gives that.
    fn place(
        &self,
        completion: &Arc<Completion>,
        rank: Rank,
        has_list: bool,
    ) -> Vec<Arc<Completion>> {
        let mut order = self.order.lock();
        if self.is_in_order() {
            let before = std::mem::replace(&mut order.commands, vec![completion.clone()]);
            return before;
        }
        let mut before: Vec<_> = order.barrier.iter().cloned().collect();
        if rank != Rank::Command && !has_list {
            before.extend(order.commands.iter().cloned());
        }
        if rank == Rank::Barrier {
            // With a wait list, the barrier does not wait for commands that `clFinish` has to wait for.
            if !has_list {
                order.commands.clear();
            }
            order.barrier = Some(completion.clone());
        }
        order.commands.push(completion.clone());
        if order.commands.len() > order.prune_at {
            // The checker asks what a barrier comes after.
            order
                .commands
                .retain(|command| !command.has_ended() || !command.known().is_empty());
            order.prune_at = 2 * order.commands.len() + 16;
        }
        before
    }
}

/// Enqueues a command.
pub fn enqueue(
    queue: &Ref<Queue>,
    command: u32,
    rank: Rank,
    list: &[Ref<Event>],
    work: Action,
) -> Enqueued {
    let completion = Completion::new(QUEUED);
    let list: Vec<_> = list.iter().map(|event| event.completion.clone()).collect();
    let order = queue.place(&completion, rank, !list.is_empty());
    let kept = queue.clone();
    let work: Action = Box::new(move || {
        let result = work();
        drop(kept);
        result
    });
    scheduler::enqueue(
        queue.raw() as usize,
        completion.clone(),
        &list,
        &order,
        work,
    );
    Enqueued {
        queue: queue.clone(),
        command,
        completion,
    }
}

/// A command that was enqueued.
pub struct Enqueued {
    queue: Ref<Queue>,
    command: u32,
    completion: Arc<Completion>,
}

impl Enqueued {
    /// Its event.
    pub fn event(&self) -> Ref<Event> {
        create(Event {
            context: self.queue.context.clone(),
            queue: Some(self.queue.clone()),
            command: self.command,
            completion: self.completion.clone(),
        })
    }

    /// Waits for its end.
    pub fn wait(&self) -> Result<()> {
        self.completion.wait(Some(self.queue.raw() as usize))
    }
}
