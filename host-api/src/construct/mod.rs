//! A construct on its way through the runtime: where it is, the device work it queues, and what is left in flight.

pub mod context;
pub mod device_work;
mod execute;
pub mod in_flight;
pub mod target_task;
